// This file holds what one traversal leaves to the next: where it is kept, and arrays.

package run

import (
	"errors"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Store keeps what traversals leave to the next one. A graph.Placed is one for all
// traversals of it, a Drawer is one of a searcher's own.
type Store interface {
	TakeScratch(key any) any
	KeepScratch(key, x any) bool
}

// arrayKey is what arrays of a type are kept under between traversals.
type arrayKey[T device.Elem] struct{}

// Kept returns have, or an array with an entry per vertex that a store keeps, or nil.
func Kept[T device.Elem](own Store, p *graph.Placed, have *device.Buffer[T]) *device.Buffer[T] {
	if have != nil {
		return have
	}
	if b, ok := own.TakeScratch(arrayKey[T]{}).(*device.Buffer[T]); ok && b.Len() == Numbers(p) {
		return b
	}
	return nil
}

// Array is Kept, or else a new one, with anything in it.
func Array[T device.Elem](own Store, p *graph.Placed, have *device.Buffer[T]) (*device.Buffer[T], error) {
	if b := Kept(own, p, have); b != nil {
		return b, nil
	}
	return device.NewBuffer[T](Device(p), Numbers(p))
}

// Keep gives an array to the next traversal, or frees it where the store doesn't take it.
func Keep[T device.Elem](own Store, b *device.Buffer[T]) error {
	if b == nil || own.KeepScratch(arrayKey[T]{}, b) {
		return nil
	}
	return b.Free()
}

// Drawer is a store of one's own.
type Drawer struct {
	mu   sync.Mutex
	kept map[any][]any
	shut bool
}

// TakeScratch returns what was kept last under the key, or nil.
func (d *Drawer) TakeScratch(key any) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	xs := d.kept[key]
	if len(xs) == 0 {
		return nil
	}
	d.kept[key] = xs[:len(xs)-1]
	return xs[len(xs)-1]
}

// KeepScratch keeps something, and reports whether it does: not after Free.
func (d *Drawer) KeepScratch(key, x any) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return false
	}
	if d.kept == nil {
		d.kept = map[any][]any{}
	}
	d.kept[key] = append(d.kept[key], x)
	return true
}

// Free frees what is kept; nothing is kept afterwards.
func (d *Drawer) Free() error {
	d.mu.Lock()
	kept := d.kept
	d.kept, d.shut = nil, true
	d.mu.Unlock()
	var errs []error
	for _, xs := range kept {
		for _, x := range xs {
			if f, ok := x.(interface{ Free() error }); ok {
				errs = append(errs, f.Free())
			}
		}
	}
	return errors.Join(errs...)
}
