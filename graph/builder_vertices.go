// This file adds vertices that need not have edges.

package graph

import "fmt"

// Side is one of the two sides of a graph with Options.Bipartite.
type Side uint8

// The sides of an edge.
const (
	Source Side = iota
	Target
)

func (s Side) String() string {
	switch s {
	case Source:
		return "source"
	case Target:
		return "target"
	}
	return fmt.Sprintf("Side(%d)", uint8(s))
}

// AddVertices adds vertices, which are isolated if no edge has them. side is their side
// if Options.Bipartite is set, else it is ignored. The slice is only read, and only
// during the call. Like edges they may come in any order, from any goroutine, before
// the edges or after them. Errors are the same as for AddInts.
//
// The id of a vertex takes as much memory as the id of an edge, and 4 more bytes until
// Build. A graph may have vertices but no edges.
func AddVertices[T Integer](b *Builder, side Side, ids []T) error {
	return addVertexInts(b, idTypeOf[T](), "", side, ids)
}

// AddVertexStrings is AddVertices for strings and binary.
func (b *Builder) AddVertexStrings(side Side, ids Strings) error {
	return b.addVertexStrings("", side, ids)
}

// checkVertexForm returns an error for a batch of vertices with fields of edges.
func (e *Batch) checkVertexForm() error {
	switch {
	case e.Dst != nil || e.DstStrings != nil || e.Weights != nil || e.EdgeIDs != nil:
		return fmt.Errorf("%w: a batch of vertices has no targets, no weights and no edge ids", ErrMalformed)
	case e.Src != nil && e.SrcStrings != nil:
		return fmt.Errorf("%w: a batch of vertices needs Src or SrcStrings, not both", ErrMalformed)
	case e.Side > Target:
		return fmt.Errorf("%w: %v is no side; want Source or Target", ErrOptions, e.Side)
	}
	return nil
}

func (b *Builder) addVertices(e Batch) error {
	if err := e.checkVertexForm(); err != nil {
		return err
	}
	switch {
	case e.SrcStrings != nil:
		return b.addVertexStrings(e.Logical, e.Side, *e.SrcStrings)
	case !e.Type.Integer():
		return fmt.Errorf("%w: a batch of type %v has integer ids", ErrIDType, e.Type)
	case e.Type == Uint64:
		return addVertexInts(b, Uint64, e.Logical, e.Side, unsigned(e.Src))
	}
	return addVertexInts(b, e.Type, e.Logical, e.Side, e.Src)
}

// checkVertices checks integer ids of vertices and returns the range of their
// ordered keys.
func checkVertices[T Integer](in *intake, typ IDType, ids []T) (lo, hi uint64, err error) {
	if len(ids) == 0 {
		return 0, 0, nil
	}
	least, most := ids[0], ids[0]
	for _, x := range ids {
		least, most = min(least, x), max(most, x)
	}
	return checkRange(in, typ, least, most)
}

func addVertexInts[T Integer](b *Builder, typ IDType, logical string, side Side, ids []T) error {
	if side > Target {
		return fmt.Errorf("%w: %v is no side; want Source or Target", ErrOptions, side)
	}
	lo, hi, err := checkVertices(&b.intake, typ, ids)
	if err != nil {
		return err
	}
	l, r, err := b.enter(intakeBatch{typ: typ, logical: logical, vertices: len(ids), lo: lo, hi: hi})
	if err != nil {
		return err
	}
	switch {
	case b.o.DenseIDs: // their range says it all
	case r == routeTable:
		err = mapVertices(l, b, typ, side, ids)
	case r == routeRaw:
		l.counted = true
		storeRawVertices(l, &b.pool, typ, ids)
	default:
		if r == routeCounted {
			l.counted = true
			countInts(&l.sketch, ids)
		}
		storeVertices(l, &b.pool, ids)
	}
	return b.leave(l, err)
}

// storeVertices appends the low 32 bits of the ids, two in a pair. A last
// single id is paired with itself.
func storeVertices[T Integer](l *lane, pool *chunkPool, ids []T) {
	for at := 0; at < len(ids); at += 2 {
		if c := l.lowVertices.tail; c == nil || c.n == chunkLen {
			l.lowVertices.append(pool.get())
		}
		c := l.lowVertices.tail
		c.pair[c.n] = pairOf(uint32(ids[at]), uint32(ids[min(at+1, len(ids)-1)]))
		c.n++
	}
}

// mapVertices puts ids into the table, which is all there is to do.
func mapVertices[T Integer](l *lane, b *Builder, typ IDType, side Side, ids []T) error {
	flip := typ.orderedKey(0)
	for at := 0; at < len(ids); {
		n := min(idBatchLen, len(ids)-at)
		l.ids.reset(n)
		for i := range n {
			l.ids.keys[i] = uint64(int64(ids[at+i])) ^ flip
		}
		if err := b.table.mapInts(&l.ids, side.sources(n), true); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// sources returns how many of n ids of this side are sources.
func (s Side) sources(n int) int {
	if s == Source {
		return n
	}
	return 0
}

func (b *Builder) addVertexStrings(logical string, side Side, ids Strings) error {
	if side > Target {
		return fmt.Errorf("%w: %v is no side; want Source or Target", ErrOptions, side)
	}
	typ, err := b.checkColumn(ids)
	if err != nil {
		return err
	}
	l, _, err := b.enter(intakeBatch{typ: typ, logical: logical, vertices: ids.Len()})
	if err != nil {
		return err
	}
	src, dst := ids, Strings{}
	if side == Target {
		src, dst = dst, src
	}
	for at := 0; at < ids.Len() && err == nil; {
		n := min(idBatchLen, ids.Len()-at)
		l.ids.reset(n)
		err = b.table.mapStrings(&l.ids, src, dst, at, at+n, true)
		at += n
	}
	return b.leave(l, err)
}

// seeVertices makes vertices of the ids that were given as such. Those of the
// table, and of the ranks, are there already.
func (b *build) seeVertices() error {
	chunks := chunksOf(b.lowVertices)
	err := b.each("", groups(len(chunks)), func(_, i int) error {
		for _, c := range group(chunks, i) {
			for _, p := range c.pair[:c.n] {
				if b.ids.direct {
					b.ids.seen.set(uint64(uint32(p>>32) - b.base))
					b.ids.seen.set(uint64(uint32(p) - b.base))
				}
			}
		}
		return nil
	})
	for _, l := range b.lowVertices {
		b.pool.putAll(l)
	}
	b.lowVertices = nil
	return err
}

// orVertices returns ErrEmpty if nothing was added. Vertices that are known only by their
// number (Options.Vertices) have ids of type Int64 unless an edge has another type.
func (in *intake) orVertices() error {
	switch {
	case in.items() > 0:
		return nil
	case in.o.Vertices == 0:
		return errNoEdge
	case !in.typed:
		in.typed, in.typ = true, Int64
	}
	in.lo = in.typ.orderedKey(0)
	in.hi = in.lo + in.o.Vertices - 1
	return nil
}
