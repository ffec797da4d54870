// This file holds road-like graphs: their size and blocks. What a tile of
// them looks like is in road_tile.go.

package gen

import "fmt"

type road struct {
	unweighted
	w, h   uint64 // vertices
	jw, jh uint64 // junctions
	tw, th uint64 // tiles
	m      uint64
	seed   uint64
	chain  uint64 // link vertices per junction
	even   bool
}

// newRoad returns a road-like graph of w*h vertices: flat, of mean degree 2.4, of
// degree 4 at most, and thousands of levels deep. It is made like this:
//
//  1. One vertex in four is a junction; the junctions are a lattice of w/2 by
//     h/2, each linked to its left, right, upper and lower neighbor. With a chain other than 3 it is
//     one vertex in chain+1, and there are (chain+1)/4 times as many vertices.
//  2. The other three in four are on the links and turn them into roads,
//     chains of vertices of degree 2. With even all links of a tile have as many, to within one.
//     Otherwise they differ. The vertices of a tile of 8 by 8
//     junctions join the tile's links one by one, each with a probability in
//     proportion to the length in edges that the link has already (a Pólya
//     urn). This gives lengths an about geometric distribution: four links in
//     ten stay single edges, the highways that shortest paths take, and the
//     longest become roads of more than twenty vertices.
//  3. One link in ten is cut at a random place along its chain, which leaves
//     dead ends and detours.
//
// Vertices are numbered tile by tile, so neighbors usually have close ids, as
// in files of real road networks. Nearly all vertices are in one component,
// except in very narrow graphs. With 2000 by 2000 vertices, searches from 16
// random sources were 1491 to 2513 levels deep, 1973 in the median.
//
// w and h are even and at least 4, chain is from 0 to 32, seed selects one of 2^64 graphs. Errors
// are errSize and errParameter.
func newRoad(w, h, chain uint64, even bool, seed uint64) (Generator, error) {
	if _, err := checkSides("road graph", w, h); err != nil {
		return nil, err
	}
	if w < 4 || h < 4 || w%2 != 0 || h%2 != 0 {
		return nil, fmt.Errorf("%w: road graph of %dx%d; sides are even and at least 4", errSize, w, h)
	}
	if chain > mostRoadChain {
		return nil, fmt.Errorf("%w: road graph with %d vertices on links for each junction; chain is from 0 to %d", errParameter, chain, mostRoadChain)
	}
	if n := w / 2 * (h / 2); n > maxVertices/(chain+1) {
		return nil, fmt.Errorf("%w: road graph of %dx%d junctions with %d vertices each; a graph has at most %d", errSize, w/2, h/2, chain+1, maxVertices)
	}
	g := &road{w: w, h: h, jw: w / 2, jh: h / 2, seed: seed, chain: chain, even: even}
	g.tw, g.th = (g.jw+tileSide-1)/tileSide, (g.jh+tileSide-1)/tileSide
	// Tiles have the same number of edges except for those at a border.
	for _, y := range borders(g.th) {
		for _, x := range borders(g.tw) {
			t := g.tileAt(x.index, y.index)
			g.m += x.count * y.count * uint64(t.edges())
		}
	}
	return g, nil
}

type border struct{ index, count uint64 }

// borders splits 0 to n-1 into the first, the last and the ones between.
func borders(n uint64) []border {
	switch n {
	case 1:
		return []border{{0, 1}}
	case 2:
		return []border{{0, 1}, {1, 1}}
	}
	return []border{{0, 1}, {1, n - 2}, {n - 1, 1}}
}

func (g *road) Name() string {
	s := specWriter{name: "road"}
	if g.w != defaultSide || g.h != defaultSide {
		s.addBare(times([]uint64{g.w, g.h}))
	}
	s.addUnless("chain", g.chain, defaultRoadChain)
	if g.even {
		s.addBare("even")
	}
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *road) NumVertices() uint64 { return (g.chain + 1) * g.jw * g.jh }
func (g *road) NumEdges() uint64    { return g.m }

// tilesPerBlock: blocks are whole tiles, as many as surely fit. A link with a chain of c vertices has c+1 edges.
func (g *road) tilesPerBlock() uint64 { return BlockEdges / (tileLinks + g.chain*tileJunctions) }

func (g *road) Blocks() int {
	return int((g.tw*g.th + g.tilesPerBlock() - 1) / g.tilesPerBlock())
}

func (g *road) Block(i int, src, dst []uint32) int {
	s := newStream(g.seed, keyRoad, i)
	first := uint64(i) * g.tilesPerBlock()
	n := 0
	for t := first; t < min(first+g.tilesPerBlock(), g.tw*g.th); t++ {
		tile := g.tileAt(t%g.tw, t/g.tw)
		n += tile.write(&s, src[n:], dst[n:])
	}
	return n
}
