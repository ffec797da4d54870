// This file has functors of statements: variables, branches, loops.

//lint:file-ignore SA4011,ST1015 functors may have such statements

package constructs

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Relax lowers the distance of an edge's target.
//
//foray:functor
type Relax struct {
	Dist []float32 // of every vertex
	Most float32
}

// Edge lets the target through if its distance got smaller.
func (r *Relax) Edge(e traverse.Edge) bool {
	d := r.Dist[e.Source] + e.Weight
	return d < r.Most && d < atomics.Min(&r.Dist[e.Target], d)
}

// Locals declares and assigns variables in all ways.
//
//foray:functor
type Locals struct {
	X    []int64
	Y    []uint32
	A, B int64
	On   bool
}

// Vertex returns a mixture.
func (r *Locals) Vertex(v traverse.Vertex) int64 {
	a, b := r.A, r.B
	a, b = b, a+b
	var c, d int64
	var f = r.X[v.ID]
	var on bool
	e := a
	a++
	c += e*2 - a
	d--
	d -= b
	d *= 3
	c ^= d
	c |= 5
	c &= f
	c &^= 2
	c <<= 3
	d >>= 1
	var _, g = b, c
	{
		a := g
		a += 7
		c += a
	}
	on = r.On != (c > d)
	if on == r.On {
		r.X[v.ID] += a
		r.X[v.ID]--
		r.X[v.ID], b = b, r.X[v.ID]
	}
	x := int(v.ID)
	r.Y[v.ID], r.Y[x] = r.Y[x]+1, r.Y[v.ID]^9
	const half = 0.5
	const many = 1 << 40
	return a + b*c - d + many*int64(half*4)
}

// Branches has ifs of all forms.
//
//foray:functor
type Branches struct {
	X    []int32
	P    []uint32 // indices, some of them wrong
	Some int32
}

const (
	debug = false
	first = iota * 10
	second
	third
)

// Edge lets some targets through.
//
//foray:disjoint
func (r *Branches) Edge(e traverse.Edge) bool {
	if debug {
		r.X[0] = 1
	}
	if x := r.X[e.Source]; x > r.Some {
		r.X[e.Target]++
	} else if y := x * 2; y == r.Some && e.Level > 1 {
		r.X[e.Target] -= y
		return true
	} else {
		r.X[e.Source] = y
	}
	if p := r.P[e.Target]; int(p) < len(r.X) && r.X[p] > 0 || !(r.Some < 0) && e.Source < e.Target {
		return r.Some == 0 || r.X[e.Source] != r.X[e.Target]
	}
	switch x := r.X[e.Source] % 7; x {
	case 1, 2:
		r.X[e.Target] = second
	case 3:
		if r.Some > 2 {
			break
		}
		r.X[e.Target] = third
		return true
	default:
		r.X[e.Target]++
	case r.Some, r.X[e.Target], 10 / r.Some:
		return false
	}
	switch {
	case r.Some > 4:
		return r.X[e.Target] > first
	case r.Some < -4 && r.X[e.Source] > 1:
	}
	return e.Source == 3
}

// Loops has loops of all forms.
//
//foray:functor
type Loops struct {
	X    []int64
	Y    []uint32
	N    int32
	From uint32
}

// Vertex returns a number that depends on all of them.
//
//foray:disjoint
func (r *Loops) Vertex(v traverse.Vertex) uint64 {
	var sum uint64
	for i := 0; i < 5; i++ {
		sum = sum*31 + uint64(i)
	}
	n := r.N & 15
	for i := n; i > 0; i -= 2 {
		if i == 6 {
			continue
		}
		sum += uint64(i)
		if sum%5 == 1 {
			break
		}
	}
	for i := range n {
		sum ^= uint64(i) << 3
	}
	for range 3 {
		sum *= 5
	}
	for i := range r.X {
		if r.X[i] < 0 {
			continue
		}
		sum += uint64(i)
	}
	for _, x := range r.X {
		sum += uint64(x)
	}
	var i int
	for i = range 4 {
		i += 2
		sum += uint64(i)
	}
	sum += uint64(i)
	for i, y := range r.Y {
		i *= 2
		y++
		sum += uint64(i) ^ uint64(y)
	}
	var y uint32
	for i, y = range r.Y {
		sum += uint64(i)
	}
	sum += uint64(y)
outer:
	for i := int64(0); i <= 6; i += 3 {
		for j := r.From % 8; 9 > j && sum%11 != 0; j++ {
			switch sum % 9 {
			case 1:
				continue outer
			case 2:
				break outer
			case 3:
				break
			case 4:
				continue
			}
			sum += uint64(j)*7 + uint64(i)
		}
	}
	k := 0
	for ; k < len(r.X); k++ {
		r.X[k] += int64(k)
	}
	for i := uint32(k); i >= 2; i-- {
		sum = sum<<1 | sum>>63
	}
	return sum
}

// Bounds has a loop whose bound is read again in each round.
//
//foray:functor
type Bounds struct {
	Offsets []uint32
	X       []int32
}

// Vertex returns the sum of a part of X.
func (r *Bounds) Vertex(v traverse.Vertex) int64 {
	var sum int64
	for i := r.Offsets[v.ID]; i < r.Offsets[v.ID+1]; i++ {
		if i > 40 {
			break
		}
		sum += int64(r.X[i])
	}
	return sum
}

// Nothing is there for its effects.
//
//foray:functor
type Nothing struct{ X []uint32 }

// Edge counts.
//
//foray:disjoint
func (r Nothing) Edge(e traverse.Edge) {
	if e.Weight != e.Weight {
		return
	}
	if e.Index > 3 {
		atomics.Add(&r.X[e.Target], 1)
	} else if e.ID == 5 {
		r.X[e.Source]++
		return
	}
	_ = r.X[e.Source]
}

// Arrays uses local arrays.
//
//foray:functor
type Arrays struct {
	Key  []uint32
	Sum  []float64
	Best []int64
	At   uint64
}

// Vertex sorts the keys of five vertices, and counts remainders.
//
//foray:disjoint
func (a *Arrays) Vertex(v traverse.Vertex) float64 {
	var keys [5]uint32
	counts := [4]int64{1, 3: 7}
	for i := range keys {
		keys[i] = a.Key[(v.ID+uint32(i))%8]
		counts[keys[i]%4]++
		for j := i; j > 0; j-- {
			if keys[j-1] <= keys[j] {
				break
			}
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	var total float64
	for i, n := range counts {
		var parts [2]float64 // zero in each round
		parts[i%2] += float64(n)
		parts[(i+1)%2] -= a.Sum[v.ID]
		total += parts[0] * parts[1]
	}
	a.Best[v.ID] = counts[a.At%5] + middle(keys[0], keys[2], keys[len(keys)-1])
	return total
}

func middle(x, y, z uint32) int64 {
	all := [...]uint32{x, y, z}
	best := all[0]
	for _, w := range all {
		best = max(best, w)
	}
	return int64(best)
}
