// This file holds the checks that every batch of edges goes through before it
// is added, by the Builder and by TwoPass.

package graph

import (
	"fmt"
	"math"
	"unsafe"
)

// intake is what is known of the edges added so far. The owner's lock guards
// it, except for o and maxVertices, which don't change.
type intake struct {
	o           Options
	maxVertices uint64 // NoVertex; tests lower it
	typed       bool
	typ         IDType
	logical     string
	edges       uint64
	vertices    uint64 // ids given as vertices, not as ends of edges
	weights     WeightType
	inexact     bool   // float32 can't represent some weight
	wideIDs     bool   // some edge id is 2^32 or more, where a device might build without weights
	lo, hi      uint64 // the range of ordered keys, where items() > 0
	limit       uint64 // of memory, and its source; 0 while unknown
	limitName   string
	pace        *pacer
}

func newIntake(o Options) intake {
	return intake{o: o, maxVertices: uint64(NoVertex), pace: newPacer(o.MemoryLimit)}
}

// items returns how many edges and vertices were given.
func (in *intake) items() uint64 { return in.edges + in.vertices }

// errChanged: the second read of TwoPass had an id or an edge that the first
// had not.
var errChanged = fmt.Errorf("%w: the two reads of TwoPass gave different edges", ErrMalformed)

// idTypeOf returns the IDType of T.
func idTypeOf[T Integer]() IDType {
	var zero T
	t := Int64
	switch unsafe.Sizeof(zero) {
	case 4:
		t = Int32
	case 2:
		t = Int16
	case 1:
		t = Int8
	}
	if ^zero > 0 {
		t += Uint64
	}
	return t
}

// bits returns the width of an integer type.
func (t IDType) bits() uint { return 64 >> (t % Uint64) }

// orderedKey returns a number that sorts unsigned as the id does in its type.
// Ids differ in their low 32 bits just as their keys do.
func (t IDType) orderedKey(id int64) uint64 {
	if t.Signed() {
		return uint64(id) ^ 1<<63
	}
	return uint64(id)
}

// idOf is the inverse of orderedKey.
func (t IDType) idOf(key uint64) int64 {
	if t.Signed() {
		return int64(key ^ 1<<63)
	}
	return int64(key)
}

// formatKey returns the id with that ordered key as text.
func (t IDType) formatKey(key uint64) string {
	if t.Signed() {
		return fmt.Sprint(t.idOf(key))
	}
	return fmt.Sprint(key)
}

// extras are what the edges of a batch have besides their ends.
type extras struct {
	weights []float32 // or, once they were weighed, rounded
	ints    []int64
	floats  []float64
	edgeIDs []uint64
	typ     WeightType // of the weights, once they were weighed
	inexact bool       // float32 doesn't hold them all
}

// part returns those of edges lo to hi-1.
func (x extras) part(lo, hi int) extras {
	if x.weights != nil {
		x.weights = x.weights[lo:hi]
	}
	if x.ints != nil {
		x.ints = x.ints[lo:hi]
	}
	if x.floats != nil {
		x.floats = x.floats[lo:hi]
	}
	if x.edgeIDs != nil {
		x.edgeIDs = x.edgeIDs[lo:hi]
	}
	return x
}

// wanted returns what of it the graph keeps.
func (in *intake) wanted(x extras) extras {
	if !in.o.Weights {
		x.weights, x.ints, x.floats = nil, nil, nil
	}
	if !in.o.EdgeIDs {
		x.edgeIDs = nil
	}
	return x
}

// hasWideIDs reports whether some edge id has more than 32 bits, where a device might build that takes less
// memory for others.
func (in *intake) hasWideIDs(x extras) bool {
	if !in.o.EdgeIDs || in.o.Weights || !in.o.onDevice() {
		return false
	}
	all := uint64(0)
	for _, id := range x.edgeIDs {
		all |= id
	}
	return all>>32 != 0
}

// checkExtras reports weights and edge ids that are missing or too few.
func (in *intake) checkExtras(edges int, x extras) error {
	switch ids := x.edgeIDs; {
	case ids == nil && len(in.o.EdgeColumns) > 0 && edges > 0:
		return fmt.Errorf("%w: Options.EdgeColumns is set, but a batch of %d edges has no columns; add a Batch that has them", ErrMalformed, edges)
	case ids == nil && in.o.EdgeIDs && edges > 0:
		return fmt.Errorf("%w: Options.EdgeIDs is set, but a batch of %d edges has no edge ids; add a Batch that has them", ErrMalformed, edges)
	case ids != nil && len(ids) != edges:
		return fmt.Errorf("%w: %d edge ids for %d edges", ErrMalformed, len(ids), edges)
	}
	if err := x.checkForm(); err != nil {
		return err
	}
	if !x.hasWeights() && (!in.o.Weights || edges == 0) {
		return nil
	}
	if !x.hasWeights() {
		return fmt.Errorf("%w: Options.Weights is set, but a batch of %d edges has no weights", ErrMalformed, edges)
	}
	if n := x.count(); n != edges {
		return fmt.Errorf("%w: %d weights for %d edges", ErrMalformed, n, edges)
	}
	if i := x.negative(&in.o); i >= 0 {
		return fmt.Errorf("%w: edge %d of a batch has a weight below 0 or NaN; leave such edges out, or change them before loading", ErrWeights, i)
	}
	return nil
}

// checkInts checks a batch of integer ids and returns the range of their
// ordered keys.
func checkInts[T Integer](in *intake, typ IDType, src, dst []T, x extras) (lo, hi uint64, err error) {
	if len(src) != len(dst) {
		return 0, 0, fmt.Errorf("%w: %d sources but %d targets", ErrMalformed, len(src), len(dst))
	}
	if err := in.checkExtras(len(src), x); err != nil || len(src) == 0 {
		return 0, 0, err
	}
	least, most := src[0], src[0]
	for i, u := range src {
		v := dst[i]
		lo, hi := min(u, v), max(u, v) // first, so that an edge waits once for the one before
		least, most = min(least, lo), max(most, hi)
	}
	return checkRange(in, typ, least, most)
}

// checkRange checks that integer ids from least to most are ids of their type,
// and returns their ordered keys.
func checkRange[T Integer](in *intake, typ IDType, least, most T) (lo, hi uint64, err error) {
	lo, hi = typ.orderedKey(int64(least)), typ.orderedKey(int64(most))
	// A widened column may hold what its type can't.
	if w := typ.bits(); w < 64 {
		first, last := uint64(0), uint64(1)<<w-1
		if typ.Signed() {
			first, last = typ.orderedKey(-1<<(w-1)), typ.orderedKey(1<<(w-1)-1)
		}
		if int64(least) < 0 && !typ.Signed() || lo < first || hi > last {
			return 0, 0, fmt.Errorf("%w: ids from %d to %d in a column of type %v", ErrIDRange, least, most, typ)
		}
	}
	if in.o.DenseIDs {
		if err := in.checkDense(typ, lo, hi); err != nil {
			return 0, 0, err
		}
	}
	return lo, hi, nil
}

// checkDense checks ids that are to be vertices, given the range of their
// ordered keys.
func (in *intake) checkDense(typ IDType, lo, hi uint64) error {
	most, remedy := in.maxVertices, "build without DenseIDs"
	if n := in.o.Vertices; n > 0 {
		most, remedy = n, "set Options.Vertices to their number"
		w := typ.bits()
		if typ.Signed() {
			w--
		}
		// Isolated vertices must have an id too.
		if w < 64 && n-1 > uint64(1)<<w-1 {
			return fmt.Errorf("%w: ids of type %v don't reach to %d, the last of %d vertices; widen them, or lower Options.Vertices",
				ErrIDRange, typ, n-1, n)
		}
	}
	zero := typ.orderedKey(0)
	if lo >= zero && hi-zero < most {
		return nil
	}
	bad := hi
	if lo < zero {
		bad = lo
	}
	return fmt.Errorf("%w: %s is not a dense id, which are 0 to %d; %s", ErrIDRange, typ.formatKey(bad), most-1, remedy)
}

// checkStrings checks a batch of strings and returns their type.
func (in *intake) checkStrings(src, dst Strings, x extras) (IDType, error) {
	if src.Len() != dst.Len() {
		return 0, fmt.Errorf("%w: %d sources but %d targets", ErrMalformed, src.Len(), dst.Len())
	}
	if src.Binary != dst.Binary {
		return 0, fmt.Errorf("%w: sources and targets are a string and a binary column", ErrIDType)
	}
	typ, err := in.checkColumn(src)
	if err == nil {
		_, err = in.checkColumn(dst)
	}
	if err == nil {
		err = in.checkExtras(src.Len(), x)
	}
	return typ, err
}

// checkColumn checks one column of strings and returns its type.
func (in *intake) checkColumn(s Strings) (IDType, error) {
	if in.o.DenseIDs {
		return 0, fmt.Errorf("%w: dense ids are integers; build without DenseIDs", ErrIDType)
	}
	if s.Binary {
		return Binary, s.check()
	}
	return String, s.check()
}

// check reports offsets that Value would panic on.
func (s Strings) check() error {
	if s.Len() == 0 {
		return nil
	}
	if s.Offsets[0] < 0 || s.Offsets[s.Len()] > int64(len(s.Data)) {
		return fmt.Errorf("%w: string offsets from %d to %d in %d bytes of data",
			ErrMalformed, s.Offsets[0], s.Offsets[s.Len()], len(s.Data))
	}
	for i := range s.Len() {
		if s.Offsets[i] > s.Offsets[i+1] {
			return fmt.Errorf("%w: string offsets descend at value %d", ErrMalformed, i)
		}
	}
	return nil
}

// intakeBatch is what note needs to know of a batch.
type intakeBatch struct {
	typ      IDType
	logical  string
	edges    int    // or
	vertices int    // of a batch of vertices
	lo, hi   uint64 // the range of ordered keys, where there are any
	wideIDs  bool   // see intake
	weights  WeightType
	inexact  bool // see intake
}

// empty reports a batch without edges and vertices. Its id type doesn't count: it may be a default.
func (e *intakeBatch) empty() bool { return e.edges == 0 && e.vertices == 0 }

// note takes a checked batch into account. The owner's lock is held.
func (in *intake) note(e intakeBatch) error {
	if e.empty() {
		return nil
	}
	if in.typed && (in.typ != e.typ || in.logical != e.logical) {
		return fmt.Errorf("%w: %s ids in a graph of %s ids; convert one of the columns", ErrIDType,
			typeName(e.typ, e.logical), typeName(in.typ, in.logical))
	}
	if !in.typed {
		if err := checkLogical(e.typ, e.logical); err != nil {
			return err
		}
	}
	in.wideIDs = in.wideIDs || e.wideIDs
	in.weights, in.inexact = mergeTypes(in.weights, e.weights), in.inexact || e.inexact
	in.typed, in.typ, in.logical = true, e.typ, e.logical
	switch {
	case in.items() == 0:
		in.lo, in.hi = e.lo, e.hi
	default:
		in.lo, in.hi = min(in.lo, e.lo), max(in.hi, e.hi)
	}
	if in.o.DenseIDs {
		in.lo = e.typ.orderedKey(0)
		if in.o.Vertices > 0 {
			in.hi = in.lo + in.o.Vertices - 1
		}
	}
	in.edges += uint64(e.edges)
	in.vertices += uint64(e.vertices)
	return nil
}

// weightKey returns a number that sorts unsigned as the weight does: -0 before
// 0, and NaN last.
func weightKey(w float32) uint32 {
	k := math.Float32bits(w)
	if w != w {
		return math.MaxUint32
	}
	if k>>31 != 0 {
		return ^k
	}
	return k | 1<<31
}

// weightOf is the inverse of weightKey.
func weightOf(k uint32) float32 {
	if k == math.MaxUint32 {
		return float32(math.NaN())
	}
	if k>>31 == 0 {
		return math.Float32frombits(^k)
	}
	return math.Float32frombits(k &^ (1 << 31))
}

// plainWeight returns w, all kinds of NaN as one, so that the graph doesn't
// depend on which of two parallel edges came first.
func plainWeight(w float32) float32 {
	if w != w {
		return float32(math.NaN())
	}
	return w
}
