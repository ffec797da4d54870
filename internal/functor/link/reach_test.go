package link

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/functor/bind"
)

// TestReaches: what methods do with their arrays is told, each in the worst way that it could be.
func TestReaches(t *testing.T) {
	const (
		own = `	ld.param.b64 f_d0, [$p+16];
	mul.wide.u32 f_d1, $1, 4;
	add.s64 f_d2, f_d0, f_d1;
`
		other = `	ld.param.b64 f_d4, [$p+32];
	mul.wide.u32 f_d5, f_r0, 4;
	add.s64 f_d6, f_d4, f_d5;
`
	)
	set := func(words ...int) map[int]bool {
		m := map[int]bool{}
		for _, w := range words {
			m[w] = true
		}
		return m
	}
	for name, c := range map[string]struct {
		text                         string
		far, written, elsewhere, set map[int]bool
		unknown                      bool
	}{
		"reads its own":       {text: own + "	ld.global.b32 f_r0, [f_d2];\n"},
		"writes its own":      {text: own + "	st.global.b32 [f_d2], f_r0;\n", written: set(2), set: set(2)},
		"lowers its own":      {text: own + "	atom.global.min.u32 f_r1, [f_d2], f_r0;\n", written: set(2)},
		"reads another":       {text: other + "	ld.relaxed.gpu.global.b32 f_r1, [f_d6];\n", far: set(4)},
		"writes another":      {text: other + "	@f_p0 st.global.b32 [f_d6], f_r1;\n", far: set(4), elsewhere: set(4), set: set(4)},
		"lowers another":      {text: other + "	atom.global.min.u32 f_r1, [f_d6], f_r2;\n", far: set(4), elsewhere: set(4)},
		"lowers floats":       {text: other + "	atom.global.min.s32 f_r1, [f_d6], f_r2;\n", far: set(4), elsewhere: set(4), set: set(4)},
		"the first element":   {text: own + "	ld.global.b32 f_r0, [f_d0];\n", far: set(2)},
		"an index that moves": {text: own + "	mul.wide.u32 f_d1, f_r0, 4;\n	ld.global.b32 f_r0, [f_d2];\n", far: set(2)},
		"an address that moves": {text: own + "	add.s64 f_d2, f_d2, 4;\n	st.global.b32 [f_d2], f_r0;\n",
			far: set(2), elsewhere: set(2), set: set(2)},
		"either of two":  {text: own + other + "	mov.b64 f_d7, f_d2;\n	mov.b64 f_d7, f_d6;\n	ld.global.b32 f_r0, [f_d7];\n", far: set(2, 4)},
		"out of nowhere": {text: "	ld.global.b32 f_r0, [f_d9];\n", unknown: true},
		"a value isn't an address": {text: own + "	ld.global.b64 f_d3, [f_d2];\n	add.s64 f_d8, f_d3, 8;\n	st.global.b32 [f_d8], f_r0;\n",
			unknown: true, set: set()},
	} {
		r := Reaches(&bind.Code{Vertex: "{\n" + c.text + "}\n"}, AtVertices)
		wrote := map[int]bool{} // in another way than by atomics.Min of an uint32
		for w := range r.Ops {
			if r.Fold(w) != MinU32 {
				wrote[w] = true
			}
		}
		for what, x := range map[string][2]map[int]bool{"far": {r.Far, c.far}, "written": {r.Written, c.written}, "elsewhere": {r.Elsewhere, c.elsewhere}, "set": {wrote, c.set}} {
			if !maps.Equal(x[0], x[1]) {
				t.Errorf("%s: %s: %v, want %v", name, what, slices.Collect(maps.Keys(x[0])), slices.Collect(maps.Keys(x[1])))
			}
		}
		if r.Unknown != c.unknown {
			t.Errorf("%s: unknown is %v", name, r.Unknown)
		}
	}
	// A gather's own vertex is the source, or of in-edges the target.
	gather := &bind.Code{Gather: "{\n" + own + "	ld.global.b32 f_r0, [f_d2];\n}\n"}
	if out, in := Reaches(gather, GathersOut), Reaches(gather, GathersIn); len(out.Far) != 0 || !in.Far[2] {
		t.Errorf("a gather: %v over out-edges, %v over in-edges", out.Far, in.Far)
	}
}

// TestFoldOr: bits of 32 and of 64 are joined, each by entries of its own width.
func TestFoldOr(t *testing.T) {
	for width, want := range map[string]Fold{"32": OrB32, "64": OrB64} {
		text := "{\n	ld.param.b64 f_d0, [$p+16];\n	mul.wide.u32 f_d1, $2, 8;\n	add.s64 f_d2, f_d0, f_d1;\n	atom.global.or.b" + width + " f_d3, [f_d2], f_d4;\n	mov.b32 $0, 1;\n}\n"
		r := Reaches(&bind.Code{Edge: text, EdgeResult: "bool"}, AtEdges)
		if got := r.Fold(2); got != want || !r.Tells || !r.Elsewhere[2] || fmt.Sprint(8*got.Width()) != width {
			t.Errorf("or of %s bits: fold %d, want %d; it tells what it changes: %v", width, got, want, r.Tells)
		}
	}
}
