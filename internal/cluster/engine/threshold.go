// This file holds the choice of the threshold of delegates, and what parts of a
// graph take in memory, both from the degrees alone.

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/internal/text"
)

// candidates are the thresholds that are looked at: 0 and steps of about the square
// root of 2 up to the largest degree.
func candidates(most uint64) []uint64 {
	list := []uint64{0}
	for x := 1.0; ; x *= math.Sqrt2 {
		t := uint64(x)
		if t != list[len(list)-1] {
			list = append(list, t)
		}
		if t >= most {
			return list
		}
	}
}

// split is what becomes of vertices and edges at a threshold, of a rank or all ranks.
type split struct {
	threshold uint64
	delegates uint64
	edges     uint64 // that lead out of delegates
}

// splits counts vertices and edges at each threshold.
func splits(ctx context.Context, t *team, degrees []uint32, thresholds []uint64) []split {
	list := make([]split, len(thresholds))
	for i, x := range thresholds {
		list[i].threshold = x
	}
	perWorker := make([][]split, t.workers)
	t.tiles(ctx, len(degrees), tileEdges, func(w, from, to int) {
		if perWorker[w] == nil {
			perWorker[w] = make([]split, len(thresholds))
		}
		for _, d := range degrees[from:to] {
			// The last threshold that is below d.
			if i, _ := slices.BinarySearch(thresholds, uint64(d)); i > 0 {
				perWorker[w][i-1].delegates++
				perWorker[w][i-1].edges += uint64(d)
			}
		}
	})
	for _, of := range perWorker {
		for i := range of {
			list[i].delegates += of[i].delegates
			list[i].edges += of[i].edges
		}
	}
	for i := len(list) - 2; i >= 0; i-- {
		list[i].delegates += list[i+1].delegates
		list[i].edges += list[i+1].edges
	}
	return list
}

// forecast is the predicted size of a part.
type forecast struct {
	own, all split
	local    uint64 // vertices whose home the rank is
	edges    uint64 // edges out of these vertices
	total    uint64 // edges of all ranks
	ranks    uint64
	hashed   bool // ids aren't dense
	made     bool // GPUs make the rows, and keep them: no edges are here
	gpu      bool // the search is to be on GPUs
	// The prediction for intake uses the most edges that a rank reads, the edges of the largest
	// block of them, and the rank's workers.
	read, block, workers uint64
}

// intake is what edges take on their way: batches of them in lists, and the blocks that are
// read ahead and worked on.
func (f forecast) intake() uint64 {
	return min(f.read, batchesAtOnce*uint64(batchEdges))*batchBytes*batchCopies + f.blocks()
}

// blocks is the part of intake that falls with the number of workers. Of ids that aren't dense
// places wait until their homes have answered.
func (f forecast) blocks() uint64 {
	each := uint64(2)
	if f.hashed {
		each = 3
	}
	return min(f.read, (each*f.workers+2)*f.block) * blockBytes
}

// bytes is the most that building the part and searching it take together. What
// leads out of normal vertices is reckoned as nn, which takes most. Rows that GPUs
// keep are reckoned once they are to come here (Part.bring).
func (f forecast) bytes() uint64 {
	d, normal := f.all.delegates, f.edges-f.own.edges
	dd := f.all.edges/f.ranks + f.all.edges/f.ranks/4
	need := normal*(farPairBytes+farBytes) + dd*(pairBytes+nearBytes)
	if f.made {
		need = 2*f.local*f.ranks*markBytes/64 + 2*nearBytes*d // the delegates of all ranks, in two bitmaps
	}
	if f.gpu {
		need += f.local * orderBytes
	}
	need += f.local*(2*offsetBytes+stateBytes) + d*(2*offsetBytes+stateBytes+delegateBytes) + tableBytes(d)
	need += f.local * degreeBytes
	if f.hashed {
		need += f.local*(idBytes+sortBytes) + tableBytes(f.local)
	}
	if !pages.Works && !f.made { // lists stay in memory while rows are made from them
		need += normal*farPairBytes + dd*pairBytes
	}
	return need + f.ranks*f.ranks*8 + f.intake()
}

// fixed is what of intake doesn't fall with the number of ranks.
func (f forecast) fixed() uint64 {
	if f.read < batchesAtOnce*uint64(batchEdges) {
		return 0
	}
	return f.intake()
}

// cost is about how many bytes a rank sends in a search, and what else it does more of
// with more delegates, as if that were sent: bitmaps are united in every level that
// finds some, the arrays of delegates are gone through on every rank, and nn edges lead
// to vertices of other ranks. Targets are reckoned to be delegates as often as sources
// are.
func (f forecast) cost() float64 {
	normal := float64(f.total - f.all.edges)
	nn := normal
	if f.total > 0 {
		nn *= normal / float64(f.total)
	}
	ranks := float64(max(f.ranks, 2))
	if f.gpu { // which gather bitmaps of normal vertices
		return delegateOnGPU*float64(f.all.delegates) + nn/ranks
	}
	return (levelsReckoned*2/8+delegateTouched/sendingDearer)*float64(f.all.delegates) + 4*nn/ranks*(ranks-1)/ranks
}

// choose returns the threshold: the given one, or the cheapest one that fits into
// memory everywhere. If none fits, all ranks return
// the same error, which names one that lacks memory.
func choose(ctx context.Context, c comm.Comm, t *team, degrees []uint32, f forecast, o Options) (threshold, foretold uint64, err error) {
	most := []uint64{0, f.read}
	for _, d := range degrees {
		most[0] = max(most[0], uint64(d))
	}
	if err := c.Max(ctx, most); err != nil {
		return 0, 0, err
	}
	f.read = most[1]
	thresholds := []uint64{uint64(max(o.Threshold, 0))}
	if o.Threshold < 0 {
		thresholds = candidates(most[0])
	}
	own := splits(ctx, t, degrees, thresholds)
	sums := make([]uint64, 1+2*len(own))
	sums[0] = f.edges
	for i, s := range own {
		sums[1+2*i], sums[2+2*i] = s.delegates, s.edges
	}
	if err := c.Sum(ctx, sums); err != nil {
		return 0, 0, err
	}
	f.total = sums[0]
	cs := make([]forecast, len(own))
	needs := make([]uint64, len(own))
	for i, s := range own {
		cs[i] = f
		cs[i].own, cs[i].all = s, split{s.threshold, sums[1+2*i], sums[2+2*i]}
		needs[i] = cs[i].bytes()
	}
	fits, lacks, short, err := memory(ctx, c, budget{Free: o.MemoryLimit, Given: o.MemoryLimit > 0, Needs: needs, Fixed: f.fixed(), Ahead: f.blocks()})
	if err != nil {
		return 0, 0, err
	}
	best := -1
	for i := range cs {
		if fits[i] && cs[i].all.delegates < math.MaxUint32 && (best < 0 || cs[i].cost() <= cs[best].cost()) {
			best = i
		}
	}
	if best < 0 {
		if lacks < 0 {
			return 0, 0, fmt.Errorf("%w: there are 2^32 delegates or more: give a higher threshold", device.ErrMemory)
		}
		return 0, 0, &comm.Error{Rank: lacks, Err: fmt.Errorf("%w: %s", device.ErrMemory, short)}
	}
	return thresholds[best], needs[best], nil
}

// budget is a rank's report of its memory.
type budget struct {
	Host  string
	Free  uint64 // 0 if it isn't known
	Given bool   // Free is a limit for this rank alone
	Needs []uint64
	Fixed uint64 // of each need, what doesn't fall with the number of ranks: edges on their way
	Ahead uint64 // of that, what falls with the number of workers
}

// memory finds out which of several plans fit on all ranks. Ranks of one host share
// its free memory. short describes the shortage of the smallest plan, if that doesn't fit.
func memory(ctx context.Context, c comm.Comm, own budget) (fits []bool, lacks int, short string, err error) {
	own.Host, _ = os.Hostname() // ranks without a name share the free memory
	if !own.Given {
		own.Free = freeMemory()
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, -1, "", err
	}
	all, err := everywhere(ctx, c, text)
	if err != nil {
		return nil, -1, "", err
	}
	budgets := make([]budget, len(all))
	for r := range all {
		if err := json.Unmarshal(all[r], &budgets[r]); err != nil {
			return nil, -1, "", fmt.Errorf("what rank %d says of its memory: %w", r, err)
		}
	}
	fits, lacks = make([]bool, len(own.Needs)), -1
	least := uint64(math.MaxUint64)
	for i := range fits {
		rank, excess, says := shortage(budgets, i)
		if fits[i] = says == ""; !fits[i] && excess < least {
			lacks, least, short = rank, excess, says
		}
	}
	return fits, lacks, short, nil
}

// shortage returns which rank lacks memory for a plan, by how much, and a text; "" if none does.
func shortage(budgets []budget, plan int) (rank int, excess uint64, says string) {
	for r, b := range budgets {
		need, fixed, sharing, others := b.Needs[plan], b.Fixed, "", 0
		if b.Free == 0 {
			continue
		}
		if !b.Given {
			for o, x := range budgets {
				if o != r && x.Host == b.Host {
					need, fixed = need+x.Needs[plan], fixed+x.Fixed
					others++
				}
			}
			if others > 0 {
				sharing = fmt.Sprintf(" with %s on the same host %s", text.Plural(others, "rank"), b.Host)
			}
		}
		if need > b.Free && need-b.Free > excess {
			rank, excess = r, need-b.Free
			what, remedy := "that are free", "start more ranks on more hosts"
			if b.Given {
				what, remedy = "of its limit", remedy+", or raise Options.MemoryLimit"
			}
			if fixed > need/2 { // more ranks would hardly help
				remedy = text.Bytes(fixed) + " of that are for edges on their way, however many ranks there are; "
				switch {
				case b.Given:
					remedy += "raise Options.MemoryLimit"
				case others > 0:
					remedy += "start fewer ranks on this host, with more workers each"
				default:
					remedy += "free memory on this host"
				}
				if need-b.Ahead <= b.Free {
					remedy += ", or give fewer Options.Workers"
				}
			}
			says = fmt.Sprintf("it needs %s%s, more than the %s %s; %s", text.Bytes(need), sharing, text.Bytes(b.Free), what, remedy)
		}
	}
	return rank, excess, says
}

// everywhere returns the texts of all ranks on all ranks.
func everywhere(ctx context.Context, c comm.Comm, text []byte) ([][]byte, error) {
	out := make([][]byte, c.Size())
	for r := range out {
		out[r] = text
	}
	return c.Exchange(ctx, out)
}
