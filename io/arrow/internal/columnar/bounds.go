// This file holds Bounds, between which the values of a column lie.

package columnar

// Scalar is one value: the field that its column's Class is compared in.
type Scalar struct {
	Int    int64
	Double float64
	Bytes  []byte
}

// Bounds are what is known of a run of values. The zero value knows nothing.
type Bounds struct {
	HasMin, HasMax bool
	Min, Max       Scalar // no value is less, or more; they needn't occur
}

// Exactly returns the bounds of values that are all alike.
func Exactly(s Scalar) Bounds { return Bounds{HasMin: true, HasMax: true, Min: s, Max: s} }
