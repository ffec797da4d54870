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
}

// newRoad returns a road-like graph of w*h vertices: flat, of mean degree 2.4, of
// degree 4 at most, and thousands of levels deep. It is made like this:
//
//  1. One vertex in four is a junction; the junctions are a lattice of w/2 by
//     h/2, each linked to its left, right, upper and lower neighbor.
//  2. The other three in four are on the links and turn them into roads,
//     chains of vertices of degree 2. The vertices of a tile of 8 by 8
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
// w and h are even and at least 4, seed selects one of 2^64 graphs. Errors
// are errSize.
func newRoad(w, h, seed uint64) (Generator, error) {
	if _, err := checkSides("road graph", w, h); err != nil {
		return nil, err
	}
	if w < 4 || h < 4 || w%2 != 0 || h%2 != 0 {
		return nil, fmt.Errorf("%w: road graph of %dx%d; sides are even and at least 4", errSize, w, h)
	}
	g := &road{w: w, h: h, jw: w / 2, jh: h / 2, seed: seed}
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
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *road) NumVertices() uint64 { return g.w * g.h }
func (g *road) NumEdges() uint64    { return g.m }

// Blocks are whole tiles, as many as surely fit.
const tilesPerBlock = BlockEdges / tileMaxEdges

func (g *road) Blocks() int {
	return int((g.tw*g.th + tilesPerBlock - 1) / tilesPerBlock)
}

func (g *road) Block(i int, src, dst []uint32) int {
	s := newStream(g.seed, keyRoad, i)
	first := uint64(i) * tilesPerBlock
	n := 0
	for t := first; t < min(first+tilesPerBlock, g.tw*g.th); t++ {
		tile := g.tileAt(t%g.tw, t/g.tw)
		n += tile.write(&s, src[n:], dst[n:])
	}
	return n
}
