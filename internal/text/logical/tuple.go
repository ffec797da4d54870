// This file holds the keys of ids that are tuples.

package logical

import "bytes"

// A tuple's key is its parts one after the other. Integers are big-endian in their
// width, signed ones with the sign bit flipped. Bytes of fixed width are unchanged.
// Strings and binary have each zero byte replaced by 0, 1 and two zero bytes at the
// end, except the last part, which is unchanged. So no part's key is a prefix of another
// part's, and keys sort bytewise as tuples do part by part.

// AppendInt appends part i of a tuple, an integer, to its key.
func (t Type) AppendInt(key []byte, i int, x int64) []byte {
	p := &t.Parts[i]
	u := uint64(x)
	w := p.keyWidth()
	if p.signed() {
		u ^= 1 << (8*w - 1)
	}
	for shift := 8 * (w - 1); shift >= 0; shift -= 8 {
		key = append(key, byte(u>>shift))
	}
	return key
}

// AppendBytes appends part i of a tuple, bytes, to its key. Parts of fixed width
// must have it.
func (t Type) AppendBytes(key []byte, i int, b []byte) []byte {
	if t.Parts[i].bytesWidth() >= 0 || i == len(t.Parts)-1 {
		return append(key, b...)
	}
	for {
		at := bytes.IndexByte(b, 0)
		if at < 0 {
			break
		}
		key = append(append(key, b[:at+1]...), 1)
		b = b[at+1:]
	}
	return append(append(key, b...), 0, 0)
}

// Value is one part of a tuple.
type Value struct {
	Int   int64
	Bytes []byte // aliases the key if possible
}

// Split appends the parts of a tuple to values, and reports whether key is the
// key of one.
func (t Type) Split(values []Value, key []byte) ([]Value, bool) {
	for i := range t.Parts {
		p := &t.Parts[i]
		if p.Integer() {
			w := p.keyWidth()
			if len(key) < w {
				return values, false
			}
			u := uint64(0)
			for _, b := range key[:w] {
				u = u<<8 | uint64(b)
			}
			if p.signed() {
				// Flip the sign bit back, and extend the sign.
				u = uint64(int64((u^1<<(8*w-1))<<(64-8*w)) >> (64 - 8*w))
			}
			values, key = append(values, Value{Int: int64(u)}), key[w:]
			continue
		}
		if w := p.bytesWidth(); w >= 0 {
			if len(key) < w {
				return values, false
			}
			values, key = append(values, Value{Bytes: key[:w]}), key[w:]
			continue
		}
		if i == len(t.Parts)-1 {
			return append(values, Value{Bytes: key}), true
		}
		b, rest, ok := unescape(key)
		if !ok {
			return values, false
		}
		values, key = append(values, Value{Bytes: b}), rest
	}
	return values, len(key) == 0
}

func unescape(key []byte) (b, rest []byte, ok bool) {
	copied := false
	for from := key; ; {
		at := bytes.IndexByte(from, 0)
		if at < 0 || at+1 == len(from) || from[at+1] > 1 {
			return nil, nil, false
		}
		end := from[at+1] == 0
		switch {
		case end && !copied:
			return from[:at], from[at+2:], true
		case end:
			return append(b, from[:at]...), from[at+2:], true
		}
		b, copied = append(b, from[:at+1]...), true
		from = from[at+2:]
	}
}

// keyWidth is the number of bytes of an integer in a key.
func (t *Type) keyWidth() int {
	switch t.Kind {
	case Plain:
		return t.width
	case Date32:
		return 4
	}
	return 8
}

func (t *Type) signed() bool { return t.Kind != Plain || t.Base[0] == 'i' }
