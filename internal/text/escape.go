// This file makes text from elsewhere safe to show: control characters in ids and
// names, which a terminal would obey, are written as \x1b and the like.

package text

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s as one line that a terminal shows and doesn't obey: control
// characters, characters that turn the direction of writing round, and bytes that
// aren't UTF-8 become \n, \x1b, \u202e and the like. Other characters stay, the
// backslash too, so that the result is for people alone.
func Escape(s string) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !shown(r, size) {
			var b strings.Builder
			b.WriteString(s[:i])
			for s = s[i:]; s != ""; s = s[size:] {
				r, size = utf8.DecodeRuneInString(s)
				if shown(r, size) {
					b.WriteString(s[:size])
				} else {
					b.WriteString(escaped(r, size, s[0]))
				}
			}
			return b.String()
		}
		i += size
	}
	return s
}

// shown reports whether a character stays. Joiners are part of words in some scripts
// and of emoji.
func shown(r rune, size int) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	return !(r == utf8.RuneError && size <= 1) && (unicode.IsGraphic(r) || r == zeroWidthNonJoiner || r == zeroWidthJoiner)
}

func escaped(r rune, size int, first byte) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case size <= 1:
		return fmt.Sprintf(`\x%02x`, first)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Escaper is a writer to a terminal that escapes what Escape does, but for line
// breaks and tabs. A character may come in several calls; Flush ends the last one. It
// is not safe for concurrent use.
type Escaper struct {
	Bold bool // WriteBold writes in bold, for terminals that have it

	w    io.Writer
	rest []byte // the beginning of a character
	buf  []byte
}

// NewEscaper returns an Escaper that writes to w.
func NewEscaper(w io.Writer) *Escaper { return &Escaper{w: w} }

// Write writes p to the writer below, but for the beginning of a character at its end.
func (e *Escaper) Write(p []byte) (int, error) {
	e.buf = e.buf[:0]
	data := p
	if len(e.rest) > 0 {
		data = append(e.rest, p...)
	}
	for len(data) > 0 {
		if !utf8.FullRune(data) {
			break
		}
		r, size := utf8.DecodeRune(data)
		if r == '\n' || r == '\t' || shown(r, size) {
			e.buf = append(e.buf, data[:size]...)
		} else {
			e.buf = append(e.buf, escaped(r, size, data[0])...)
		}
		data = data[size:]
	}
	e.rest = append([]byte(nil), data...)
	if _, err := e.w.Write(e.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteBold writes a line in bold, if Bold is set.
func (e *Escaper) WriteBold(line string) error {
	on, off := "", ""
	if e.Bold {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	_, err := io.WriteString(e.w, on+Escape(strings.TrimSuffix(line, "\n"))+off+"\n")
	return err
}

// Flush writes the beginning of a character that wasn't followed by its end.
func (e *Escaper) Flush() error {
	if len(e.rest) == 0 {
		return nil
	}
	_, err := io.WriteString(e.w, Escape(string(e.rest)))
	e.rest = nil
	return err
}
