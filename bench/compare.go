// This file holds the comparison of two measurements.

package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// ReadJSON reads what WriteJSON wrote. It returns ErrReport for anything else.
func ReadJSON(r io.Reader) ([]*Report, error) {
	var reports []*Report
	d := json.NewDecoder(r)
	if err := d.Decode(&reports); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
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
					if !(ms > 0) || math.IsInf(ms, 0) {
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
	OldMS, NewMS     float64 // medians over the sources
	// Ratio is the median of the sources' ratios, new by old, of the medians of their trials; Low and High bound it with
	// 95% confidence. They are 0 and +Inf where there are fewer than 6 pairs, of which no such bounds exist. Trials of a
	// source are no pairs: a machine that is slow for a second slows all of them.
	Ratio, Low, High float64
	Pairs            int
}

// Slower reports whether the new times are longer by more than a part of the old ones, with 95% confidence that they are
// longer at all.
func (c *Comparison) Slower(part float64) bool { return c.Ratio > 1+part && c.Low > 1 }

// Compare pairs the results of two lists of reports by graph and algorithm, and their times by source. Results
// that only one list has are left out. It returns ErrReport where no pair is left, and where the sources of a pair
// differ, so that nothing can be compared.
func Compare(old, new []*Report) ([]Comparison, error) {
	var all []Comparison
	for _, a := range old {
		i := slices.IndexFunc(new, func(b *Report) bool { return b.Graph.Name == a.Graph.Name })
		if i < 0 {
			continue
		}
		for _, x := range a.Results {
			k := slices.IndexFunc(new[i].Results, func(y Result) bool { return y.Algorithm == x.Algorithm })
			if k < 0 {
				continue
			}
			y := new[i].Results[k]
			var ratios []float64
			for _, s := range x.Sources {
				j := slices.IndexFunc(y.Sources, func(t Source) bool { return t.ID == s.ID })
				if j < 0 {
					continue
				}
				if len(s.MS) > 0 && len(y.Sources[j].MS) > 0 {
					ratios = append(ratios, middle(y.Sources[j].MS)/middle(s.MS))
				}
			}
			if len(ratios) == 0 {
				return nil, fmt.Errorf("%w: %s, %s: the two have no source in common; measure both with the same --seed", ErrReport, a.Graph.Name, x.Algorithm)
			}
			c := Comparison{Graph: a.Graph.Name, Algorithm: x.Algorithm, OldMS: x.MedianMS, NewMS: y.MedianMS, Pairs: len(ratios)}
			c.Ratio, c.Low, c.High = medianBounds(ratios)
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no graph and algorithm is in both", ErrReport)
	}
	return all, nil
}

// middle returns the median.
func middle(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
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
