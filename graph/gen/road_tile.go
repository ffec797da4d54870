// This file holds a tile of a road-like graph: 8 by 8 junctions, fewer at the
// right and lower border, the links that lead from them to the left and up,
// and the vertices along these links.

package gen

const (
	tileSide      = 8
	tileJunctions = tileSide * tileSide
	tileLinks     = 2 * tileJunctions

	// defaultRoadChain is the number of link vertices per junction: junctions are a quarter of the vertices.
	defaultRoadChain = 3
	mostRoadChain    = 32

	// One link in cutOneIn is cut: of 2 links and 3 chain vertices for each
	// junction, 4.8 edges remain for 4 vertices, which is a mean degree of 2.4.
	cutOneIn = 10
)

// tile is where a tile lies.
type tile struct {
	w, h      int // junctions
	chain     int // link vertices per junction
	even      bool
	base      uint64 // its first vertex: junctions come first, then the chains
	left, up  bool   // whether there are tiles to the left and above
	leftBase  uint64 // the first vertex of the tile to the left, whose width is tileSide
	aboveBase uint64 // the first vertex of the tile above, whose height is tileSide
}

// tileAt returns the tile in column tx and row ty.
func (g *road) tileAt(tx, ty uint64) tile {
	v := 1 + g.chain
	t := tile{
		w:    int(min(tileSide, g.jw-tx*tileSide)),
		h:    int(min(tileSide, g.jh-ty*tileSide)),
		left: tx > 0, up: ty > 0,
		chain: int(g.chain), even: g.even,
	}
	t.base = v * (ty*tileSide*g.jw + tx*tileSide*uint64(t.h))
	if t.left {
		t.leftBase = t.base - v*uint64(tileSide*t.h)
	}
	if t.up {
		t.aboveBase = v * ((ty-1)*tileSide*g.jw + tx*tileSide*tileSide)
	}
	return t
}

// links returns the number of links that lead left or up from the tile.
func (t *tile) links() int {
	n := 2 * t.w * t.h
	if !t.left {
		n -= t.h
	}
	if !t.up {
		n -= t.w
	}
	return n
}

// cuts returns the number of links that are cut.
func (t *tile) cuts() int { return (t.links() + cutOneIn/2) / cutOneIn }

// edges returns the number of edges of the tile.
func (t *tile) edges() int {
	return t.links() + t.chain*t.w*t.h - t.cuts()
}

// write writes the tile's edges and returns their number.
func (t *tile) write(s *stream, src, dst []uint32) int {
	links, junctions := t.links(), t.w*t.h
	var length [tileLinks]uint16
	var joined [mostRoadChain * tileJunctions]uint8 // the link of each chain vertex
	for i := range t.chain * junctions {
		if t.even {
			length[i%links]++
			continue
		}
		// A Pólya urn with one ball for each link and each vertex placed: a link
		// is drawn itself, or by a vertex that is on it.
		x := int(s.below(uint64(links + i)))
		if x >= links {
			x = int(joined[x-links])
		}
		joined[i] = uint8(x)
		length[x]++
	}

	n, link, cuts := 0, 0, t.cuts()
	next := uint32(t.base) + uint32(junctions) // the next chain vertex
	// lay writes the link from a to b.
	lay := func(a, b uint32) {
		edges := int(length[link]) + 1
		cut := -1
		if int(s.below(uint64(links-link))) < cuts { // so that exactly t.cuts() are cut
			cuts--
			cut = int(s.below(uint64(edges)))
		}
		link++
		for e := range edges {
			to := b
			if e < edges-1 {
				to = next
				next++
			}
			if e != cut {
				src[n], dst[n] = a, to
				n++
			}
			a = to
		}
	}
	for y := range t.h {
		for x := range t.w {
			v := uint32(t.base) + uint32(y*t.w+x)
			switch {
			case x > 0:
				lay(v, v-1)
			case t.left:
				lay(v, uint32(t.leftBase)+uint32(y*tileSide+tileSide-1))
			}
			switch {
			case y > 0:
				lay(v, v-uint32(t.w))
			case t.up:
				lay(v, uint32(t.aboveBase)+uint32((tileSide-1)*t.w+x))
			}
		}
	}
	return n
}
