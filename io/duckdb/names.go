// This file holds the names of tables and columns.

package duckdb

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// quoted returns a name as an SQL identifier: in double quotes, with those inside doubled. So no name
// ends the identifier.
func quoted(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// tableName returns the name of a table, with its schema and database if it has them, as quoted identifiers.
// Parts in double quotes may contain dots.
func tableName(text string) (string, error) {
	var parts []string
	for rest := text; ; {
		part, after, err := firstPart(rest)
		if err != nil {
			return "", fmt.Errorf("%w: the table %q: %v", graph.ErrOptions, text, err)
		}
		parts = append(parts, quoted(part))
		if after == "" {
			break
		}
		rest = after[1:]
	}
	if len(parts) > 3 {
		return "", fmt.Errorf("%w: the table %q has %d parts; give database.schema.table at most, with names that contain dots in double quotes",
			graph.ErrOptions, text, len(parts))
	}
	return strings.Join(parts, "."), nil
}

// firstPart cuts off the first part of a name. The rest is empty, or begins with a dot.
func firstPart(text string) (part, after string, err error) {
	inner, quotes := strings.CutPrefix(text, `"`)
	if !quotes {
		end := strings.IndexByte(text, '.')
		if end < 0 {
			end = len(text)
		}
		part, after = text[:end], text[end:]
		if strings.Contains(part, `"`) {
			return "", "", fmt.Errorf("a double quote stands inside a name; put the name in double quotes, and double those inside")
		}
	} else if part, after, err = quotedPart(inner); err != nil {
		return "", "", err
	}
	switch {
	case part == "":
		return "", "", fmt.Errorf("a name is empty")
	case strings.Contains(part, "\x00"):
		return "", "", fmt.Errorf("a name contains a zero byte")
	}
	return part, after, nil
}

// quotedPart cuts off a name up to its closing quote.
func quotedPart(text string) (part, after string, err error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, `"`)
		if !ok {
			return "", "", fmt.Errorf("a double quote isn't closed")
		}
		b.WriteString(before)
		if next, doubled := strings.CutPrefix(rest, `"`); doubled {
			b.WriteByte('"')
			text = next
			continue
		}
		if rest != "" && rest[0] != '.' {
			return "", "", fmt.Errorf("a closing double quote is followed by %q; want a dot or the end", rest)
		}
		return b.String(), rest, nil
	}
}
