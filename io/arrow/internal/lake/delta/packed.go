// This file keeps the statistics of files in little memory: the texts of a log are alike but
// for the values in them.

package delta

import (
	"strings"
	"sync"
)

// shape is a text of statistics without its values: where one was, there is a hole.
type shape struct{ text string }

// hole stands for a value of a shape; JSON has no such byte.
const hole = "\x00"

// packer packs texts of statistics. It may be used by several goroutines.
type packer struct {
	mu     sync.Mutex
	shapes map[string]*shape
	values map[string]map[string]*string // of partitions, by their text

	window []byte // of the commit that is read; the next one uses it again
	lines  []parsedLine
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

// partition returns the values that a text stands for, which files with the same text share.
func (p *packer) partition(text string) (values map[string]*string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	values, ok = p.values[text]
	return values, ok
}

// keepPartition keeps them for other files.
func (p *packer) keepPartition(text string, values map[string]*string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		p.values = map[string]map[string]*string{}
	}
	if len(p.values) < maxShapes {
		p.values[strings.Clone(text)] = values
	}
}
