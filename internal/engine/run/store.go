// This file holds the arrays that one traversal leaves to the next.

package run

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// arrayKey is what arrays of a type are kept under between traversals.
type arrayKey[T device.Elem] struct{ placed.Of[*device.Buffer[T]] }

// Kept returns have, or an array with an entry per vertex that a store keeps, or nil.
func Kept[T device.Elem](own placed.Store, p *graph.Placed, have *device.Buffer[T]) *device.Buffer[T] {
	if have != nil {
		return have
	}
	if b, ok := placed.Take(own, arrayKey[T]{}); ok && b.Len() == Numbers(p) {
		return b
	}
	return nil
}

// Array is Kept, or else a new one, with anything in it.
func Array[T device.Elem](own placed.Store, p *graph.Placed, have *device.Buffer[T]) (*device.Buffer[T], error) {
	if b := Kept(own, p, have); b != nil {
		return b, nil
	}
	return device.NewBuffer[T](Device(p), Numbers(p))
}

// Keep gives an array to the next traversal, or frees it where the store doesn't take it.
func Keep[T device.Elem](own placed.Store, b *device.Buffer[T]) error {
	if b == nil || placed.Keep(own, arrayKey[T]{}, b) {
		return nil
	}
	return b.Close()
}
