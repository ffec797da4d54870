// This file parses the actions that most lines of a log are, added files, without the detours
// of a decoder of anything.

package delta

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// parseAction parses a line of a log. An added file is put into add, and may have texts of the
// line and the matcher.
func (m *matcher) parseAction(line []byte, a *action, add *addFile) error {
	text := unsafe.String(unsafe.SliceData(line), len(line))
	if m.match(text, add) {
		a.Add = add
		return nil
	}
	if json.Valid(line) {
		if m.p.parseAdd(text, add) {
			a.Add = add
			m.p.packStats(add)
			if m.learns() {
				if t, ok := templateOf(text, add, m); ok {
					m.learn(t)
				}
			}
			return nil
		}
		*add = addFile{}
	}
	err := json.Unmarshal(line, a)
	if err == nil && a.Add != nil {
		m.p.packStats(a.Add)
		a.Add.partition = &partitionValues{texts: a.Add.PartitionValues}
	}
	return err
}

// packStats packs the statistics of a file.
func (p *packer) packStats(a *addFile) {
	if a.Stats == "" || !json.Valid(unsafe.Slice(unsafe.StringData(a.Stats), len(a.Stats))) {
		return
	}
	if s, values, ok := p.pack(a.Stats); ok {
		a.shape, a.values, a.Stats = s, values, ""
	}
}

// hasStats reports whether the action has any.
func (a *addFile) hasStats() bool { return a.shape != nil || a.Stats != "" }

// members calls f with the names and values of an object, and where the values are, until it returns
// false, and reports whether it didn't. The text is valid JSON.
func members(text string, f func(name, value string, at int) bool) bool {
	text = strings.TrimRight(text, space)
	at := 0
	for at < len(text) && strings.IndexByte(space, text[at]) >= 0 {
		at++
	}
	if at == len(text) || text[at] != '{' {
		return false
	}
	for at++; ; at++ { // behind the brace or a comma
		if at = skipSpace(text, at); text[at] == '}' {
			return true
		}
		end := skipValue(text, at)
		name := text[at+1 : end-1]
		at = skipSpace(text, skipSpace(text, end)+1) // behind the colon
		end = skipValue(text, at)
		if strings.IndexByte(name, '\\') >= 0 || !f(name, text[at:end], at) {
			return false
		}
		if at = skipSpace(text, end); text[at] == '}' {
			return true
		}
	}
}

// parseAdd parses a line that is an added file, as writers have it, and reports whether it is.
// The decoder reads the others: it accepts names in other cases, and
// names that occur twice.
func (p *packer) parseAdd(line string, a *addFile) bool {
	n := 0
	is := members(line, func(name, value string, _ int) bool {
		n++
		return n == 1 && name == "add" && members(value, func(name, value string, _ int) bool { return p.addMember(name, value, a) })
	})
	return is && n == 1
}

// known are the members of an added file, by their bits in addFile.seen.
var known = []string{"path", "partitionValues", "size", "stats", "deletionVector", "dataChange"}

func (p *packer) addMember(name, value string, a *addFile) (ok bool) {
	at := -1
	for i, k := range known {
		if name == k {
			at = i
		} else if strings.EqualFold(name, k) {
			return false
		}
	}
	if at < 0 {
		return true
	}
	if a.seen&(1<<at) != 0 {
		return false
	}
	a.seen |= 1 << at
	if value == "null" {
		return true
	}
	switch name {
	case "path":
		a.Path, ok = unescaped(value)
	case "stats":
		a.Stats, ok = unescaped(value)
	case "size":
		n, err := strconv.ParseInt(value, 10, 64)
		a.Size, ok = n, err == nil
	case "partitionValues":
		a.partition, ok = p.partition(value)
	case "deletionVector":
		ok = json.Unmarshal([]byte(value), &a.DeletionVector) == nil
	case "dataChange":
		is := value == "true"
		a.DataChange, ok = &is, is || value == "false"
	}
	return ok
}

// unescaped returns a copy of the string that a value is. Escapes that are rare are left to
// the decoder.
func unescaped(value string) (string, bool) {
	if len(value) < 2 || value[0] != '"' || !utf8.ValidString(value) {
		return "", false
	}
	value = value[1 : len(value)-1]
	if strings.IndexByte(value, '\\') < 0 {
		return strings.Clone(value), true
	}
	var b strings.Builder
	b.Grow(len(value))
	for {
		i := strings.IndexByte(value, '\\')
		if i < 0 {
			b.WriteString(value)
			return b.String(), true
		}
		switch c := value[i+1]; c {
		case '"', '\\', '/':
			b.WriteString(value[:i])
			b.WriteByte(c)
			value = value[i+2:]
		default:
			return "", false
		}
	}
}
