// This file holds the numbers that the search for components is tuned by.

package cc

// hops is how many steps up from first neighbour to first neighbour a vertex takes at most before
// its tree is looked at. On graphs by degree and on uniform ones that is to the root: it takes 4
// steps on R-MAT's of 2^18 vertices, 8 on as large a uniform one. On lattices it may be
// thousands, and climb is faster then.
const hops = 8

// looks is how many of its neighbours a root is linked to before the rest is looked at. Of a
// uniform graph of 2^18 vertices and 8,132 roots 41 vertices were outside the largest component
// then.
const looks = 8

// Where more than one vertex in manyTrees is the root of a tree after the first step, the roots'
// neighbours don't bring most vertices together. On a road network of 10^6 vertices 112,184 are, and
// 33,000 trees are left after the roots were linked; of the uniform graph one in 32 is, and 2 trees
// are left.
const manyTrees = 20
