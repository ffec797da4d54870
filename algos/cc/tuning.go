// This file holds the numbers that the search for components is tuned by.

package cc

// hops is how many steps up from first neighbor to first neighbor a vertex takes at most before
// its tree is looked at. On graphs by degree that is to the root, on uniform ones nearly always. On
// lattices it may be thousands, and link and climb, which shorten paths, are faster then.
const hops = 4

// looks is how many of its neighbors a root is linked to before the rest is looked at. Of a
// uniform graph of 2^20 vertices and 32,729 roots 45 vertices were outside the largest component
// then; with 5 neighbors 699.
const looks = 8

// On a GPU, where more than someTrees roots are left, and not as many as below, they are hooked in leastRounds rounds.
// Of a uniform graph of 2^20 vertices 32,729 roots are left, and 3,615, 753 and 693 after each round; 2,625 vertices
// are outside the largest component then, which takes the loads of 39 accesses one after the other instead of 204.
const (
	someTrees   = 4096
	leastRounds = 3
)

// Where more than one vertex in manyTrees is the root of a tree after the first step, the roots'
// neighbors don't bring most vertices together. On a road network of 4 x 10^6 vertices 448,846 are, and
// 129,082 trees are left after the roots were linked; of the uniform graph one in 32 is, and 9 trees
// are left.
const manyTrees = 20

// Graphs of no more than meshDegree edges a vertex, most of whose neighbors are near in number by a
// look at so many samples, are united by tiles first.
// Where all but one in besideShare of these have the vertex before them for a neighbor, as lattices
// have, rows of such neighbors are long. Components of a lattice took 0.25 ms on an H100 and 0.88
// without knowing it; those of a road network, where half have, would take 0.25 for 0.21.
const (
	meshDegree  = 8
	samples     = 1024
	besideShare = 16
)

// short is how many of its edges a vertex outside of the largest component is linked along by one
// thread. Most are inside after the first.
const short = 32

// On several GPUs, where trees of best neighbors end within deep steps for all vertices, and few vertices are outside
// the largest of them (internal/engine/tuning has how many), the others' edges alone are looked at, for mostRounds rounds at
// most.
const (
	deep       = 32 // kDeep of internal/unite/trees.cuh
	mostRounds = 64
)

// On several GPUs one kernel on each finds the components of an undirected graph if no row outside the largest tree is
// longer than longRow, since one warp looks at a row, and at most one edge for manyAcross vertices leads from tree to tree, since
// a list has 8 bytes for each. Otherwise steps find them.
const (
	longRow    = 1 << 16
	manyAcross = 2
)

// heard is what those who have heard something are added up as, beside names in the bits below: there are fewer than 2^32
// vertices.
const heard = 1 << 32
