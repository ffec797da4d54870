// This file matches names against a pattern without looking at files.

package pathglob

import (
	"path"
	"path/filepath"
	"strings"
)

// Pattern is a pattern for names that aren't files, such as the keys of objects.
// Its names are separated by slashes on every system, and a backslash escapes
// the character after it.
type Pattern struct {
	parts  []string
	prefix string
}

// Compile checks a pattern. Its errors are Match's.
func Compile(pattern string) (*Pattern, error) {
	p := &Pattern{parts: strings.Split(pattern, "/"), prefix: pattern}
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		p.prefix = pattern[:i]
	}
	for _, part := range p.parts {
		if part != "**" && strings.Contains(part, "**") {
			return nil, ErrStars
		}
		if _, err := path.Match(part, ""); err != nil {
			return nil, filepath.ErrBadPattern // package path's is another
		}
	}
	return p, nil
}

// Prefix returns the common prefix of all names that can match.
func (p *Pattern) Prefix() string { return p.prefix }

// Match reports what of the name of a file the pattern stands for: the file, or
// a directory that it is in. It returns where in name the last of the names
// begins that the pattern stands for, the longest if there are several; -1
// if there is no match. So name[at:] begins with the name of the
// match, and a file in a directory that matched has more after it.
func (p *Pattern) Match(name string) int {
	elems := strings.Split(name, "/")
	// reach[i]: the parts so far can match the first i elements.
	reach, next := make([]bool, len(elems)+1), make([]bool, len(elems)+1)
	reach[0] = true
	for k, part := range p.parts {
		clear(next)
		for i, ok := range reach {
			switch {
			case !ok:
			case part != "**":
				if i < len(elems) {
					if m, _ := path.Match(part, elems[i]); m && (k == len(p.parts)-1 || looksInto(part, elems[i])) {
						next[i+1] = true
					}
				}
			case k == len(p.parts)-1:
				next[len(elems)] = next[len(elems)] || i < len(elems) && below(elems[i:len(elems)-1]) == len(elems)-1-i
			default:
				for j := i; j <= i+below(elems[i:]); j++ {
					next[j] = true
				}
			}
		}
		reach, next = next, reach
	}
	for i := len(elems); i > 0; i-- {
		if reach[i] {
			at := 0
			for _, e := range elems[:i-1] {
				at += len(e) + 1
			}
			return at
		}
	}
	return -1
}

// below returns how many of the elements, from the first on, ** looks into.
func below(elems []string) int {
	for i, e := range elems {
		if e != "" && (e[0] == '.' || e[0] == '_') {
			return i
		}
	}
	return len(elems)
}
