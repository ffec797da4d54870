// This file holds how parallel edges become one.

package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// Combine says what becomes of the weights of parallel edges where they are made one edge. Edges in both
// directions between two vertices of an undirected graph are parallel. Of edge ids the least one stays with
// CombineMin and CombineMax of those edges that have the weight, else of all.
type Combine uint8

// What becomes of the weights.
const (
	// CombineMin keeps the smallest weight, which is what shortest paths take. NaN is larger than every number.
	CombineMin Combine = iota
	// CombineMax keeps the largest weight.
	CombineMax
	// CombineSum adds the weights up, in float64 and in ascending order, so that the sum doesn't depend on
	// the order of the edges. networkx, igraph and cugraph do so where weights are amounts.
	CombineSum
	// CombineFirst keeps the weight of the edge with the least edge id: the first one where ids are numbers of
	// rows. It needs Options.EdgeIDs.
	CombineFirst
)

var combineNames = [...]string{"min", "max", "sum", "first"}

// String returns the name: min, max, sum or first.
func (c Combine) String() string {
	if int(c) < len(combineNames) {
		return combineNames[c]
	}
	return fmt.Sprintf("Combine(%d)", c)
}

// ParseCombine returns the value of that name: min, max, sum or first. Another name is ErrOptions.
func ParseCombine(name string) (Combine, error) {
	if i := slices.Index(combineNames[:], name); i >= 0 {
		return Combine(i), nil
	}
	return 0, fmt.Errorf("%w: unknown way to combine weights %q (min, max, sum or first)", ErrOptions, name)
}

// combines reports whether more has to be done with parallel edges than to keep the lightest.
func (o Options) combines() bool { return o.Weights && !o.KeepDuplicates && o.Combine != CombineMin }

// hostCombines says why a device doesn't make rows.
const hostCombines = "devices keep the smallest weight of repeated edges alone"

func (o Options) checkCombine() error {
	switch {
	case int(o.Combine) >= len(combineNames):
		return fmt.Errorf("%w: Options.Combine is %v; want CombineMin, CombineMax, CombineSum or CombineFirst", ErrOptions, o.Combine)
	case o.Combine == CombineFirst && o.Weights && !o.KeepDuplicates && !o.EdgeIDs:
		return fmt.Errorf("%w: Options.Combine is CombineFirst, which goes by edge ids; set EdgeIDs, and give edges the numbers of their rows", ErrOptions)
	case o.combines() && o.DeviceOnly:
		return fmt.Errorf("%w: Options.Combine is %v with DeviceOnly, but devices keep the smallest weight alone; leave out one of them", ErrOptions, o.Combine)
	}
	return nil
}

// all makes one entry of those of a target, which are in ascending order of weight and id.
func (c Combine) all(row cells) (weight float32, id uint64) {
	if row.weights == nil {
		c = CombineMin
	}
	k := 0 // the entry that stays
	last := len(row.targets) - 1
	switch c {
	case CombineMax:
		for k = last; k > 0 && weightKey(row.weights[k-1]) == weightKey(row.weights[last]); k-- {
		}
	case CombineFirst:
		if row.ids != nil {
			k = slices.Index(row.ids, slices.Min(row.ids))
		}
	}
	if row.weights != nil {
		weight = row.weights[k]
	}
	if row.ids != nil {
		id = row.ids[k]
	}
	if c == CombineSum {
		weight = sum(row.weights)
		if row.ids != nil {
			id = slices.Min(row.ids)
		}
	}
	return weight, id
}

// sum adds up weights in the order that they are in.
func sum(weights []float32) float32 {
	s := float64(weights[0])
	for _, w := range weights[1:] {
		s += float64(w)
	}
	return plainWeight(float32(s))
}

// combineRow makes one entry of those with the same target in a sorted row, and returns how many are left.
func combineRow(row cells, by Combine) int {
	n := 0
	for i := 0; i < len(row.targets); n++ {
		j := i + 1
		for j < len(row.targets) && row.targets[j] == row.targets[i] {
			j++
		}
		t := row.targets[i]
		weight, id := by.all(row.span(i, j))
		row.targets[n] = t
		if row.weights != nil {
			row.weights[n] = weight
		}
		if row.ids != nil {
			row.ids[n] = id
		}
		i = j
	}
	return n
}

// repeat is the weight of an edge that was there before.
type repeat struct {
	pair   uint64
	weight float32
}

// meet makes one edge of edge j of c and the one at place at.
func (s *pairSet) meet(at int, c *chunk, j int) {
	switch s.by {
	case CombineMin:
		s.lighter(at, c, j)
		return
	case CombineMax:
		if c.w == nil || s.weights == nil {
			s.lighter(at, c, j)
			return
		}
		have, new := weightKey(s.weights[at]), weightKey(c.w[j])
		if new > have || new == have && c.id != nil && c.id[j] < s.ids[at] {
			s.put(at, c, j)
		}
		return
	case CombineSum:
		if c.w != nil {
			s.repeats = append(s.repeats, repeat{s.pairs[at], c.w[j]})
		}
	}
	if c.id != nil && c.id[j] < s.ids[at] {
		s.ids[at] = c.id[j]
		if s.by == CombineFirst && c.w != nil {
			s.weights[at] = c.w[j]
		}
	}
}

// addUp adds weights of repeated edges to those that the set has.
func (s *pairSet) addUp() {
	slices.SortFunc(s.repeats, func(a, b repeat) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(weightKey(a.weight), weightKey(b.weight)))
	})
	for i := 0; i < len(s.repeats); {
		pair := s.repeats[i].pair
		at := s.find(pair)
		s.adding = s.adding[:0]
		for ; i < len(s.repeats) && s.repeats[i].pair == pair; i++ {
			s.adding = append(s.adding, s.repeats[i].weight)
		}
		k, _ := slices.BinarySearchFunc(s.adding, s.weights[at], func(a, b float32) int { return cmp.Compare(weightKey(a), weightKey(b)) })
		s.adding = slices.Insert(s.adding, k, s.weights[at])
		s.weights[at] = sum(s.adding)
	}
	s.repeats = s.repeats[:0]
}

// combine makes one entry of those that are added, which begin at entry j of delta and end before end, and
// the one that the graph has, entry i of base; see AppendOptions.Combine. It leaves it at entry j, and reports
// whether it is another than entry i.
func (by Combine) combine(delta cells, j, end int, base cells, i int) bool {
	added := delta.span(j, end)
	weight, id := by.all(added)
	if delta.weights == nil {
		by = CombineMin
	}
	switch by {
	case CombineFirst:
		return false
	case CombineSum:
		at, _ := slices.BinarySearchFunc(added.weights, base.weights[i], func(a, b float32) int { return cmp.Compare(weightKey(a), weightKey(b)) })
		weight = sum(slices.Insert(slices.Clone(added.weights), at, base.weights[i]))
		if added.ids != nil {
			id = min(id, base.ids[i])
		}
	case CombineMax:
		if a, b := weightKey(weight), weightKey(base.weights[i]); a < b || a == b && (added.ids == nil || id >= base.ids[i]) {
			return false
		}
	default:
		return delta.before(j, base, i)
	}
	added.weights[0] = weight
	if added.ids != nil {
		added.ids[0] = id
	}
	return true
}
