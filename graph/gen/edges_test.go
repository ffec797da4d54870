// This file holds the tests of Edges, Ordered and Build, and the hashes by
// which graphs stay what they are.

package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// golden are the hashes of the edges in order. A change here means that every
// figure measured on such a graph is no longer comparable: make a new name
// instead.
var golden = []goldenEdges{
	{"kron14", 16384, 262144, 0x3e03dd1535c18aec},
	{"kron13:edgefactor=20,seed=1", 8192, 163840, 0xf1396a2ffc36bcb1},
	{"kron10:a=0.45,b=0.15,c=0.15", 1024, 16384, 0x21d8e4b06fb1df26},
	{"urand14", 16384, 262144, 0x41158ccc368b00cf},
	{"urand:n=10007,edgefactor=14,seed=1", 10007, 140098, 0x8239d1c8a302ea2d},
	{"grid2d:300x230", 69000, 137470, 0xd89fa0d828d5adfa},
	{"grid2d:230x300,torus", 69000, 138000, 0x6201843945d19a8d},
	{"grid3d:40x30x41", 49200, 143530, 0x8b1c60a3a187e163},
	{"grid3d:30x31x50,torus", 46500, 139500, 0xacd23c016afb6965},
	{"hubs:300x230", 69000, 206470, 0x4b0c533fae1517bf},
	{"hubs:230x300,p=0.01,degree=200,seed=1", 69000, 275470, 0x60de4112806e24a7},
	{"road:300x406", 121800, 145747, 0x18d4ec9186375ca9},
	{"road:400x300,seed=1", 120000, 143594, 0xd210c6c0c623be3e},
	{"road:300x200,chain=12,even", 195000, 206740, 0xb9dc61e25af3e4a5},
	{"road:200x200,chain=7,seed=2", 80000, 87805, 0x22ba37bbdd3b1c99},
	{"mesh:300x231", 138600, 207369, 0xa198d6d49580debf},
	{"mesh:230x300,seed=1", 138000, 206470, 0xa54f1734cb08d4fa},
	{"kkt:19x20x21", 18358, 196988, 0xf1a34a2ffe40e1d4},
	{"fem:16x15x14", 10080, 351000, 0x49ad0815f5edf337},
	{"banded:n=10007,k=18,band=500", 10007, 180126, 0x9856fb961ebec115},
	{"banded:n=20000,k=8,band=15000,seed=1", 20000, 160000, 0xf8a69beb8656bc38},
	{"cliques:n=20000,count=5000,window=600", 20000, 219063, 0x1c0ae0392da92ddc},
	{"cliques:n=20000,count=5000,largest=360,window=9000,seed=1", 20000, 239895, 0x4a97c13cb26be286},
	{"web:n=20000", 20000, 239170, 0xb112ee1b2a42bf49},
	{"web:n=30000,most=500,chain=9,seed=1", 30000, 239668, 0x68d54ae7f0ac4c57},
	{"smallworld:n=40001,k=8,p=0.1", 40001, 160004, 0x99c1e4a50ca1951b},
	{"smallworld:n=40001,k=8,p=0.5,seed=1", 40001, 160004, 0x26363137638ba9ea},
	{"star:150000", 150000, 149999, 0xfe26badd996e8d5},
	{"path:150000", 150000, 149999, 0x7140cbbbd47ef5db},
	{"cycle:150000", 150000, 150000, 0x21b3e5cf7d279c85},
}

type goldenEdges struct {
	spec                  string
	vertices, edges, hash uint64
}

func TestGolden(t *testing.T) {
	for _, tc := range golden {
		g := parse(t, tc.spec)
		src, dst := all(t, g)
		if h := hashEdges(src, dst); g.NumVertices() != tc.vertices || g.NumEdges() != tc.edges || h != tc.hash {
			t.Errorf("{%q, %d, %d, %#x}, not that of the table", tc.spec, g.NumVertices(), g.NumEdges(), h)
		}
	}
}

// Every family is in the table, with several blocks.
func TestGoldenIsComplete(t *testing.T) {
	for _, k := range kinds() {
		if !slices.ContainsFunc(golden, func(tc goldenEdges) bool {
			return strings.HasPrefix(tc.spec, k.Name) && parse(t, tc.spec).Blocks() > 2
		}) {
			t.Errorf("no %s of several blocks", k.Name)
		}
	}
}

func TestSameEdgesWithAnyWorkers(t *testing.T) {
	testlong.Only(t)
	for _, tc := range golden {
		g := parse(t, tc.spec)
		for workers := 0; workers <= 8; workers++ {
			var mu sync.Mutex
			blocks := make([][2][]uint32, g.Blocks())
			err := Edges(background, g, workers, func(b int, src, dst []uint32) error {
				mu.Lock()
				defer mu.Unlock()
				if blocks[b][0] != nil {
					t.Errorf("%s: block %d comes twice", tc.spec, b)
				}
				blocks[b] = [2][]uint32{slices.Clone(src), slices.Clone(dst)}
				clear(src) // yield may
				clear(dst)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var src, dst []uint32
			for _, b := range blocks {
				src, dst = append(src, b[0]...), append(dst, b[1]...)
			}
			if h := hashEdges(src, dst); h != tc.hash {
				t.Errorf("%s: Edges with %d workers has hash %#x", tc.spec, workers, h)
			}

			src, dst = src[:0], dst[:0]
			next := 0
			err = Ordered(background, g, workers, func(b int, s, d []uint32) error {
				if b != next {
					t.Errorf("%s: block %d comes when %d is next", tc.spec, b, next)
				}
				next++
				src, dst = append(src, s...), append(dst, d...)
				clear(s)
				clear(d)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if h := hashEdges(src, dst); h != tc.hash {
				t.Errorf("%s: Ordered with %d workers has hash %#x", tc.spec, workers, h)
			}
		}
	}
}

// Seeds make other graphs, and the families don't share their random numbers.
func TestSeeds(t *testing.T) {
	hashes := map[uint64]string{}
	for _, spec := range []string{
		"kron10", "kron10:seed=1", "kron10:seed=2", "urand10", "urand10:seed=1", "urand10:seed=18446744073709551615",
		"hubs:40x40,degree=9", "hubs:40x40,degree=9,seed=1", "road:40x40", "road:40x40,seed=1", "smallworld:n=1000,p=.5", "smallworld:n=1000,p=.5,seed=1",
	} {
		src, dst := all(t, parse(t, spec))
		h := hashEdges(src, dst)
		if other, taken := hashes[h]; taken {
			t.Errorf("%s is %s", spec, other)
		}
		hashes[h] = spec
	}
	streams := map[stream]bool{}
	for seed := range uint64(10) {
		for key := keyRMAT; key <= keyHubLinks; key++ {
			for block := range 10 {
				streams[newStream(seed, key, block)] = true
			}
		}
	}
	if want := 10 * 10 * int(keyHubLinks); len(streams) != want {
		t.Errorf("%d streams, want %d", len(streams), want)
	}
}

// A block's stretch starts where the one before ends.
func TestStreamsDoNotOverlap(t *testing.T) {
	s := newStream(5, keyRMAT, 3)
	for range 1 << stretch {
		s.next()
	}
	if want := newStream(5, keyRMAT, 4); s != want {
		t.Errorf("stretch 3 ends at %#x, stretch 4 starts at %#x", s, want)
	}
}

var errYield = errors.New("disk full")

// ways are Edges and Ordered.
var ways = map[string]func(context.Context, Generator, int, func(int, []uint32, []uint32) error) error{
	"Edges": Edges, "Ordered": Ordered,
}

func TestYieldErrorStops(t *testing.T) {
	g := parse(t, "kron31:edgefactor=4096") // 2^27 blocks: finishing would take days
	for name, way := range ways {
		for workers := 1; workers <= 4; workers++ {
			var mu sync.Mutex
			calls := 0
			err := way(background, g, workers, func(b int, _, _ []uint32) error {
				mu.Lock()
				defer mu.Unlock()
				if calls++; calls == 5 {
					return fmt.Errorf("block %d: %w", b, errYield)
				}
				return nil
			})
			if !errors.Is(err, errYield) {
				t.Errorf("%s with %d workers: %v", name, workers, err)
			}
			if name == "Ordered" && calls != 5 {
				t.Errorf("%s with %d workers: %d calls", name, workers, calls)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	g := parse(t, "kron31:edgefactor=4096")
	for name, way := range ways {
		ctx, cancel := context.WithCancel(background)
		var mu sync.Mutex
		calls := 0
		err := way(ctx, g, 2, func(int, []uint32, []uint32) error {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls == 5 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls > 5+2 {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
		calls = 0
		if err := way(ctx, g, 2, func(int, []uint32, []uint32) error { calls++; return nil }); !errors.Is(err, context.Canceled) || calls > 0 {
			t.Errorf("%s after the end: %d calls, %v", name, calls, err)
		}
	}
}
