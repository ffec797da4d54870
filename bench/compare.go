// This file holds the comparison of two measurements.

package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/foray-graph/foray/internal/text"
)

// ReadJSON reads what WriteJSON wrote. It returns ErrReport for anything else.
func ReadJSON(r io.Reader) ([]*Report, error) {
	var reports []*Report
	d := json.NewDecoder(r)
	switch err := d.Decode(&reports); {
	case err == io.EOF:
		return nil, fmt.Errorf("%w: it is empty", ErrReport)
	case err == io.ErrUnexpectedEOF:
		return nil, fmt.Errorf("%w: its end is missing", ErrReport)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrReport, text.Plainly(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: more follows the list of reports", ErrReport)
	}
	for _, r := range reports {
		if r == nil || r.Graph.Name == "" {
			return nil, fmt.Errorf("%w: a report without the name of its graph", ErrReport)
		}
		for _, x := range r.Results {
			for _, s := range x.Sources {
				for _, ms := range s.MS {
					if !(ms > 0) || ms > 1e12 {
						return nil, fmt.Errorf("%w: %s, %s, source %s: a time of %v ms", ErrReport, r.Graph.Name, x.Algorithm, s.ID, ms)
					}
				}
			}
		}
	}
	return reports, nil
}

// Comparison is one algorithm on one graph, measured twice.
type Comparison struct {
	Graph, Algorithm string
	OldMS, NewMS     float64 // medians over the pairs
	// Ratio is the median of the sources' ratios, new by old, of the medians of their trials; Low and High bound it with
	// 95% confidence. They are 0 and +Inf where there are fewer than 6 pairs, of which no such bounds exist. Trials of a
	// source are no pairs: a machine that is slow for a second slows all of them.
	//
	// An algorithm without a source has only trials, and Pairs is 0. Then Ratio is the median of the ratios of each new trial to
	// each old one, and Low and High bound it by the rank sum test, which needs 4 trials in both.
	Ratio, Low, High float64
	Pairs            int
	Trials           [2]int // old and new ones, without a source
}

// Slower reports whether the new times are longer by more than a part of the old ones, with 95% confidence that they are
// longer at all.
func (c *Comparison) Slower(part float64) bool { return c.Ratio > 1+part && c.Low > 1 }

// Enough reports whether there are enough pairs or trials for bounds.
func (c *Comparison) Enough() bool { return c.Low > 0 }

// Compare pairs the results of two lists of reports by graph and algorithm, and their times by source. Results
// that only one list has are left out, and named in missing. It returns ErrReport where no pair is left, and where the sources of a pair
// differ, so that nothing can be compared.
func Compare(old, new []*Report) (all []Comparison, missing []string, err error) {
	type key struct{ graph, algorithm string }
	results := func(list []*Report) (keys []key, of map[key]Result, err error) {
		of = map[key]Result{}
		for _, r := range list {
			for _, x := range r.Results {
				k := key{r.Graph.Name, x.Algorithm}
				if _, twice := of[k]; twice {
					return nil, nil, fmt.Errorf("%w: %s, %s is there twice; name each graph once", ErrReport, k.graph, k.algorithm)
				}
				keys, of[k] = append(keys, k), x
			}
		}
		return keys, of, nil
	}
	keys, before, err := results(old)
	if err != nil {
		return nil, nil, err
	}
	others, after, err := results(new)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range others {
		if _, ok := before[k]; !ok {
			missing = append(missing, k.graph+", "+k.algorithm)
		}
	}
	for _, k := range keys {
		y, ok := after[k]
		if !ok {
			missing = append(missing, k.graph+", "+k.algorithm)
			continue
		}
		if x := before[k]; withoutSource(x) && withoutSource(y) {
			c := Comparison{Graph: k.graph, Algorithm: k.algorithm, OldMS: middle(x.Sources[0].MS), NewMS: middle(y.Sources[0].MS), Trials: [2]int{len(x.Sources[0].MS), len(y.Sources[0].MS)}}
			c.Ratio, c.Low, c.High = shiftBounds(x.Sources[0].MS, y.Sources[0].MS)
			all = append(all, c)
			continue
		}
		times := map[string][]float64{}
		for _, s := range y.Sources {
			times[s.ID] = s.MS
		}
		var was, is, ratios []float64
		for _, s := range before[k].Sources {
			if ms := times[s.ID]; len(s.MS) > 0 && len(ms) > 0 {
				was, is = append(was, middle(s.MS)), append(is, middle(ms))
				ratios = append(ratios, is[len(is)-1]/was[len(was)-1])
			}
		}
		if len(ratios) == 0 {
			return nil, nil, fmt.Errorf("%w: %s, %s: the two have no source in common; measure both with the same --seed", ErrReport, k.graph, k.algorithm)
		}
		c := Comparison{Graph: k.graph, Algorithm: k.algorithm, OldMS: middle(was), NewMS: middle(is), Pairs: len(ratios)}
		c.Ratio, c.Low, c.High = medianBounds(ratios)
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%w: no graph and algorithm is in both", ErrReport)
	}
	return all, missing, nil
}

// withoutSource reports whether an algorithm ran without a source.
func withoutSource(r Result) bool {
	return len(r.Sources) == 1 && r.Sources[0].ID == "" && len(r.Sources[0].MS) > 0
}

// middle returns the median.
func middle(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// shiftBounds returns the median of all ratios of y to x, and the order statistics of these that contain the true ratio with
// at least 95% confidence if both are spread alike but for it: Hodges and Lehmann's estimate, and the interval that
// inverts the rank sum test of Mann and Whitney.
func shiftBounds(x, y []float64) (ratio, low, high float64) {
	var ratios []float64
	for _, a := range x {
		for _, b := range y {
			ratios = append(ratios, b/a)
		}
	}
	slices.Sort(ratios)
	k := rankSumRank(len(x), len(y))
	if k == 0 {
		return middle(ratios), 0, math.Inf(1)
	}
	return middle(ratios), ratios[k-1], ratios[len(ratios)-k]
}

// rankSumRank returns the largest k so that the statistic of the rank sum test is less than k with a probability of 2.5% at
// most; 0 for none.
func rankSumRank(n, m int) int {
	const miss = .025
	if n > 40 || m > 40 { // the normal distribution is near enough
		nm := float64(n) * float64(m)
		return max(int(nm/2-1.96*math.Sqrt(nm*float64(n+m+1)/12)), 0)
	}
	// ways[i][u]: in how many orders of i of the one and j of the other, for the present j, the statistic is u.
	ways := make([][]float64, n+1)
	for i := range ways {
		ways[i] = make([]float64, n*m+1)
		ways[i][0] = 1
	}
	for j := 1; j <= m; j++ {
		for i := 1; i <= n; i++ { // the last is of the one, which j of the other come before, or of the other
			for u := n * m; u >= 0; u-- {
				if u >= j {
					ways[i][u] += ways[i-1][u-j]
				}
			}
		}
	}
	all, sum := 0.0, 0.0
	for _, w := range ways[n] {
		all += w
	}
	for k, w := range ways[n] {
		if sum += w; sum > miss*all {
			return k
		}
	}
	return 0
}

// medianBounds returns the median, and the order statistics that contain it with at least 95% confidence: the sign test's
// interval, which assumes nothing of how values are spread.
func medianBounds(x []float64) (median, low, high float64) {
	slices.Sort(x)
	n := len(x)
	median = middle(x)
	// The k-th smallest and the k-th largest contain it, but for 2 P(B < k) with B binomial of n and 1/2.
	const miss = .05
	p, sum, k := math.Pow(.5, float64(n)), 0.0, 0
	if n > 1000 { // p is too small a number; the normal distribution is near enough
		k = int(float64(n)/2 - 1.96/2*math.Sqrt(float64(n)))
		return median, x[k-1], x[n-k]
	}
	for ; k < n/2; k++ {
		if sum += p; 2*sum > miss {
			break
		}
		p *= float64(n-k) / float64(k+1)
	}
	if k == 0 {
		return median, 0, math.Inf(1)
	}
	return median, x[k-1], x[n-k]
}

// Differences returns what differs between two lists of reports besides times. Work lists what makes the two measure
// different work, by graph: a comparison of times says nothing about the program then. Conditions lists the rest: the machine,
// the program, and how sources were drawn and timed.
func Differences(old, new []*Report) (work, conditions []string) {
	add := func(list *[]string, what string, x, y any) {
		if x == y || x == "" || y == "" { // a report of an earlier version doesn't say
			return
		}
		if s := fmt.Sprintf("%s: %v, and %v", what, x, y); !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, a := range old {
		for _, b := range new {
			if a.Graph.Name != b.Graph.Name {
				continue
			}
			of := a.Graph.Name + ", "
			add(&work, of+"vertices", a.Graph.Vertices, b.Graph.Vertices)
			add(&work, of+"edges", a.Graph.DirectedEdges, b.Graph.DirectedEdges)
			add(&work, of+"directed", a.Graph.Directed, b.Graph.Directed)
			add(&work, of+"outputs", a.computes(), b.computes())
			if what, x, y := otherReach(a, b); what != "" {
				add(&work, of+what, x, y)
			}
			add(&conditions, of+"order", a.Graph.Order, b.Graph.Order)
			add(&conditions, of+"seed", a.Seed, b.Seed)
			add(&conditions, of+"trials", a.Trials, b.Trials)
			add(&conditions, "machine", a.Hardware(), b.Hardware())
			add(&conditions, "driver", a.Driver, b.Driver)
			add(&conditions, "Go", a.GoVersion, b.GoVersion)
			if add(&conditions, "version of Foray", a.Version, b.Version); a.Version == b.Version {
				add(&conditions, "commit", a.Commit, b.Commit)
			}
		}
	}
	return work, conditions
}

// otherReach returns the first search that reached another number of vertices in the other report, and both numbers.
func otherReach(a, b *Report) (what string, x, y int) {
	for _, old := range a.Results {
		for _, new := range b.Results {
			if old.Algorithm != new.Algorithm {
				continue
			}
			for _, s := range old.Sources {
				i := slices.IndexFunc(new.Sources, func(t Source) bool { return t.ID == s.ID })
				if i >= 0 && s.Reached != new.Sources[i].Reached && s.Reached > 0 && new.Sources[i].Reached > 0 {
					return fmt.Sprintf("vertices that %s reached from %s", old.Algorithm, s.ID), s.Reached, new.Sources[i].Reached
				}
			}
		}
	}
	return "", 0, 0
}
