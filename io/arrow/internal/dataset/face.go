// This file holds what package arrow hands to package graphar, which reads with it and with this package.

package dataset

// Face is set by package arrow, whose types have fields that other packages can't set.
var Face struct {
	// Shown makes an error one that callers of package arrow know.
	Shown func(*error)
	// Properties returns the *arrow.Properties of properties; nil for nil.
	Properties func(*VertexProperties) any
}
