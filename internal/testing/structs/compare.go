// This file compares the layout of a C++ type with that of a Go value: both as
// the list of the numbers that they are made of.

package structs

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"reflect"
	"strings"
)

// leaf is a number in a structure.
type leaf struct {
	path   string // names of fields from the outermost on, and places in arrays
	offset int64
	size   int64
	kind   string // signed, unsigned (addresses are that too), or float
}

func (l leaf) String() string {
	return fmt.Sprintf("%s (%s, %d bytes at %d)", cmp.Or(l.path, "itself"), l.kind, l.size, l.offset)
}

// plain is a path without what Go and C++ write differently.
func (l leaf) plain() string { return strings.ToLower(strings.ReplaceAll(l.path, "_", "")) }

// pads reports whether a leaf fills a hole: Go calls it _, C++ pad.
func (l leaf) pads() bool {
	name := l.path[strings.LastIndex(l.path, ".")+1:]
	name, _, _ = strings.Cut(name, "[")
	return name == "_" || name == "pad"
}

// differences lists how a C++ type and a Go value differ.
func differences(what string, cxx dwarf.Type, value any) (problems []string) {
	if cxx == nil {
		return []string{fmt.Sprintf("%s: no debug information", what)}
	}
	if most, ok := value.(atMost); ok {
		if room := int64(reflect.TypeOf(most.value).Size()); cxx.Size() > room {
			return []string{fmt.Sprintf("%s has %d bytes, more than the %d that %T has room for", what, cxx.Size(), room, most.value)}
		}
		return nil
	}
	theirs, err := ofCxx(nil, cxx, leaf{})
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", what, err)}
	}
	of := reflect.TypeOf(value)
	ours, err := ofGo(nil, of, leaf{})
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", what, err)}
	}
	what += fmt.Sprintf(" (%v, %v in Go)", cxx, of)
	if cxx.Size() != int64(of.Size()) {
		problems = append(problems, fmt.Sprintf("%s has %d bytes, and %d in Go", what, cxx.Size(), of.Size()))
	}
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(ours):
			return append(problems, fmt.Sprintf("%s: Go lacks %v", what, theirs[i]))
		case i >= len(theirs):
			return append(problems, fmt.Sprintf("%s: C++ lacks %v", what, ours[i]))
		}
		a, b := theirs[i], ours[i]
		if a.plain() != b.plain() || a.offset != b.offset || a.size != b.size || a.kind != b.kind && a.kind != "address" || a.kind == "address" && b.kind != "unsigned" {
			return append(problems, fmt.Sprintf("%s: in C++ %v, in Go %v", what, a, b)) // those after it differ too
		}
	}
	return problems
}

// ofCxx adds the leaves of a type at the place of at.
func ofCxx(all []leaf, t dwarf.Type, at leaf) (_ []leaf, err error) {
	at.size = t.Size()
	switch x := t.(type) {
	case *dwarf.QualType:
		return ofCxx(all, x.Type, at)
	case *dwarf.TypedefType:
		return ofCxx(all, x.Type, at)
	case *dwarf.StructType:
		for _, f := range x.Field {
			in := leaf{path: join(at.path, f.Name), offset: at.offset + f.ByteOffset}
			if all, err = ofCxx(all, f.Type, in); err != nil {
				return nil, err
			}
		}
		return all, nil
	case *dwarf.ArrayType:
		for i := range x.Count {
			in := leaf{path: fmt.Sprintf("%s[%d]", at.path, i), offset: at.offset + i*x.Type.Size()}
			if all, err = ofCxx(all, x.Type, in); err != nil {
				return nil, err
			}
		}
		return all, nil
	case *dwarf.PtrType:
		at.kind = "address"
	case *dwarf.UintType, *dwarf.UcharType, *dwarf.BoolType:
		at.kind = "unsigned"
	case *dwarf.IntType, *dwarf.CharType:
		at.kind = "signed"
	case *dwarf.FloatType:
		at.kind = "float"
	default:
		return nil, fmt.Errorf("%s is a %v in C++, which Go doesn't have", at.path, t)
	}
	if at.pads() {
		return all, nil
	}
	return append(all, at), nil
}

// ofGo adds the leaves of a type at the place of at.
func ofGo(all []leaf, t reflect.Type, at leaf) (_ []leaf, err error) {
	at.size = int64(t.Size())
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			in := leaf{path: join(at.path, f.Name), offset: at.offset + int64(f.Offset)}
			if all, err = ofGo(all, f.Type, in); err != nil {
				return nil, err
			}
		}
		return all, nil
	case reflect.Array:
		for i := range t.Len() {
			in := leaf{path: fmt.Sprintf("%s[%d]", at.path, i), offset: at.offset + int64(i)*int64(t.Elem().Size())}
			if all, err = ofGo(all, t.Elem(), in); err != nil {
				return nil, err
			}
		}
		return all, nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		at.kind = "unsigned"
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		at.kind = "signed"
	case reflect.Float32, reflect.Float64:
		at.kind = "float"
	default:
		return nil, fmt.Errorf("%s is a %v in Go, which kernels don't have", at.path, t)
	}
	if at.pads() {
		return all, nil
	}
	return append(all, at), nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
