package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// TestWraps: a loop whose counter may wrap around ends where it does, too; others have no such
// test.
func TestWraps(t *testing.T) {
	for loop, leaves := range map[string]int{
		"i := uint32(0); i < f.N; i++":                              1,
		"i := uint32(0); i < f.N && i < 9; i += 1 << 30":            1,
		"i := uint32(0); i <= f.N; i++":                             2,
		"i := uint32(0); i <= f.N; i += 1 << 30":                    2,
		"i := uint32(0); i < f.N; i += 2":                           2,
		"i := uint32(0); i < 4294967295; i += 2":                    2,
		"i := uint32(0); i < 4294967295; i++":                       1,
		"i := uint32(0); i <= 4294967293; i += 2":                   1,
		"i := int32(9); i > -5; i -= 3":                             1,
		"i := int32(9); i >= -2147483647; i--":                      1,
		"i := int32(9); i >= -2147483647; i -= 2":                   2,
		"i := f.N; i > 0; i--":                                      1,
		"i := f.N; i > 0; i -= 2":                                   2,
		"i := f.N; 0 < i; i -= 2":                                   2,
		"i := int64(0); i < 1 << 40; i += 1 << 30":                  1,
		"i := uint64(0); i < 18446744073709551615; i += 4611686018": 2,
	} {
		p, err := checkText(t, header+"//foray:functor\ntype F struct { N uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) uint64 { n := uint64(0)\nfor "+loop+" { n++ }\nreturn n }")
		if err != nil {
			t.Fatalf("%s: %v", loop, err)
		}
		if n := strings.Count(fmt.Sprint(p.Functors[0]), "leave"); n != leaves {
			t.Errorf("%s: %d ways out, want %d\n%s", loop, n, leaves, p.Functors[0])
		}
	}
}

// TestLong: loops are long whose constants say that they have many rounds, with the loops around them.
func TestLong(t *testing.T) {
	for body, long := range map[string]int{
		"for range uint64(1 << 40) { n++ }":                                               1,
		"for i := range uint64(1 << 40) { n += i }":                                       1,
		"for range 1 << 16 { n++ }":                                                       0,
		"for range 1<<16 + 1 { n++ }":                                                     1,
		"for range 300 { for range 300 { n++ } }":                                         1,
		"for range 300 { for i := uint32(0); i < f.N; i++ { for range 300 { n++ } } }":    1,
		"for range 300 { n++ }; for range 300 { n++ }":                                    0,
		"for i := int64(0); i < 1<<40; i += 1 << 30 { n++ }":                              0,
		"for i := int64(0); i < 1<<40; i += 1 << 20 { n++ }":                              1,
		"for i := int64(1 << 40); i > 0; i-- { n++ }":                                     1,
		"for i := int64(1 << 40); 1 << 39 <= i && n < 9; i-- { n++ }":                     1,
		"for i := uint64(0); i < uint64(f.N) && i < 1e9; i++ { n++ }":                     1,
		"for i := uint64(0); i < 1e9 && i < 64; i++ { n++ }":                              0,
		"for i := uint32(0); i < f.N; i++ { n++ }":                                        0,
		"for range f.N { n++ }":                                                           0,
		"for range int32(-3) { n++ }":                                                     0,
		"for range f.X { for range 1 << 20 { n++ } }":                                     1,
		"n = many(n) }\nfunc many(n uint64) uint64 { for range 1 << 20 { n++ }\nreturn n": 1,
	} {
		p, err := checkText(t, header+"//foray:functor\ntype F struct { N uint32; X []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { n := uint64(0)\n"+body+" }")
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if n := longLoops(p.Functors[0].Methods[0].Body); n != long {
			t.Errorf("%s: %d long loops, want %d", body, n, long)
		}
	}
}

func longLoops(list []ir.Instr) (n int) {
	for _, in := range list {
		if in.Long {
			n++
		}
		n += longLoops(in.Then) + longLoops(in.Else)
	}
	return n
}
