package source

import (
	"fmt"
	"strings"
	"testing"
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
