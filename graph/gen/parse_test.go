// This file holds the tests of specs, and of arguments that specs and
// generators refuse.

package gen

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// Specs and the names of their generators. A name is a spec with the same name.
func TestParse(t *testing.T) {
	for spec, name := range map[string]string{
		"kron1":                               "kron1",
		"kron20":                              "kron20",
		"kron31":                              "kron31",
		"kron020":                             "kron20",
		"kron:scale=20":                       "kron20",
		"kron:seed=1,scale=20":                "kron20:seed=1",
		"kron20:seed=0,edgefactor=16":         "kron20",
		"kron20:edgefactor=8,seed=7":          "kron20:edgefactor=8,seed=7",
		"kron:scale=20,edgefactor=16,seed=1":  "kron20:seed=1",
		"kron9:a=.25,b=.25,c=.25":             "kron9:a=0.25,b=0.25,c=0.25",
		"kron9:a=0.57,b=0.19,c=0.19":          "kron9",
		"kron9:a=1,b=0,c=0":                   "kron9:a=1,b=0,c=0",
		"urand20":                             "urand20",
		"urand0":                              "urand:n=1",
		"urand:scale=20":                      "urand20",
		"urand:n=1048576":                     "urand20",
		"urand:n=1000000,edgefactor=4,seed=2": "urand:n=1000000,edgefactor=4,seed=2",
		"grid2d":                              "grid2d",
		"grid2d:2000x2000":                    "grid2d",
		"grid2d:torus":                        "grid2d:torus",
		"grid2d:torus,3x4":                    "grid2d:3x4,torus",
		"grid2d:2000x1":                       "grid2d:2000x1",
		"grid3d:100x100x100":                  "grid3d:100x100x100",
		"grid3d:2000x2000x3,torus":            "grid3d:2000x2000x3,torus",
		"hubs":                                "hubs",
		"hubs:2000x2000,p=.001,degree=1000":   "hubs",
		"hubs:40x30,degree=9":                 "hubs:40x30,degree=9",
		"hubs:seed=2,p=1e-3,40x30,degree=9":   "hubs:40x30,degree=9,seed=2",
		"hubs:40x30,p=1,degree=1199":          "hubs:40x30,p=1,degree=1199",
		"road":                                "road",
		"road:2000x2000":                      "road",
		"road:seed=3":                         "road:seed=3",
		"road:400x200,seed=3":                 "road:400x200,seed=3",
		"road:even,chain=12,400x200":          "road:400x200,chain=12,even",
		"road:chain=3":                        "road",
		"mesh:300x200":                        "mesh:300x200",
		"mesh:300x200,seed=4":                 "mesh:300x200,seed=4",
		"kkt:30x20x10":                        "kkt:30x20x10",
		"fem:30x20x10,dof=3":                  "fem:30x20x10",
		"fem:dof=1,30x20x10":                  "fem:30x20x10,dof=1",
		"banded:1000,band=20":                 "banded:n=1000,k=18,band=20",
		"banded:n=1000,k=3,band=20,seed=1":    "banded:n=1000,k=3,band=20,seed=1",
		"cliques:1000,count=9,window=400":     "cliques:n=1000,count=9,window=400",
		"cliques:n=1000,count=9,largest=30,window=400,seed=2": "cliques:n=1000,count=9,largest=30,window=400,seed=2",
		"web:2000":                                 "web:n=2000",
		"web:n=2000,most=50,chain=3,seed=1":        "web:n=2000,most=50,chain=3,seed=1",
		"smallworld:n=1000000,k=8,p=0.1":           "smallworld:n=1000000,k=8,p=0.1",
		"smallworld:1000,p=1e-7,seed=9":            "smallworld:n=1000,k=8,p=1e-07,seed=9",
		"star:1000":                                "star:1000",
		"star:n=1000":                              "star:1000",
		"path:2":                                   "path:2",
		"cycle:4294967295":                         "cycle:4294967295",
		"kron20:weights=1:9":                       "kron20:weights=1:9",
		"kron20:weights=-3:9,seed=7":               "kron20:seed=7,weights=-3:9,weightseed=7",
		"kron20:seed=7,weightseed=0,weights=1.0:9": "kron20:seed=7,weights=1.0:9.0,weightseed=0",
		"star:weights=0.5:2e3,9":                   "star:9,weights=0.5:2000.0",
		"grid2d:weights=1:1,seed=3":                "grid2d:weights=1:1,weightseed=3",
		"path:weights=1e-30:1e30,n=2":              "path:2,weights=1e-30:1e+30",
	} {
		for _, s := range []string{spec, name} {
			g, err := Parse(s)
			if err != nil {
				t.Error(err)
			} else if g.Name() != name {
				t.Errorf("%s is %s, want %s", s, g.Name(), name)
			}
		}
	}
}

// What is refused, as what, and what the error says.
func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct {
		spec string
		is   error
		says string
	}{
		{"", ErrSpec, "there are kronS, urandS, grid2d, grid3d, hubs, road, mesh, kkt, fem, banded, cliques, web, smallworld, star, path, cycle"},
		{"krone20", ErrSpec, `no graph "krone20"; there are kronS`},
		{"Kron20", ErrSpec, "no graph"},
		{"road20", ErrSpec, "no graph"},
		{"grid4d:2x2x2x2", ErrSpec, "no graph"},
		{"20", ErrSpec, "no graph"},
		{"star:9,weights=", ErrSpec, "weights lacks a value"},
		{"star:9,weights", ErrSpec, "weights lacks a value; write weights=VALUE"},
		{"star:9,weights=1", ErrSpec, "weights=1: write MIN:MAX"},
		{"grid2d:3x3:weights=1:2", ErrSpec, "and weights after a comma: ,weights=MIN:MAX"},
		{"star:9,weights=1:x", ErrSpec, "write MIN:MAX"},
		{"star:9,weights=1:2:3", ErrSpec, "write MIN:MAX"},
		{"star:9,weights=2:1", errParameter, "weights from 2 to 1; the lower bound stands first"},
		{"star:9,weights=NaN:1", errParameter, "finite"},
		{"star:9,weights=0:Inf", errParameter, "finite"},
		{"star:9,weights=0:1e39", errParameter, "finite"},
		{"star:9,weights=0:16777217", errParameter, "whole numbers from -2^24 to 2^24"},
		{"star:9,weights=1:2,weights=1:2", ErrSpec, "weights is given twice"},
		{"star:9,weights=1:2,weightseed=x", ErrSpec, "a whole number from 0 to 2^64-1"},
		{"star:9,weights=1:2,seed=-1", ErrSpec, "a whole number from 0 to 2^64-1"},
		{"star:9,weightseed=1", ErrSpec, "no option \"weightseed\""},
		{"star:9,seed=1", ErrSpec, "no option \"seed\""},
		{"road:4x4,chain=33", errParameter, "chain is from 0 to 32"},
		{"road:65534x65534,chain=5", errSize, "a graph has at most"},
		{"mesh", ErrSpec, "no size; write mesh:WxH"},
		{"mesh:0x9", errSize, "a side of 0"},
		{"mesh:65536x32768", errSize, "two vertices each"},
		{"kkt:3x3", ErrSpec, "write kkt:WxHxD"},
		{"kkt:1291x1291x1291", errSize, "two vertices each"},
		{"fem:9x9x9,dof=0", errParameter, "there are 1 to 32"},
		{"fem:1x1x1,dof=1", errSize, "at least 2"},
		{"fem:1625x1625x1625,dof=3", errSize, "3 vertices each"},
		{"banded:1000", ErrSpec, "no band; write banded:"},
		{"banded:1000,band=999", errParameter, "from 1 to n-2"},
		{"banded:2,band=1", errSize, "at least 3"},
		{"cliques:1000,count=9", ErrSpec, "no window"},
		{"cliques:1000,window=400", ErrSpec, "no count"},
		{"cliques:1000,count=9,window=299", errParameter, "the window is from the largest clique, 300"},
		{"cliques:1000,count=9,window=1001", errParameter, "of 1000"},
		{"cliques:1000,count=9,window=500,largest=361", errParameter, "from 2 to 360"},
		{"web:1279", errSize, "at least 1280"},
		{"web:2000,most=0", errParameter, "most is from 1"},
		{"web:2000,chain=101", errParameter, "a chain has 1 to n/20"},
		{"kron", ErrSpec, "no scale; write kronS"},
		{"kron:", ErrSpec, "no option \"\""},
		{"kron20:", ErrSpec, "write kronS"},
		{"kron20:20", ErrSpec, "takes no size"},
		{"kron20:scale=20", ErrSpec, "scale is given twice"},
		{"kron20:seed=1,seed=1", ErrSpec, "seed is given twice"},
		{"kron20:seed", ErrSpec, "seed lacks a value; write seed=VALUE"},
		{"kron20:seed=", ErrSpec, "seed lacks a value"},
		{"kron20:seed=-1", ErrSpec, "seed=-1: a whole number from 0 to 2^64-1"},
		{"kron20:seed=18446744073709551616", ErrSpec, "from 0 to 2^64-1"},
		{"kron20:torus", ErrSpec, `kron has no option "torus"`},
		{"kron20:edgefactor=0", ErrSpec, "edgefactor=0: a whole number from 1"},
		{"kron20:edgefactor=2147483648", ErrSpec, "from 1 to 2147483647"},
		{"kron20:edgefactor=1.5", ErrSpec, "whole number"},
		{"kron20:a=.5", ErrSpec, "together"},
		{"kron20:b=.5", ErrSpec, "together"},
		{"kron20:a=.5,b=.5", ErrSpec, "together"},
		{"kron20:a=0,b=0,c=0", ErrSpec, "all 0"},
		{"kron20:a=x,b=0,c=0", ErrSpec, "a=x: a number is wanted"},
		{"kron20:a=.5,b=.4,c=.3", errParameter, "D = 1-A-B-C"},
		{"kron20:a=-.5,b=.4,c=.3", errParameter, "A = -0.5"},
		{"kron20:a=NaN,b=.4,c=.3", errParameter, "A = NaN"},
		{"kron0", ErrSpec, "scale=0"},
		{"kron32", errSize, "the scale is from 1 to 31"},
		{"kron99999999999999999999", ErrSpec, "whole number"},
		{"kron31:edgefactor=8193", errSize, "at most 17592186044416 edges"},
		{"urand", ErrSpec, "no size; write urandS, urand:n=N"},
		{"urand32", errSize, "the scale is from 0 to 31"},
		{"urand20:n=5", ErrSpec, "both a scale and n"},
		{"urand:n=0", errSize, "0 vertices; it needs at least 1"},
		{"urand:n=4294967296", errSize, "at most 4294967295"},
		{"urand:n=4294967295,edgefactor=4097", errSize, "edges can be made"},
		{"grid2d:0x5", errSize, "side of 0"},
		{"grid2d:1x1", errSize, "at least 2"},
		{"grid2d:65536x65536", errSize, "grid2d of 65536x65536 vertices"},
		{"grid2d:4294967296x4294967296", errSize, "at most 4294967295"},
		{"grid2d:99999999999999999999x1", ErrSpec, "too large"},
		{"grid2d:5", ErrSpec, "size 5; write grid2d[:WxH][,torus]"},
		{"grid2d:5x5x5", ErrSpec, "size 5x5x5; write grid2d"},
		{"grid2d:5x", ErrSpec, `"" is not a number`},
		{"grid2d:5x5,6x6", ErrSpec, "a second size, 6x6"},
		{"grid2d:5x2,torus", errSize, "each side of a torus is at least 3"},
		{"grid2d:5x5,torus=1", ErrSpec, "torus takes no value"},
		{"grid2d:5x5,torus,torus", ErrSpec, "torus is given twice"},
		{"grid2d:seed=1", ErrSpec, `no option "seed"`},
		{"grid3d", ErrSpec, "no size; write grid3d:WxHxD"},
		{"grid3d:5x5", ErrSpec, "write grid3d:WxHxD"},
		{"grid3d:1626x1626x1626", errSize, "1626x1626x1626"},
		{"grid3d:3x3x2,torus", errSize, "torus of 3x3x2"},
		{"hubs:9", ErrSpec, "write hubs[:WxH]"},
		{"hubs:0x9", errSize, "side of 0"},
		{"hubs:1x1", errSize, "at least 2"},
		{"hubs:9x9", errParameter, "hubs of degree 1000 among 81 vertices"},
		{"hubs:9x9,degree=0", errParameter, "the degree is from 1"},
		{"hubs:9x9,degree=81", errParameter, "the degree is from 1"},
		{"hubs:9x9,degree=9,p=0", errParameter, "p is above 0"},
		{"hubs:9x9,degree=9,p=1.1", errParameter, "at most 1"},
		{"hubs:9x9,degree=9,p=nan", errParameter, "p = NaN"},
		{"hubs:p=1,degree=3999999,9000x9000", errSize, "edges can be made"},
		{"road:5x5", errSize, "even and at least 4"},
		{"road:2x100", errSize, "even and at least 4"},
		{"road:0x0", errSize, "side of 0"},
		{"road:65536x65536", errSize, "at most 4294967295"},
		{"smallworld", ErrSpec, "no size; write smallworld:n=N"},
		{"smallworld:n=2,k=2", errSize, "at least 3"},
		{"smallworld:n=8", errParameter, "from 2 to n-1"},
		{"smallworld:n=100,k=3", errParameter, "k is even"},
		{"smallworld:n=100,k=0", ErrSpec, "k=0"},
		{"smallworld:n=100,p=1.01", errParameter, "p is from 0 to 1"},
		{"smallworld:n=100,p=-1", errParameter, "p is from 0 to 1"},
		{"smallworld:n=100,p=nan", errParameter, "p is from 0 to 1"},
		{"smallworld:n=4294967295,k=8194", errSize, "edges can be made"},
		{"star:1", errSize, "at least 2"},
		{"star:0", errSize, "at least 2"},
		{"star", ErrSpec, "no size; write star:N"},
		{"star:5,n=5", ErrSpec, "given twice"},
		{"path:1", errSize, "at least 2"},
		{"path:4294967296", errSize, "at most"},
		{"cycle:2", errSize, "at least 3"},
	} {
		g, err := Parse(tc.spec)
		if g != nil || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), `"`+tc.spec+`"`) {
			t.Errorf("%s: %v, want %v that says %s", tc.spec, err, tc.is, tc.says)
		}
		var se *specError
		if errors.As(err, &se) != (tc.is == ErrSpec) {
			t.Errorf("%s: error of type %T", tc.spec, err)
		}
	}
}

func TestZeroOptions(t *testing.T) {
	g, err := newRMAT(9, rmatOptions{})
	if err != nil || g.Name() != "kron9" {
		t.Errorf("%v, %v", g, err)
	}
	if g, err = newUniform(512, uniformOptions{}); err != nil || g.Name() != "urand9" {
		t.Errorf("%v, %v", g, err)
	}
	for _, factor := range []int{-1, math.MinInt} {
		if _, err := newRMAT(9, rmatOptions{EdgeFactor: factor}); !errors.Is(err, errSize) {
			t.Error(err)
		}
		if _, err := newUniform(9, uniformOptions{EdgeFactor: factor}); !errors.Is(err, errSize) {
			t.Error(err)
		}
	}
	if _, err := newSmallWorld(100, -2, 0, 0); !errors.Is(err, errParameter) {
		t.Error(err)
	}
}

// The summaries of kinds begin with a form that Parse knows.
func TestKinds(t *testing.T) {
	for _, k := range kinds() {
		spec, _, _ := strings.Cut(k.Spec, ", ")
		spec, _, _ = strings.Cut(spec, "[")
		for from, to := range map[string]string{"S": "9", "W": "1000", "H": "12", "D": "14", "N": "2000", "B": "20", "C": "30"} {
			spec = strings.ReplaceAll(spec, from, to)
		}
		g, err := Parse(spec)
		if err != nil || !strings.HasPrefix(g.Name(), k.Name) || k.Summary == "" {
			t.Errorf("%v: %v", k.family, err)
		}
	}
}

// Any text is refused with an error of this package or gives a generator
// whose name gives the same.
func FuzzParse(f *testing.F) {
	for _, k := range kinds() {
		f.Add(k.Spec)
	}
	for _, tc := range golden {
		f.Add(tc.spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		g, err := Parse(spec)
		if err != nil {
			if !errors.Is(err, ErrSpec) && !errors.Is(err, errSize) && !errors.Is(err, errParameter) {
				t.Fatalf("%q: %v", spec, err)
			}
			return
		}
		again, err := Parse(g.Name())
		if err != nil || again.Name() != g.Name() {
			t.Fatalf("%q is %s: %v", spec, g.Name(), err)
		}
		if n := g.NumVertices(); n < 1 || n > uint64(graph.NoVertex) || g.NumEdges() > maxEdges {
			t.Fatalf("%q: %d vertices, %d edges", spec, n, g.NumEdges())
		}
		src, dst := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
		for _, b := range []int{0, g.Blocks() / 2, g.Blocks() - 1} {
			n, m := g.Block(b, src, dst), again.Block(b, make([]uint32, BlockEdges), make([]uint32, BlockEdges))
			if n < 1 || n != m {
				t.Fatalf("%q: block %d has %d edges, or %d", spec, b, n, m)
			}
			for e := range n {
				if n := g.NumVertices(); uint64(src[e]) >= n || uint64(dst[e]) >= n {
					t.Fatalf("%q: block %d has the edge %d to %d of %d vertices", spec, b, src[e], dst[e], n)
				}
			}
		}
	})
}
