// This file reads the configuration file, which is TOML (https://toml.io). Unknown names, names that are there twice
// and values of another type are errors, which have the line but never a value.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/foray-graph/foray/internal/text"
)

const (
	// mostConfigured is how many bytes the configuration file has at most.
	mostConfigured = 1 << 16
	// storeTable is the table with the settings of stores.
	storeTable = "s3"
)

// configPath returns the path of the configuration file, "" if the system has no place for it.
func configPath() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // as its specification has it
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "foray", "config.toml")
}

// configured is a setting of the configuration file.
type configured struct {
	value string
	place string // FILE:LINE
}

// readConfig returns the settings of the configuration file by their names.
func readConfig() (map[string]configured, error) {
	path := configPath()
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostConfigured) {
		err = fmt.Errorf("%s isn't a file of at most %d bytes", path, mostConfigured)
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration file: %w", err)
	}
	return parseConfig(path, content)
}

// configReader collects the settings of a configuration file.
type configReader struct {
	path     string
	parser   unstable.Parser
	settings map[string]configured
	tables   map[string]int // lines of tables by their names: [s3], s3.NAME = or s3 = {
	keys     map[string]int // lines of settings by their names, that of the table before
}

func parseConfig(path string, content []byte) (map[string]configured, error) {
	r := &configReader{path: path, settings: map[string]configured{}, tables: map[string]int{}, keys: map[string]int{}}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	r.parser.Reset(content)
	var table []string
	for r.parser.NextExpression() {
		e := r.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			line := 0
			if table, line = r.names(e.Key()); line > 0 {
				if err := r.openTable(table, line); err != nil {
					return nil, err
				}
			}
		case unstable.ArrayTable:
			names, line := r.names(e.Key())
			return nil, r.fault(line, "[[%s]] is a list of tables; there is one table, [%s]", text.Escape(strings.Join(names, ".")), storeTable)
		case unstable.KeyValue:
			if err := r.keyValue(table, e, 0); err != nil {
				return nil, err
			}
		}
	}
	if err := r.parser.Error(); err != nil { // its text may have parts of a secret
		line := 1 + bytes.Count(content, []byte("\n"))
		if syntax := (*unstable.ParserError)(nil); errors.As(err, &syntax) && len(syntax.Highlight) > 0 {
			line = r.line(r.parser.Range(syntax.Highlight))
		}
		return nil, r.fault(line, `the line isn't TOML; want a table such as [%s], NAME = "VALUE", or a comment that begins with #`, storeTable)
	}
	return r.settings, nil
}

func (r *configReader) fault(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.path, line, fmt.Sprintf(format, args...))
}

func (r *configReader) line(at unstable.Range) int { return r.parser.Shape(at).Start.Line }

// names returns the parts of a name, and its line.
func (r *configReader) names(it unstable.Iterator) (names []string, line int) {
	for it.Next() {
		n := it.Node()
		if names = append(names, string(n.Data)); line == 0 {
			line = r.line(n.Raw)
		}
	}
	return names, line
}

// newTable notes a table, which a file has once.
func (r *configReader) newTable(name string, line int) error {
	if first := r.tables[name]; first > 0 {
		return r.fault(line, "[%s] is there already, in line %d; write its settings in one place", text.Escape(name), first)
	}
	r.tables[name] = line
	return nil
}

// openTable begins a table: [s3].
func (r *configReader) openTable(names []string, line int) error {
	name := strings.Join(names, ".")
	if err := r.newTable(name, line); err != nil {
		return err
	}
	if name != storeTable {
		return r.fault(line, "there is no table [%s]; there is [%s]", text.Escape(name), storeTable)
	}
	return nil
}

// keyValue takes NAME = VALUE, where VALUE may be further names in braces. The parser knows only the line of the first name.
func (r *configReader) keyValue(table []string, e *unstable.Node, line int) error {
	names, at := r.names(e.Key())
	if line == 0 {
		line = at
	}
	names = append(table[:len(table):len(table)], names...)
	name := strings.Join(names, ".")
	if looksSecret(name) {
		return r.fault(line, "%s is a secret, which this file must not have; remove it, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws/credentials", text.Escape(name))
	}
	value := e.Value()
	if first := r.keys[name]; first > 0 {
		return r.fault(line, "%s is there already, in line %d; leave one of them out", text.Escape(name), first)
	}
	r.keys[name] = line
	if top := names[0]; len(table) == 0 && len(names) > 1 && (r.tables[top] == 0 || r.keys[top] > 0) {
		if err := r.newTable(top, line); err != nil {
			return err
		}
	}
	if value.Kind == unstable.InlineTable {
		if err := r.newTable(name, line); err != nil {
			return err
		}
		for it := value.Children(); it.Next(); {
			if err := r.keyValue(names, it.Node(), line); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range storeSettings {
		switch {
		case name != storeTable+"."+s.name:
		case value.Kind != unstable.String:
			return r.fault(line, "%s is no text; write %s = \"%s\"", name, s.name, s.value)
		case len(value.Data) == 0:
			return r.fault(line, "%s is empty; leave it out", name)
		default:
			r.settings[s.name] = configured{string(value.Data), fmt.Sprintf("%s:%d", r.path, line)}
			return nil
		}
	}
	var known []string
	for _, s := range storeSettings {
		known = append(known, s.name)
	}
	return r.fault(line, "there is no setting %s; there are %s in [%s]%s", text.Escape(name), andList(known), storeTable, text.Meant(names[len(names)-1], known))
}

// andList is "a, b and c".
func andList(words []string) string {
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// looksSecret reports whether a setting names a key, a token or a password.
func looksSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"secret", "access_key", "accesskey", "token", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
