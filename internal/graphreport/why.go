// This file says in words why levels were pushed or pulled, with the numbers that the rules compared.

package graphreport

import (
	"fmt"
	"math"
	"strings"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/text"
)

// longRows is kLongRows of algos/dobfs/direction.cuh.
const longRows = 12

// number formats a number of vertices or edges, or a bound of one: all digits of a small one, so that it shows what is
// larger.
func number(x float64) string {
	switch {
	case x < 1000 && x != math.Round(x):
		return fmt.Sprintf("%.1f", x)
	case x < 10_000:
		return text.Count(int64(math.Round(x)))
	}
	return page.SI(x)
}

// many formats a number of things.
func many(x float64, noun string) string {
	if x == 1 {
		return "1 " + noun
	}
	return number(x) + strings.TrimPrefix(text.Plural(2, noun), "2")
}

// whyOf explains a choice of the rule of dobfs (algos/dobfs, switch.go).
func whyOf(c *dobfs.Choice) string {
	edges := "the frontier's " + many(c.Edges, "edge")
	share := fmt.Sprintf("1/%g of the %s that no push has looked at (%s)", c.Alpha, many(c.Unpushed, "edge"), number(c.Unpushed/c.Alpha))
	least := "the least cost of a pull, as much as of " + many(c.Least, "pushed edge")
	larger, smaller := share, least
	if c.Least >= c.Unpushed/c.Alpha {
		larger, smaller = least, share
	}
	frontier := fmt.Sprintf("%s vertices of the frontier", number(float64(c.Frontier)))
	switch {
	case c.Pulling && c.Pull && float64(c.Frontier) >= c.Stay:
		return fmt.Sprintf("Pulls continue: the %s are at least %s, the share of all vertices for a pull after a pull.", frontier, number(c.Stay))
	case c.Pulling && c.Pull:
		return fmt.Sprintf("Pulls continue: %s (by the mean degree) are at least %s.", edges, least)
	case c.Pulling:
		return fmt.Sprintf("Pushes again: the %s are fewer than %s, the share of all vertices for a pull after a pull, and %s (by the mean degree) are fewer than %s.", frontier, number(c.Stay), edges, least)
	case c.Pull:
		return fmt.Sprintf("Pulls: the frontier has %s, more than %s, and more than %s.", many(c.Edges, "edge"), larger, smaller)
	case !c.Counted:
		return fmt.Sprintf("Pushes: the frontier has at most %s, fewer than %s.", many(c.Edges, "edge"), larger)
	}
	return fmt.Sprintf("Pushes: the frontier has %s, no more than %s.", many(c.Edges, "edge"), larger)
}

// inKernel returns the turns of a search in one kernel, from its statistics. On one GPU the numbers that its rule
// compares (algos/dobfs/direction.cuh) are counted from the depths.
func (s *Search) inKernel(p *graph.Placed, oneGPU bool) (turns []turn) {
	candidates := float64(p.State().Prepare().Candidates)
	mean := float64(p.Graph().NumDirectedEdges()) / max(candidates, 1)
	visited, next := 0.0, 0
	pulled := false
	for i, x := range s.Steps {
		for ; next <= x.Depth && next < len(s.ByDepth); next++ {
			visited += float64(s.ByDepth[next].Vertices)
		}
		pull := x.Direction == "pull"
		if (i == 0 || pull != pulled) && x.Depth < len(s.ByDepth) {
			t := turn{depth: x.Depth, c: dobfs.Choice{Pull: pull}}
			f, left := s.ByDepth[x.Depth], max(candidates-visited, 0)
			edges, vertices := many(float64(f.Edges), "edge"), many(left, "vertex")
			switch {
			case !oneGPU:
				t.why = "The kernels on the GPUs chose. They keep no record of their counts."
			case pull && float64(f.Edges) > left:
				t.why = fmt.Sprintf("Pulls: the frontier has %s, more than the %s that are left to find.", edges, vertices)
			case pull:
				t.why = fmt.Sprintf("Pulls: the push before had many edges and marked what it found without a list, so a pull follows. The frontier has %s, no more than the %s left.", edges, vertices)
			case !pulled && float64(f.Edges) <= left:
				t.why = fmt.Sprintf("Pushes: the frontier has %s, no more than the %s that are left to find.", edges, vertices)
			case pulled && float64(f.Vertices)*mean*4 < left:
				t.why = fmt.Sprintf("Pushes again: four times the edges of the %s found, %s by the mean degree, are fewer than the %s left.", many(float64(f.Vertices), "vertex"), number(float64(f.Vertices)*mean*4), vertices)
			case mean >= longRows:
				t.why = fmt.Sprintf("Pushes: a pull of this search or an earlier one found few vertices, and rows are long, %.3g edges in the mean. Then a pull takes more edges in the frontier, which has %s, than the %s left have.", mean, edges, vertices)
			default:
				t.why = fmt.Sprintf("The kernel chose, by counts of its own: the frontier has %s, and %s are left to find.", edges, vertices)
			}
			turns = append(turns, t)
		}
		pulled = pull
	}
	return turns
}
