// This file finds columns by their names.

package dataset

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// columnNames reads Options.Source and Target: a column, or several with commas
// between them. A name that has a comma stands in double quotes, unless a column
// is called just what the option says.
func columnNames(cols []columnar.Column, names string) ([]string, error) {
	for i := range cols {
		if cols[i].Path == names {
			return []string{names}, nil
		}
	}
	if names == "" {
		return nil, nil
	}
	return logical.Fields(names)
}

// joinNames is the inverse of columnNames.
func joinNames(names []string) string {
	if len(names) == 1 && !strings.HasPrefix(names[0], `"`) && !strings.Contains(names[0], ",") {
		return names[0]
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = n
		if strings.ContainsAny(n, `,"`) {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}

// byName returns the column of that name, or else the only one whose name differs in
// the case of letters alone.
func byName(cols []columnar.Column, name, option string) (int, error) {
	found, folded, others := -1, -1, -1
	for i := range cols {
		switch {
		case cols[i].Path == name && found >= 0:
			return 0, atColumn(name, &notThere{option: option, but: "there are several of that name"})
		case cols[i].Path == name:
			found = i
		case strings.EqualFold(cols[i].Path, name):
			folded, others = i, folded
		}
	}
	switch {
	case found >= 0:
		return found, nil
	case others >= 0:
		return 0, atColumn(name, input.ColumnErrorf("Options.%s names it, but no column is called just so, and %.64q and %.64q differ from it in the case of letters alone; name one of them",
			option, cols[others].Path, cols[folded].Path))
	case folded >= 0:
		return folded, nil
	}
	return 0, atColumn(name, &notThere{option: option, but: list(cols), meant: meant(cols, name), lacks: true})
}

// meant asks for the columns whose names are like one that isn't there.
func meant(cols []columnar.Column, name string) string {
	var names []string
	for i := range cols {
		names = append(names, cols[i].Path)
	}
	return text.Meant(name, names)
}

// notThere is an ErrColumn of a column that isn't among a file's, or is there twice.
type notThere struct {
	option string // that names it
	first  string // or the file whose columns had it, where the option was empty
	but    string
	meant  string // what text.Meant says
	lacks  bool   // it isn't there
	told   string // the text instead of that; or ""
}

func (e *notThere) Error() string {
	if e.told != "" {
		return e.told
	}
	if e.first == "" {
		return fmt.Sprintf("Options.%s names it, but %s%s", e.option, e.but, e.meant)
	}
	role := map[string]string{"Source": "sources", "Target": "targets", "Weight": "weights", "Vertices.ID": "vertices' ids"}[e.option]
	return fmt.Sprintf("%s has its %s there, and all files have to, but here %s%s", e.first, role, e.but, e.meant)
}

func (e *notThere) Unwrap() error { return input.ErrColumn }

// noWeight is an ErrColumn of weights that are wanted, where no option names their column.
type noWeight struct{ columns, remedy string }

func (e *noWeight) Error() string {
	return fmt.Sprintf("weights are wanted, but no column is named %q; name it in Options.Weight; %s%s", weightName, e.columns, e.remedy)
}

func (e *noWeight) Unwrap() error { return input.ErrColumn }

// fold returns the one column of that name in any case of letters, else -1. Weak ones are
// used only if the user names them.
func fold(cols []columnar.Column, name string) int {
	found := -1
	for i := range cols {
		if !cols[i].Weak && strings.EqualFold(cols[i].Path, name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// partner returns the column that goes with column i, which is end 0 or 1.
func partner(cols []columnar.Column, i, end int, option string) (int, error) {
	for _, p := range pairs {
		if strings.EqualFold(cols[i].Path, p[end]) {
			if k := fold(cols, p[1-end]); k >= 0 {
				return k, nil
			}
		}
	}
	if own(cols) == 2 && i < 2 {
		return 1 - i, nil
	}
	return 0, input.ColumnErrorf("which column goes with %.100q isn't clear; name it in Options.%s; %s", cols[i].Path, option, list(cols))
}

// list names the columns, the first of them where there are many.
func list(cols []columnar.Column) string {
	const most = 20
	var b strings.Builder
	b.WriteString("the columns are ")
	for i := range cols {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(cols)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.64q (%s)", cols[i].Path, cols[i].Type)
	}
	if len(cols) == 0 {
		return "there are no columns"
	}
	return b.String()
}

func atColumn(column string, err error) error { return columnar.PlaceAt(-1, column, err) }
