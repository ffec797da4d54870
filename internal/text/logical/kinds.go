// This file holds ids of vertices of several kinds.

package logical

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxParts bounds the parts of a tuple, and maxName the length of a name: both come from
// files.
const (
	maxParts = 64
	maxName  = 4096
)

// MaxKinds is how many kinds vertices have at most: one is a byte of a key.
const MaxKinds = 256

// The key of an id of a kind is the kind's place among the names, a byte, then the id
// as the only part of a tuple. So keys sort by the kinds' names, then by id.

// NewKinds returns the type of ids of kinds with the names and types, one of each a
// kind. A name that comes twice must have one type.
func NewKinds(names []string, types []Type) (Type, error) {
	t := Type{Kind: Kinds}
	for i, name := range names {
		if !KindName(name) {
			return t, fmt.Errorf("%.100q can't name a kind: use letters, digits, _, - and dots", name)
		}
		if types[i].Kind == Tuple || types[i].Kind == Kinds {
			return t, fmt.Errorf("ids of kind %.100q are of several columns; with kinds they are of one", name)
		}
		at, ok := slices.BinarySearch(t.Names, name)
		switch {
		case !ok:
			t.Names, t.Parts = slices.Insert(t.Names, at, name), slices.Insert(t.Parts, at, types[i])
		case t.Parts[at].String() != types[i].String():
			return t, fmt.Errorf("ids of kind %.100q are both %v and %v", name, t.Parts[at], types[i])
		}
	}
	if n := len(t.Names); n > MaxKinds {
		return t, fmt.Errorf("there are %d kinds of vertices; at most %d can be", n, MaxKinds)
	}
	if n := len(t.String()); n > maxName {
		return t, fmt.Errorf("the names of the kinds take %d bytes with their types; at most %d can be", n, maxName)
	}
	return t, nil
}

// KindName reports whether a kind can have the name.
func KindName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r) || r == unicode.ReplacementChar
	})
}

// parseKinds reads what stands in the brackets of a name.
func parseKinds(in string) (Type, error) {
	var names []string
	var types []Type
	for _, s := range splitParts(in) {
		name, of, _ := strings.Cut(s, ":")
		p, err := parse(of, true)
		if err != nil {
			return Type{}, err
		}
		names, types = append(names, name), append(types, p)
	}
	t, err := NewKinds(names, types)
	if err == nil && !slices.Equal(t.Names, names) {
		err = fmt.Errorf("no logical type: the kinds %.100q don't ascend", names)
	}
	return t, err
}

// FindKind returns the place of a kind among the names.
func (t Type) FindKind(name string) (k int, ok bool) { return slices.BinarySearch(t.Names, name) }

// AppendKind appends the id of a vertex of kind k to a key.
func (t Type) AppendKind(key []byte, k int, id Value) []byte {
	key = append(key, byte(k))
	of := Type{Kind: Tuple, Parts: t.Parts[k : k+1]}
	if of.Parts[0].Integer() {
		return of.AppendInt(key, 0, id.Int)
	}
	return of.AppendBytes(key, 0, id.Bytes)
}

// SplitKind returns the kind and the id of a key, and reports whether it is the key
// of one.
func (t Type) SplitKind(key []byte) (k int, id Value, ok bool) {
	if len(key) == 0 || int(key[0]) >= len(t.Parts) {
		return 0, id, false
	}
	k = int(key[0])
	var one [1]Value
	values, ok := Type{Kind: Tuple, Parts: t.Parts[k : k+1]}.Split(one[:0], key[1:])
	if !ok {
		return 0, id, false
	}
	return k, values[0], true
}

// parseKind reads KIND:ID.
func (t Type) parseKind(text string) ([]byte, error) {
	name, rest, ok := strings.Cut(text, ":")
	if !ok {
		return nil, fmt.Errorf("want KIND:ID, such as %s:%s; the kinds are %s", t.Names[0], text, strings.Join(t.Names, ", "))
	}
	k, ok := t.FindKind(name)
	if !ok {
		return nil, fmt.Errorf("there is no kind %.100q; want KIND:ID, the kinds are %s", name, strings.Join(t.Names, ", "))
	}
	p := &t.Parts[k]
	var id Value
	var err error
	if p.Integer() {
		id.Int, err = p.ParseInt(rest)
	} else {
		id.Bytes, err = p.ParseBytes(rest)
	}
	if err != nil {
		return nil, fmt.Errorf("ids of kind %s are of type %v: %w", name, p, err)
	}
	return t.AppendKind(nil, k, id), nil
}
