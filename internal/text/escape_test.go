// This file tests what is escaped.

package text

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"alice":                   "alice",
		"\x1b]0;title\a":          `\x1b]0;title\x07`,
		"a\nb\r\tc\x00\x7f":       `a\nb\r\tc\x00\x7f`,
		"\u009b31m":               `\u009b31m`, // CSI in eight bits
		"a\xff\x9bb":              `a\xff\x9bb`,
		"abc\u202ecba":            `abc\u202ecba`,
		"Zoë 東京 \u3000👩\u200d👧 é": "Zoë 東京 \u3000👩\u200d👧 é",
		`C:\lake\x`:               `C:\lake\x`,
		"\u2028\U000e0001":        `\u2028\U000e0001`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestEscaper: whatever comes in whatever pieces, what goes out is as of one piece,
// and no control character but line breaks and tabs.
func TestEscaper(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "é", "東", "👩", "\x1b[31m", "\n", "\t", "\r", "\xe6\x9d", "\xf0\x9f", "\xff", "\u009b", "\u202e", "\x00"}
	for range 2000 {
		var s strings.Builder
		for range rng.IntN(12) {
			s.WriteString(parts[rng.IntN(len(parts))])
		}
		in := s.String()
		var lines []string
		for _, l := range strings.Split(in, "\n") {
			var cells []string
			for _, c := range strings.Split(l, "\t") {
				cells = append(cells, Escape(c))
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
		want := strings.Join(lines, "\n")
		var out bytes.Buffer
		e := NewEscaper(&out)
		for rest := in; rest != ""; {
			n := 1 + rng.IntN(len(rest))
			if k, err := e.Write([]byte(rest[:n])); k != n || err != nil {
				t.Fatal(k, err)
			}
			rest = rest[n:]
		}
		if err := e.Flush(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("%q: %q, want %q", in, out.String(), want)
		}
		for _, r := range out.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
				t.Fatalf("%q leaves %q", in, out.String())
			}
		}
	}
}
