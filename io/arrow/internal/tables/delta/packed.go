// This file keeps the statistics of files in little memory: the texts of a log are alike but
// for the values in them.

package delta

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// shape is a text of statistics without its values: where one was, there is a hole.
type shape struct{ text string }

// hole stands for a value of a shape; JSON has no such byte.
const hole = "\x00"

// packer packs texts of statistics. It may be used by several goroutines.
type packer struct {
	mu     sync.Mutex
	shapes map[string]*shape
	values map[string]*partitionValues // by their text

	window   []byte // of the commit that is read; the next one uses it again
	lines    []parsedLine
	matchers []*matcher // of the goroutines that parse lines
}

// partitionValues are the values of partition columns, as texts.
type partitionValues struct {
	text  string // of JSON, by which they are shared
	texts map[string]*string

	of    *table // by which fixed was made
	fixed map[string]tables.Value
}

// matcher returns the matcher of the goroutine of that number, for lines whose predecessors are of no use
// any more.
func (p *packer) matcher(i int) *matcher {
	for len(p.matchers) <= i {
		p.matchers = append(p.matchers, &matcher{p: p})
	}
	m := p.matchers[i]
	m.values = m.values[:0]
	return m
}

// pack returns the shape of a text, which is valid JSON, and its values with a hole after
// each. ok is false where the text isn't worth it.
func (p *packer) pack(text string) (s *shape, values string, ok bool) {
	b := scratches.Get().(*scratch)
	defer scratches.Put(b)
	of, out := b.shape[:0], b.values[:0]
	defer func() { b.shape, b.values = of, out }()
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"':
			end := skipValue(text, at)
			next := end
			for next < len(text) && strings.IndexByte(space, text[next]) >= 0 {
				next++
			}
			if next < len(text) && text[next] == ':' { // a name
				of = append(of, text[at:end]...)
			} else {
				of, out = append(of, hole...), append(append(out, text[at:end]...), hole...)
			}
			at = end
		case c == '-' || '0' <= c && c <= '9':
			end := skipValue(text, at)
			of, out = append(of, hole...), append(append(out, text[at:end]...), hole...)
			at = end
		case c == hole[0]:
			return nil, "", false
		default:
			of = append(of, c)
			at++
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s = p.shapes[string(of)]; s == nil {
		if len(p.shapes) >= maxShapes {
			return nil, "", false
		}
		if p.shapes == nil {
			p.shapes = map[string]*shape{}
		}
		s = &shape{string(of)}
		p.shapes[s.text] = s
	}
	return s, string(out), true
}

// scratch is memory that texts are packed in.
type scratch struct{ shape, values []byte }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// with returns the text that has the values.
func (s *shape) with(values string) string {
	var b strings.Builder
	b.Grow(len(s.text) + len(values))
	for text := s.text; ; {
		i := strings.Index(text, hole)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		value, rest, _ := strings.Cut(values, hole)
		b.WriteString(text[:i])
		b.WriteString(value)
		text, values = text[i+1:], rest
	}
}

// partition returns the values that a text stands for, which files with the same text share. ok is
// false where it stands for none.
func (p *packer) partition(text string) (values *partitionValues, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if values, ok = p.values[text]; ok {
		return values, true
	}
	values = &partitionValues{text: strings.Clone(text)}
	if json.Unmarshal([]byte(text), &values.texts) != nil {
		return nil, false
	}
	if p.values == nil {
		p.values = map[string]*partitionValues{}
	}
	if len(p.values) < maxShapes {
		p.values[values.text] = values
	}
	return values, true
}
