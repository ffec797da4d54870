// This file cuts a condition into words.

package where

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	end     kind = iota
	word         // a name or a keyword
	quoted       // a name in double quotes or backquotes
	text         // 'a string'
	hexText      // x'00ff'
	number
	symbol // an operator, a parenthesis or a comma
)

type token struct {
	kind kind
	text string // without quotes
	at   int    // byte in the condition
}

// is reports whether the token is that keyword or symbol.
func (t token) is(s string) bool {
	return t.kind == word && strings.EqualFold(t.text, s) || t.kind == symbol && t.text == s
}

func (t token) String() string {
	if t.kind == end {
		return "the end"
	}
	return fmt.Sprintf("%.40q", t.text)
}

// lex cuts s into tokens, of which the last is an end.
func lex(s string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			return nil, wrong(at, "it isn't UTF-8")
		case unicode.IsSpace(r):
			at += size
			continue
		}
		t, n, err := next(s[at:], r)
		if err != nil {
			return nil, wrong(at, "%w", err)
		}
		t.at = at
		tokens = append(tokens, t)
		at += n
	}
	return append(tokens, token{at: len(s)}), nil
}

// next returns the token that s begins with, and its length.
func next(s string, r rune) (token, int, error) {
	switch {
	case (r == 'x' || r == 'X') && len(s) > 1 && s[1] == '\'':
		t, n, err := quote(s[1:], '\'')
		return token{kind: hexText, text: t}, n + 1, err
	case r == '\'':
		t, n, err := quote(s, '\'')
		return token{kind: text, text: t}, n, err
	case r == '"' || r == '`':
		t, n, err := quote(s, byte(r))
		if err == nil && t == "" {
			err = fmt.Errorf("a name is empty")
		}
		return token{kind: quoted, text: t}, n, err
	case dateLength(s) > 0:
		n := dateLength(s)
		return token{kind: text, text: s[:n]}, n, nil
	case r >= '0' && r <= '9', r == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		n := digits(s)
		if n < len(s) && part(rune(s[n])) {
			return token{}, 0, fmt.Errorf("a number goes on with %q; write a space between them, or quote a name that begins so", s[n:n+1])
		}
		return token{kind: number, text: s[:n]}, n, nil
	case part(r):
		n := strings.IndexFunc(s, func(r rune) bool { return !part(r) && r != '.' })
		if n < 0 {
			n = len(s)
		}
		return token{kind: word, text: s[:n]}, n, nil
	}
	for _, op := range []string{"<=", ">=", "<>", "!=", "==", "<", ">", "=", "(", ")", ",", "-", "+"} {
		if strings.HasPrefix(s, op) {
			return token{kind: symbol, text: op}, len(op), nil
		}
	}
	return token{}, 0, fmt.Errorf("%q has no meaning here; conditions are written as in SQL, and names with other characters than letters, digits, _ and dots stand in double quotes", r)
}

func part(r rune) bool {
	return r == '_' || r == '$' || r == '@' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// quote returns what stands in quotes; a quote in it is doubled.
func quote(s string, q byte) (string, int, error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != q {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			b.WriteByte(q)
			i++
			continue
		}
		return b.String(), i + 1, nil
	}
	return "", 0, fmt.Errorf("a quote (%c) isn't closed; one in what is quoted is written twice", q)
}

// dateLength returns the length of the date or timestamp that s begins with, or 0. It needs no quotes, since conditions
// have no arithmetic.
func dateLength(s string) int {
	const date = "2006-01-02"
	if len(s) < len(date) {
		return 0
	}
	for i := range len(date) {
		if isDigit := s[i] >= '0' && s[i] <= '9'; isDigit != (date[i] != '-') || !isDigit && s[i] != '-' {
			return 0
		}
	}
	n := len(date)
	if n < len(s) && s[n] == 'T' {
		for n++; n < len(s) && (s[n] >= '0' && s[n] <= '9' || strings.IndexByte(":.Z", s[n]) >= 0); {
			n++
		}
		if n+1 < len(s) && (s[n] == '+' || s[n] == '-') && s[n+1] >= '0' && s[n+1] <= '9' { // a zone
			for n++; n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == ':'); {
				n++
			}
		}
	}
	if n < len(s) && part(rune(s[n])) {
		return 0
	}
	return n
}

// digits returns how long the number is that s begins with.
func digits(s string) int {
	n := 0
	run := func() {
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
	}
	run()
	if n < len(s) && s[n] == '.' {
		n++
		run()
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		was := n
		if n++; n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		first := n
		if run(); n == first {
			n = was
		}
	}
	return n
}

func wrong(at int, format string, args ...any) error {
	return fmt.Errorf("%w: at byte %d: %w", ErrSyntax, at+1, fmt.Errorf(format, args...))
}
