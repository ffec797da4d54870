// This file holds the strings of JSON lines.

package edgelist

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape appends what is in a string, whose escapes are valid. It returns false where one is half of a
// surrogate pair: encoding/json has U+FFFD for each of those, and so one id for several. Bytes that aren't
// UTF-8 stay.
func unescape(to, s []byte) ([]byte, bool) {
	for len(s) > 0 {
		at := bytes.IndexByte(s, '\\')
		if at < 0 {
			return append(to, s...), true
		}
		to = append(to, s[:at]...)
		c := s[at+1]
		s = s[at+2:]
		switch c {
		case 'b':
			to = append(to, '\b')
		case 'f':
			to = append(to, '\f')
		case 'n':
			to = append(to, '\n')
		case 'r':
			to = append(to, '\r')
		case 't':
			to = append(to, '\t')
		case 'u':
			r := hexRune(s)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
					return to, false
				}
				if r = utf16.DecodeRune(r, hexRune(s[2:])); r == utf8.RuneError {
					return to, false
				}
				s = s[6:]
			}
			to = utf8.AppendRune(to, r)
		default: // a quote, a slash or a backslash
			to = append(to, c)
		}
	}
	return to, true
}

// hexRune returns what the four digits of an escape stand for.
func hexRune(s []byte) rune {
	x, _ := strconv.ParseUint(string(s[:4]), 16, 32) // they were checked
	return rune(x)
}
