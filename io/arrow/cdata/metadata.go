//go:build cdata && cgo

// This file translates metadata: the number of pairs, then key and value of
// each, every one after its length; numbers are 32 bits wide, in the machine's
// order.

package cdata

// #include <stdlib.h>
// #include <string.h>
import "C"

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
)

// exportMetadata returns the metadata as memory of C's, or nil without metadata.
func exportMetadata(m arrow.Metadata) *C.char {
	if m.Len() == 0 {
		return nil
	}
	var b []byte
	number := func(n int) { b = binary.NativeEndian.AppendUint32(b, uint32(n)) }
	number(m.Len())
	for i, key := range m.Keys() {
		for _, s := range []string{key, m.Values()[i]} {
			number(len(s))
			b = append(b, s...)
		}
	}
	return (*C.char)(C.CBytes(b))
}

// importMetadata copies metadata, which doesn't say how long it is.
func importMetadata(p *C.char) (arrow.Metadata, error) {
	if p == nil {
		return arrow.Metadata{}, nil
	}
	at := unsafe.Pointer(p)
	var err error
	number := func() int {
		n := int32(binary.NativeEndian.Uint32(unsafe.Slice((*byte)(at), 4)))
		at = unsafe.Add(at, 4)
		if n < 0 && err == nil {
			err = fmt.Errorf("cdata: %w: metadata of length %d", ErrMalformed, n)
		}
		return int(n)
	}
	text := func() string {
		n := number()
		if err != nil {
			return ""
		}
		s := string(unsafe.Slice((*byte)(at), n))
		at = unsafe.Add(at, n)
		return s
	}
	var keys, values []string
	for range number() {
		keys, values = append(keys, text()), append(values, text())
		if err != nil {
			return arrow.Metadata{}, err
		}
	}
	return arrow.NewMetadata(keys, values), err
}
