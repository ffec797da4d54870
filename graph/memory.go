// This file estimates the memory of building, and refuses to exceed the limit.

package graph

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/internal/osmem/rlimit"
	"github.com/foray-graph/foray/internal/text"
)

// Memory is an estimate of the memory of building, in bytes.
type Memory struct {
	Graph   uint64 // the finished graph: CSR, reverse, weights, edge ids
	IDs     uint64 // the id map
	Peak    uint64 // the most that a Builder holds at one time, both included, but for rows that are on a device
	TwoPass uint64 // the most that TwoPass holds at one time, both included
	// Device is the memory of Options.Device that building needs, if that is a GPU. With more free
	// memory it takes up to twice as much, and edges are uploaded once instead of twice. It assumes that
	// integer ids are dense, and, without weights, that edge ids are below 2^32: larger ones take more.
	Device uint64
}

// Estimate returns, in advance, the memory for building a graph of the given number of input edges and
// vertices. meanIDBytes is the mean length of string ids, 0 for integers. It assumes that there are no
// duplicates, that integer ids are sparse, and that the garbage collector runs late. Options.Vertices,
// if set, overrides the argument.
func Estimate(o Options, inputEdges, vertices uint64, meanIDBytes float64) Memory {
	if o.DenseIDs && o.Vertices > 0 {
		vertices = o.Vertices
	}
	if o = o.withRows(); len(o.EdgeColumns) > 0 {
		o.Device = nil
	}
	l := load{o: o, edges: inputEdges, items: inputEdges, vertices: vertices, strings: meanIDBytes > 0, table: !o.DenseIDs}
	l.stringBytes = uint64(math.Ceil(meanIDBytes * float64(vertices)))
	l.held, l.columns = newColumnTable(o).held(inputEdges, o.Directed)
	return l.memory()
}

// Estimate returns the maximum memory of Build for the edges added so far. It may be called at any time.
func (b *Builder) Estimate() Memory {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.load()
	return l.memory()
}

// load describes the graph to build, as far as it matters for memory.
type load struct {
	o               Options
	edges, vertices uint64
	items           uint64 // edges, and ids given as vertices
	strings         bool
	stringBytes     uint64
	raw             bool   // edges have their ids whole
	made            bool   // a device makes the edges
	table           bool   // ids go through an idTable
	wideIDs         bool   // as intake has it
	ranked          uint64 // the range of ids that go through a bitmap, or 0
	// Columns as the Builder has them, and in the graph.
	held, columns uint64
}

// memory adds up the memory of the phases of building. Garbage of one phase may
// still be there in the next, so all of it is added.
func (l load) memory() (m Memory) {
	const (
		// An idTable doubles its slots of 8 bytes at a load of 3/4, and leaves
		// the old ones: 8/0.75 + 8/0.75 at worst just after that, and the old
		// half of each once more.
		slotBytes  = 32
		keyBytes   = 8 + 1
		refBytes   = 12 + 1
		sortBytes  = 2 * 16                // idEntry, and a second one to merge into
		orderBytes = 4 + 4 + 8 + 2         // degrees, final, ends, rowBuckets
		readBytes  = 4                     // transposing
		permBytes  = 4 + 8 + 8 + 4 + 4 + 8 // counters; given and ends; permute
	)
	n, e := l.vertices, l.edges
	entries, entryBytes, pairBytes, inBytes := 2*e, uint64(4), uint64(chunkBytes), uint64(0)
	if l.o.Directed {
		entries = e
		inBytes = 4
	}
	if l.o.Weights {
		entryBytes += 4
		pairBytes += chunkWeightBytes
	}
	if l.o.EdgeIDs {
		entryBytes += 8
		pairBytes += chunkIDBytes
	}
	csr := 8*(n+1) + entryBytes*entries
	m.Graph = csr
	if l.o.Directed && l.o.Reverse {
		m.Graph = 2 * csr
	}
	switch {
	case l.strings:
		m.IDs = 8*(n+1) + l.stringBytes
	case !l.o.DenseIDs:
		m.IDs = 8 * n
	case l.o.Order != OrderGiven:
		m.IDs = 4 * n
	}
	if l.o.Order != OrderGiven {
		m.IDs += 4 * n
	}
	if l.o.Bipartite {
		m.IDs += (n + 63) / 64 * 8
	}
	gpu := (l.o.onDevice() || l.o.shardsRows()) && (l.o.DeviceOnly || e >= tuning.DeviceEdges)
	mapping := l.ranked * 3 / 16
	if l.table || l.raw && !gpu {
		perID := uint64(slotBytes + sortBytes + keyBytes)
		if l.strings {
			perID += refBytes - keyBytes
		}
		// Blocks of strings are filled except for the last, a third at most.
		mapping += perID*n + l.stringBytes*3/2
	}
	workers := uint64(l.o.Workers)
	if l.o.Workers <= 0 {
		workers = uint64(runtime.GOMAXPROCS(0))
	}
	// Scratch memory of a worker: idBatch, pairSet, rowSorter.
	perBucket := e / uint64(bucketCount(e, int(workers)))
	scratch := workers * min(4<<20+32*(max(perBucket, minBucket)-minBucket), 64<<10+32*e)
	if l.o.EdgeIDs {
		scratch *= 2
	}
	pairs := l.pairs(workers)
	m.Peak = m.Graph + pairs
	if gpu {
		m.Peak = pairs + m.Graph/csr*8*(n+1) // entries stay there until they are fetched
		plan := placed.Plan{Pairs: e, Space: int(n), Directed: l.o.Directed, Reverse: l.o.Reverse, Weights: l.o.Weights, EdgeIDs: l.o.EdgeIDs, WideIDs: l.wideIDs, Batch: tuning.BatchPairs}
		if l.made {
			plan.Batch = 0
		}
		if devs := l.o.sharded(); devs != nil {
			plan.In, plan.Batch = l.o.Directed && l.o.Order != OrderGiven, tuning.ShardBatch
			n := len(devs.Discrete())
			m.Device = uint64(n) * plan.ShardBytes(n)
		} else {
			m.Device = plan.Bytes()
		}
	}
	if frugal(pairs) && !gpu { // there the rows have their memory before the pairs are gone
		// Rows fill at the rate at which pairs go, and the other half of them, or
		// the reverse, in steps.
		step := max(pairs/transposeWindows, min(pairs, windowEdges*pairBytes/chunkLen))
		groups := uint64(blockGroups(pairs/pairBytes, int(workers)))
		step = max(step, pairs/groups+workers*groups*blockLen*pairBytes)
		m.Peak = min(m.Peak, max(csr, pairs)+(m.Graph-csr)+step)
	}
	perNumber := uint64(0)
	if l.o.Bipartite {
		// One side may have all the vertices; provisional numbers are then twice
		// as many: degrees, final, counters and given.
		perNumber = 8 + inBytes
	}
	m.Graph += l.columns
	m.Peak += l.held + l.columns // while they are gathered
	m.Peak += m.IDs + mapping + (orderBytes+inBytes+readBytes+perNumber)*n + scratch

	perVertex := uint64(permBytes+orderBytes) + 2*inBytes + 2*perNumber
	extra := (entryBytes*entries + windows - 1) / windows // permute
	if !l.o.KeepDuplicates {
		extra = entryBytes * entries / 2 // trim
		if l.o.Directed && l.o.Reverse {
			extra *= 2
		}
	}
	m.TwoPass = m.Graph + m.IDs + mapping + extra + perVertex*n + scratch
	return m
}

// pairs returns the maximum memory of a Builder's pairs.
func (l load) pairs(workers uint64) uint64 {
	if l.made {
		return 0
	}
	pairBytes := uint64(chunkBytes)
	if l.o.Weights {
		pairBytes += chunkWeightBytes
	}
	if l.o.EdgeIDs {
		pairBytes += chunkIDBytes
	}
	if l.raw {
		pairBytes += chunkBytes
	}
	e := l.edges
	// Vertices that are given come two to a pair.
	given := e + (max(l.items, e)-e+1)/2
	chunks := (given+chunkLen-1)/chunkLen + blockLen + workers*uint64(2*bucketCount(e, int(workers)))
	chunks += min(chunks, slabLen) // slabs double while few
	return min(chunks, 2*given+2) * pairBytes
}

// frugal reports whether building returns the memory of that many bytes of pairs
// to the system on the way.
func frugal(pairs uint64) bool { return pages.Works && pairs >= frugalBytes }

// load describes the edges added so far. The caller holds b.mu.
func (b *Builder) load() load {
	l := load{o: b.o, edges: b.edges, items: b.items(), strings: b.typed && !b.typ.Integer(), wideIDs: b.wideIDs}
	l.held, l.columns = b.columns.held(b.edges, b.o.Directed)
	if l.items == 0 {
		l.vertices = b.o.Vertices
		return l
	}
	if b.raw {
		l.raw = true
		l.vertices = min(2*b.edges+b.vertices, uint64(1.05*b.counted.count())+b.uncounted)
		return l
	}
	if b.table != nil {
		l.table = true
		l.vertices, l.stringBytes = b.table.count()
	}
	span := b.hi - b.lo + 1
	switch {
	case b.o.DenseIDs:
		l.vertices = span
		return l
	case l.strings:
		return l
	case b.directly(span):
	case span/rankedSpan <= l.items && b.table == nil:
		l.ranked = span
	default:
		l.table = true
	}
	// Distinct ids that came by their low 32 bits: no more than their range,
	// than two an edge, and than were counted and may not have been.
	counted := uint64(1.05*b.counted.count()) + b.uncounted
	l.vertices += min(span, 2*b.edges+b.vertices, counted)
	return l
}

// checkMemory returns an error if the edges added so far can't be built. The
// caller holds b.mu.
func (b *Builder) checkMemory() error {
	b.check = b.items() + max(b.items()/16, 1<<16)
	l := b.load()
	return b.refuse(l, l.memory().Peak)
}

// refuse returns an error if need exceeds the limit.
func (in *intake) refuse(l load, need uint64) error {
	if in.limit == 0 {
		in.limit, in.limitName = in.o.MemoryLimit, "Options.MemoryLimit"
		if in.limit == 0 {
			in.limit, in.limitName = memoryLimit()
		}
	}
	in.pace.look()
	need += in.o.Held
	if need <= in.limit {
		return nil
	}
	held := ""
	if in.o.Held > 0 {
		held = fmt.Sprintf(" (%s of it while they are read)", text.Bytes(in.o.Held))
	}
	vertices := "" // not known of edges that are only counted
	if l.vertices > 0 {
		vertices = fmt.Sprintf(" and about %d vertices", l.vertices)
	}
	return fmt.Errorf("%w: %d edges%s need %s to build%s, but the limit is %s (%s); %s", errMemory,
		l.edges, vertices, text.Bytes(need), held, text.Bytes(in.limit), in.limitName, l.remedy(need-in.o.Held, in.limit, in.o.Held))
}

// CheckMemory returns device.ErrMemory if need, in bytes, exceeds the limit, as building
// does. A limit of 0 means the memory that the machine, its control group and
// GOMEMLIMIT leave. It is for code that loads a graph without building it.
func CheckMemory(need, limit uint64) error {
	name := "as was asked for"
	if limit == 0 {
		limit, name = memoryLimit()
	}
	if need <= limit {
		return nil
	}
	return fmt.Errorf("%w: it takes %s, but the limit is %s (%s)", errMemory, text.Bytes(need), text.Bytes(limit), name)
}

// remedy names options with which building stays within the limit, given that held bytes are in use. If no
// options do, it names those that take least, if that is less than need. need doesn't include held.
func (l load) remedy(need, limit, held uint64) string {
	m, given := l.memory(), l.given()
	type way struct {
		name  string
		bytes uint64
	}
	ways := []way{{"TwoPass", m.TwoPass}, {"OrderGiven", given.Peak}, {"TwoPass with OrderGiven", given.TwoPass}}
	if need == m.TwoPass {
		ways = []way{{"a Builder", m.Peak}, {"TwoPass with OrderGiven", given.TwoPass}, {"a Builder with OrderGiven", given.Peak}}
	}
	least := ways[0]
	for _, w := range ways {
		if w.bytes+held <= limit {
			return fmt.Sprintf("%s needs %s for them", w.name, text.Bytes(w.bytes+held))
		}
		if w.bytes <= least.bytes {
			least = w
		}
	}
	s, less := "neither TwoPass nor OrderGiven makes it less", "but leaving out Reverse and Weights does"
	if least.bytes < need {
		s, less = fmt.Sprintf("even %s needs %s", least.name, text.Bytes(least.bytes+held)), "and less without Reverse and Weights"
	}
	if l.o.Directed && l.o.Reverse || l.o.Weights {
		s += ", " + less
	}
	return s
}

// given returns the memory for the same with OrderGiven.
func (l load) given() Memory {
	l.o.Order = OrderGiven
	return l.memory()
}

// memoryLimit returns the memory that building may take, and the name of the
// limit: the least of the machine's free memory, and of the memory that the
// program's cgroup, its ulimit and runtime/debug's memory limit (GOMEMLIMIT)
// leave. Without any of them there is no limit.
func memoryLimit() (bytes uint64, name string) {
	bytes, name = machineMemory()
	if left, limit, ok := rlimit.Left(); ok && left < bytes {
		bytes, name = left, limit
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(used)
		left := max(limit-int64(used[0].Value.Uint64()-used[1].Value.Uint64()), 1)
		if uint64(left) < bytes {
			bytes, name = uint64(left), "what GOMEMLIMIT leaves"
		}
	}
	return bytes, name
}
