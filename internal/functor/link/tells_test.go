package link

import (
	"testing"

	"github.com/foray-graph/foray/internal/functor/bind"
)

// TestTells: whatever a method does but to let the target through where it changed something isn't taken for that.
func TestTells(t *testing.T) {
	const (
		at   = "	ld.param.b64 f_d0, [$p+16];\n	mul.wide.u32 f_d1, $2, 4;\n	add.s64 f_d2, f_d0, f_d1;\n"
		mine = "	ld.param.b64 f_d3, [$p+32];\n	mul.wide.u32 f_d4, $1, 4;\n	add.s64 f_d5, f_d3, f_d4;\n	ld.global.b32 f_r0, [f_d5];\n"
		low  = at + mine + "	atom.global.min.u32 f_r1, [f_d2], f_r0;\n"
		cas  = at + "	mov.b32 f_r2, -1;\n	atom.global.cas.b32 f_r1, [f_d2], f_r2, $3;\n"
		yes  = "	selp.b32 $0, 1, 0, f_p0;\n"
	)
	for name, c := range map[string]struct {
		text  string
		tells bool
	}{
		"less":                     {low + "	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes, true},
		"greater, turned round":    {low + "	setp.gt.u32 f_p0, f_r1, f_r0;\n" + yes, true},
		"less or equal":            {low + "	setp.le.u32 f_p0, f_r0, f_r1;\n" + yes, true},
		"always":                   {low + "	mov.b32 $0, 1;\n", true},
		"never":                    {low + "	mov.b32 $0, 0;\n", false},
		"where nothing changed":    {low + "	setp.ge.u32 f_p0, f_r0, f_r1;\n" + yes, false},
		"denied":                   {low + "	setp.ge.u32 f_p0, f_r0, f_r1;\n	not.pred f_p0, f_p0;\n" + yes, true},
		"denied twice":             {low + "	setp.lt.u32 f_p1, f_r0, f_r1;\n	not.pred f_p0, f_p1;\n" + yes, false},
		"compared as signed":       {low + "	setp.lt.s32 f_p0, f_r0, f_r1;\n" + yes, false},
		"with something else":      {low + "	setp.lt.u32 f_p0, $3, f_r1;\n" + yes, false},
		"what was there is gone":   {low + "	mov.b32 f_r1, 5;\n	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes, false},
		"a copy of it":             {low + "	mov.b32 f_r7, f_r1;\n	mov.b32 f_r1, 5;\n	setp.lt.u32 f_p0, f_r0, f_r7;\n" + yes, true},
		"and something else":       {low + "	setp.lt.u32 f_p0, f_r0, f_r1;\n	setp.lt.u32 f_p1, $3, 7;\n	and.pred f_p0, f_p0, f_p1;\n" + yes, false},
		"looked before":            {at + mine + "	ld.global.b32 f_r1, [f_d2];\n	setp.le.u32 f_p1, f_r1, f_r0;\n	@f_p1 bra f_L1;\n	atom.global.min.u32 f_r1, [f_d2], f_r0;\nf_L1:\n	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes, true},
		"only if":                  {at + mine + "	setp.lt.u32 f_p1, $3, 7;\n	@f_p1 bra f_L1;\n	mov.b32 $0, 0;\n	bra f_end;\nf_L1:\n	atom.global.min.u32 f_r1, [f_d2], f_r0;\n	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes + "f_end:\n", true},
		"only sometimes":           {low + "	setp.lt.u32 f_p1, $3, 7;\n	@f_p1 bra f_L1;\n	mov.b32 $0, 0;\n	bra f_end;\nf_L1:\n	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes + "f_end:\n", false},
		"a branch":                 {low + "	setp.lt.u32 f_p0, f_r0, f_r1;\n	@f_p0 bra f_L1;\n	mov.b32 $0, 0;\n	bra f_end;\nf_L1:\n	mov.b32 $0, 1;\nf_end:\n", true},
		"the wrong branch":         {low + "	setp.lt.u32 f_p0, f_r0, f_r1;\n	@!f_p0 bra f_L1;\n	mov.b32 $0, 0;\n	bra f_end;\nf_L1:\n	mov.b32 $0, 1;\nf_end:\n", false},
		"the least, of a maximum":  {at + mine + "	atom.global.max.u32 f_r1, [f_d2], f_r0;\n	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes, false},
		"the greatest":             {at + mine + "	atom.global.max.u32 f_r1, [f_d2], f_r0;\n	setp.gt.u32 f_p0, f_r0, f_r1;\n" + yes, true},
		"exchanged":                {cas + "	setp.eq.b32 f_p0, f_r1, f_r2;\n" + yes, true},
		"not exchanged":            {cas + "	setp.ne.b32 f_p0, f_r1, f_r2;\n" + yes, false},
		"stored":                   {at + "	st.global.b32 [f_d2], $1;\n	mov.b32 $0, 1;\n", true},
		"stored, perhaps":          {at + "	st.global.b32 [f_d2], $1;\n	setp.lt.u32 f_p0, $3, 7;\n" + yes, false},
		"stored after an exchange": {cas + "	st.global.b32 [f_d2], $1;\n	setp.eq.b32 f_p0, f_r1, f_r2;\n" + yes, false},
		"at no end of the edge":    {"	ld.param.b64 f_d0, [$p+16];\n	mul.wide.u32 f_d1, $3, 4;\n	add.s64 f_d2, f_d0, f_d1;\n	st.global.b32 [f_d2], $1;\n	mov.b32 $0, 1;\n", false},
		"a guard on something":     {low + "	setp.lt.u32 f_p0, f_r0, f_r1;\n	@f_p1 mov.b32 f_r3, 1;\n" + yes, false},
		"round and round":          {at + mine + "f_L0:\n	atom.global.min.u32 f_r1, [f_d2], f_r0;\n	setp.lt.u32 f_p0, f_r0, f_r1;\n	setp.lt.u32 f_p1, f_r1, 9;\n	@f_p1 bra f_L0;\n" + yes, false},
		"an operand of each round": {at + "f_L0:\n	add.u32 f_r0, f_r0, 1;\n	setp.lt.u32 f_p2, f_r0, 5;\n	@f_p2 bra f_L0;\n	atom.global.min.u32 f_r1, [f_d2], f_r0;\n	add.u32 f_r0, f_r0, 1;\n	setp.lt.u32 f_p0, f_r0, f_r1;\n" + yes, false},
		"for ever":                 {at + "f_L0:\n	bra f_L0;\n", true},
	} {
		code := &bind.Code{Edge: "{\n" + c.text + "}\n", EdgeResult: "bool"}
		if r := Reaches(code, AtEdges); r.Tells != c.tells {
			t.Errorf("%s: %v", name, r.Tells)
		}
		code.EdgeResult = ""
		if Reaches(code, AtEdges).Tells {
			t.Errorf("%s, without a result: true", name)
		}
	}
}
