// This file holds the families of graphs that specs can name.

package gen

import (
	"fmt"
	"strings"
)

// defaultSide is the side of grid2d and road if the spec has no size.
const defaultSide = 2000

// family is a family of graphs that Parse knows, for help texts.
type family struct {
	Name    string // such as "road"
	Spec    string // the form of its specs, such as "road[:WxH][,seed=N]"
	Summary string // one line: what it is
}

// shape is the form of a family's size.
type shape uint8

const (
	shapeScale shape = iota // digits after the name, or scale=
	shapeN                  // one number, or n=
	shape2D                 // WxH
	shape3D                 // WxHxD
)

type kind struct {
	family
	shape   shape
	options []string // take a value
	flags   []string // take none
	make    func(a *args) (Generator, error)
}

// kinds returns the table of the families, in the order of help texts.
func kinds() []kind {
	return []kind{
		{
			family:  family{"kron", "kronS, kron:scale=S[,edgefactor=16][,a=.57,b=.19,c=.19][,seed=0]", "R-MAT of Graph500, 2^S vertices"},
			options: []string{"scale", "edgefactor", "a", "b", "c", "seed"},
			make:    makeKron,
		},
		{
			family:  family{"urand", "urandS, urand:n=N[,edgefactor=16][,seed=0]", "uniform random, 2^S or N vertices"},
			options: []string{"scale", "n", "edgefactor", "seed"},
			make:    makeUrand,
		},
		{
			family: family{"grid2d", "grid2d[:WxH][,torus]", "lattice, 5-point, 2000x2000 by default"},
			shape:  shape2D, flags: []string{"torus"},
			make: func(a *args) (Generator, error) {
				s := a.sidesOr(defaultSide, defaultSide)
				return newGrid2D(s[0], s[1], latticeOptions{Torus: a.given("torus")})
			},
		},
		{
			family: family{"grid3d", "grid3d:WxHxD[,torus]", "lattice, 7-point"},
			shape:  shape3D, flags: []string{"torus"},
			make: func(a *args) (Generator, error) {
				s := a.sidesOr()
				return newGrid3D(s[0], s[1], s[2], latticeOptions{Torus: a.given("torus")})
			},
		},
		{
			family: family{"hubs", "hubs[:WxH][,p=0.001][,degree=1000][,seed=0]", "grid2d in which a share p of the vertices have degree random edges more"},
			shape:  shape2D, options: []string{"p", "degree", "seed"},
			make: func(a *args) (Generator, error) {
				s := a.sidesOr(defaultSide, defaultSide)
				return newHubs(s[0], s[1], a.float("p", defaultHubShare), a.uint("degree", defaultHubDegree), a.uint("seed", 0))
			},
		},
		{
			family: family{"road", "road[:WxH][,chain=3][,even][,seed=0]", "road-like, 2000x2000: W*H/4 junctions, chain vertices for each; even sides"},
			shape:  shape2D, options: []string{"chain", "seed"}, flags: []string{"even"},
			make: func(a *args) (Generator, error) {
				s := a.sidesOr(defaultSide, defaultSide)
				return newRoad(s[0], s[1], a.uint("chain", defaultRoadChain), a.given("even"), a.uint("seed", 0))
			},
		},
		{
			family: family{"mesh", "mesh:WxH[,seed=0]", "dual graph of a triangle mesh, degree 3, 2*W*H vertices"},
			shape:  shape2D, options: []string{"seed"},
			make: func(a *args) (Generator, error) {
				s := a.sidesOr()
				return newMesh(s[0], s[1], a.uint("seed", 0))
			},
		},
		{
			family: family{"kkt", "kkt:WxHxD", "KKT matrix of optimal control on a box of W*H*D cells, 2 vertices a cell"},
			shape:  shape3D,
			make: func(a *args) (Generator, error) {
				s := a.sidesOr()
				return newKKT(s[0], s[1], s[2])
			},
		},
		{
			family: family{"fem", "fem:WxHxD[,dof=3]", "finite elements: W*H*D nodes of dof vertices each, in dense blocks"},
			shape:  shape3D, options: []string{"dof"},
			make: func(a *args) (Generator, error) {
				s := a.sidesOr()
				return newElements(s[0], s[1], s[2], a.uint("dof", defaultDOF))
			},
		},
		{
			family: family{"banded", "banded:n=N,band=B[,k=18][,seed=0]", "banded matrix, directed: k edges a vertex, to vertices up to B away"},
			shape:  shapeN, options: []string{"n", "k", "band", "seed"},
			make: func(a *args) (Generator, error) {
				if !a.given("band") {
					a.fail("no band; %s", a.kind.takes())
				}
				return newBanded(a.vertices(), a.positive("k", 18), a.uint("band", 1), a.uint("seed", 0))
			},
		},
		{
			family: family{"cliques", "cliques:n=N,count=C,window=W[,largest=300][,seed=0]", "C cliques of 2 to largest vertices, each within W vertices"},
			shape:  shapeN, options: []string{"n", "count", "window", "largest", "seed"},
			make: func(a *args) (Generator, error) {
				for _, key := range []string{"count", "window"} {
					if !a.given(key) {
						a.fail("no %s; %s", key, a.kind.takes())
					}
				}
				return newCliques(a.vertices(), a.uint("count", 1), a.uint("largest", defaultLargest), a.uint("window", 2), a.uint("seed", 0))
			},
		},
		{
			family: family{"web", "web:n=N[,most=2000][,chain=4][,seed=0]", "web-like, directed: hosts, popular pages, up to most links a page"},
			shape:  shapeN, options: []string{"n", "most", "chain", "seed"},
			make: func(a *args) (Generator, error) {
				return newWeb(a.vertices(), a.uint("most", defaultMost), a.uint("chain", defaultChain), a.uint("seed", 0))
			},
		},
		{
			family: family{"smallworld", "smallworld:n=N[,k=8][,p=0.1][,seed=0]", "Watts and Strogatz: a ring with k neighbors, rewired with probability p"},
			shape:  shapeN, options: []string{"n", "k", "p", "seed"},
			make: func(a *args) (Generator, error) {
				return newSmallWorld(a.vertices(), a.positive("k", 8), a.float("p", 0.1), a.uint("seed", 0))
			},
		},
		{
			family: family{"star", "star:N", "vertex 0 joined to all others"},
			shape:  shapeN, options: []string{"n"},
			make: func(a *args) (Generator, error) { return newStar(a.vertices()) },
		},
		{
			family: family{"path", "path:N", "each vertex joined to the next"},
			shape:  shapeN, options: []string{"n"},
			make: func(a *args) (Generator, error) { return newPath(a.vertices()) },
		},
		{
			family: family{"cycle", "cycle:N", "a path whose ends are joined"},
			shape:  shapeN, options: []string{"n"},
			make: func(a *args) (Generator, error) { return newCycle(a.vertices()) },
		},
	}
}

func makeKron(a *args) (Generator, error) {
	if !a.given("scale") {
		a.fail("no scale; %s", a.kind.takes())
	}
	o := rmatOptions{
		EdgeFactor: a.positive("edgefactor", defaultEdgeFactor),
		A:          a.float("a", graph500A),
		B:          a.float("b", graph500B),
		C:          a.float("c", graph500C),
		Seed:       a.uint("seed", 0),
	}
	if given := a.given("a"); given != a.given("b") || given != a.given("c") {
		a.fail("a, b and c are given together or not at all")
	} else if o.A == 0 && o.B == 0 && o.C == 0 {
		a.fail("a, b and c are all 0, so every edge would be the same")
	}
	return newRMAT(a.positive("scale", 1), o)
}

func makeUrand(a *args) (Generator, error) {
	o := uniformOptions{EdgeFactor: a.positive("edgefactor", defaultEdgeFactor), Seed: a.uint("seed", 0)}
	switch {
	case a.given("scale") && a.given("n"):
		a.fail("both a scale and n are given")
	case a.given("scale"):
		s := a.uint("scale", 0)
		if s > 31 {
			return nil, fmt.Errorf("%w: uniform graph of 2^%d vertices; the scale is from 0 to 31", errSize, s)
		}
		return newUniform(1<<s, o)
	case !a.given("n"):
		a.fail("no size; %s", a.kind.takes())
	}
	return newUniform(a.uint("n", 1), o)
}

// Usage returns the forms of specs, for help texts: two lines for each family of graphs, its form and, indented by
// four further spaces, what it is. Lines begin with two spaces.
func Usage() string {
	var b strings.Builder
	for _, k := range kinds() {
		fmt.Fprintf(&b, "  %s\n      %s\n", k.Spec, k.Summary)
	}
	return b.String()
}

// kindOf returns the family of that name, or nil.
func kindOf(name string) *kind {
	for _, k := range kinds() {
		if k.Name == name {
			return &k
		}
	}
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range kinds() {
		name := k.Name
		if k.shape == shapeScale {
			name += "S"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// sides returns how many numbers a bare size of the family has.
func (k *kind) sides() int {
	switch k.shape {
	case shapeN:
		return 1
	case shape2D:
		return 2
	case shape3D:
		return 3
	}
	return 0
}

// takes returns the syntax of the family's specs, for errors.
func (k *kind) takes() string { return "write " + k.Spec }
