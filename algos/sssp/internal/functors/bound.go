// This file holds the fields of functors that change between steps: searches keep functors and bound them again.

package functors

// Bounded is a functor of which the largest distance is set between steps.
type Bounded[T float32 | float64] interface{ Bound(most T) }

// Scaled is one that has stages, too.
type Scaled[T float32 | float64] interface{ Bound(most, scale T) }

// Bound sets the largest distance, and the stages per unit of distance.
func (f *RelaxFloat32Functor) Bound(most, scale float32) { f.most, f.scale = most, scale }

// Bound sets the largest distance, and the stages per unit of distance.
func (f *RelaxFloat64Functor) Bound(most, scale float64) { f.most, f.scale = most, scale }

// Bound sets the largest distance, and the stages per unit of distance.
func (f *RelaxDirectFloat32Functor) Bound(most, scale float32) { f.most, f.scale = most, scale }

// Bound sets the largest distance, and the stages per unit of distance.
func (f *RelaxDirectFloat64Functor) Bound(most, scale float64) { f.most, f.scale = most, scale }

// Bound sets the largest distance, and the stages per unit of distance.
func (f *RelaxWideFunctor) Bound(most, scale float64) { f.most, f.scale = most, scale }

// Bound sets the largest distance.
func (f *CutFloat32Functor) Bound(most float32) { f.most = most }

// Bound sets the largest distance.
func (f *CutFloat64Functor) Bound(most float64) { f.most = most }

// Bound sets the largest distance.
func (f *CutWholeFloat32Functor) Bound(most float32) { f.most = most }

// Bound sets the largest distance.
func (f *CutWholeFloat64Functor) Bound(most float64) { f.most = most }

// Bound sets the largest distance.
func (f *LowerFloat32Functor) Bound(most float32) { f.most = most }

// Bound sets the largest distance.
func (f *NearestFunctor) Bound(most float32) { f.most = most }

// From sets the distance from which on others may change.
func (f *HopefulFunctor) From(least float32) { f.least = least }

// Bound sets the distances that vertices stay within.
func (f *BetweenFloat32Functor) Bound(least, most float32) { f.least, f.most = least, most }
