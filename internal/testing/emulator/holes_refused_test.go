// This file tests what is said of texts that aren't valid, and that none does harm.

package emulator_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/gpu/driver"
)

// insideRefused tests the errors of loading invalid texts.
func insideRefused(t *testing.T) {
	b := newBench(t, 1)
	for _, x := range []struct{ text, message string }{
		{"{ add.f32 $0, $1, $2; }", `line 1: the instruction "add.f32" isn't emulated`},
		{"{\n mov.b64 $0, $3; }", `line 2: VERTEX has no placeholder "$3"`},
		{"{ mov.b64 $0, $q; }", `no placeholder "$q"`},
		{"{ mov.b64 $0, $1; }", `"$1" is of another type`},
		{"{ mov.b32 $1, 1; mov.b64 $0, 1; }", `"$1" is an input`},
		{"{ .reg .f32 f_x; mov.b32 f_x, 1; add.u32 f_x, f_x, 1; mov.b64 $0, 1; }", `"f_x" is of another type`},
		{"{ add.u64 $0, $0, f_x; }", `"f_x" isn't declared`},
		{"{ .reg .b64 f_x; add.u64 $0, f_x, 1; }", "reads f_x, which may not be set"},
		{"{ .reg .b64 f_x; .reg .pred f_p; setp.eq.u32 f_p, $1, 1; @f_p bra f_l; mov.b64 f_x, 1; f_l: mov.b64 $0, f_x; }", "reads f_x, which may not be set"},
		{"{ .reg .pred f_p; setp.eq.u32 f_p, $1, 1; @f_p bra f_l; mov.b64 $0, 1; f_l: }", "a path leaves $0 unset"},
		{"{ bra f_l; }", "there is no label f_l"},
		{"{ f_l: f_l: mov.b64 $0, 1; }", "label f_l is there twice"},
		{"{ .reg .b32 f_a, f_a; mov.b64 $0, 1; }", "register f_a is declared twice"},
		{"{ .reg .b16 f_a; mov.b64 $0, 1; }", `registers of the type ".b16" aren't emulated`},
		{"{ .reg .b32 f_a<4000000000>; mov.b64 $0, 1; }", "more registers than"},
		{"{ mov.b64 $0, 1 }", `want ; behind mov.b64, not "}"`},
		{"{ mov.b64 $0, 1;", "want }, not the end of the text"},
		{"mov.b64 $0, 1;", "want {, not"},
		{"{ mov.b64 $0, 1; } ret;", `want the end of the text, not "ret"`},
		{"{ mov.b64 $0, 1; ret; }", `the instruction "ret" isn't emulated`},
		{"{ mov.b64 $0, 0f3F800000; }", `"0f3F800000" is of another type`},
		{"{ add.u32 $0, $1, 1; }", `"$0" is of another type`},
		{"{ .reg .b32 f_a; mov.b32 f_a, 4294967296; mov.b64 $0, 1; }", "doesn't fit into 32 bits"},
		{"{ mov.b64 $0, 18446744073709551616; }", "is no number, or too large"},
		{"{ .reg .f64 f_a; mov.f64 f_a, 1; mov.b64 $0, 1; }", "is an integer where a float is wanted"},
		{"{ ld.param.b64 $0, [$p+4]; }", "isn't a multiple of 8"},
		{"{ ld.param.b64 $0, [$1]; }", "want $p"},
		{"{ ld.global.b64 $0, [$p+8]; }", "no placeholder"},
		{"{ atom.global.add.s64 $0, [$0], 1; }", `"atom.global.add.s64" isn't emulated`},
		{"{ /* mov.b64 $0, 1; }", "the comment has no end"},
		{strings.Repeat("{ ", 200), "more than 100 blocks"},
	} {
		_, err := b.run(spliced(functorText{hole: "VERTEX", text: x.text}), "vertices", 1)
		var e *driver.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_PTX") || !strings.Contains(e.Log, x.message) || !strings.Contains(e.Log, "text of VERTEX 0, line ") {
			t.Errorf("%s: %v, want %q", x.text, err, x.message)
		}
	}
	good := functorText{hole: "VERTEX", text: "{ mov.b64 $0, 1; }"}
	for _, x := range []struct{ from, to, message string }{
		{"spliced 1", "spliced 2", "the emulator runs PTX only where it begins with"},
		{"skeleton ", "skeleton 0", "want one skeleton, of 16 digits"},
		{"// skeleton", "// skulleton", "no // skeleton"},
		{"// block 2", "// block 256", "want one block"},
		{"// block 2", "// block x", "want a number"},
		{"// block 2", "// block 2\n// block 2", "want one block"},
		{"begin VERTEX", "begin VORTEX", "no hole is called so"},
		{"VERTEX 0 0", "VERTEX 64 0", "functor 64 of VERTEX"},
		{"VERTEX 0 0", "VERTEX 0 4", "a block at byte 4"},
		{"VERTEX 0 0", "VERTEX 0 0 0", "more than a hole, a number and a base"},
		{"VERTEX 0 0", "VERTEX 0", "want a number"},
		{"// end", "// ende", "want //| or // end"},
		{"//| {", "// end\n//| {", "no text between"},
		{"// begin", "//| x\n// begin", "not behind // begin"},
	} {
		_, err := b.run(strings.Replace(spliced(good), x.from, x.to, 1), "vertices", 1)
		if err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_PTX") || !strings.Contains(err.Error(), x.message) {
			t.Errorf("%s: %v, want %q", x.to, err, x.message)
		}
	}
	if _, err := b.run(spliced(good, good), "vertices", 1); err == nil || !strings.Contains(err.Error(), "a second text of VERTEX 0") {
		t.Error(err)
	}
	module := spliced(good)
	at := strings.Index(module, "skeleton ") + len("skeleton ")
	if _, err := b.run(module[:at]+"0123456789abcdef"+module[at+16:], "vertices", 1); err == nil || !strings.Contains(err.Error(), "built from other sources than this module's skeleton") {
		t.Error(err)
	}
	if got, err := b.run(module, "vertices", 1); err != nil || got[0] != 1 {
		t.Error(got, err)
	}
}

// insideMangled loads texts with damages; whatever is accepted isn't run.
func insideMangled(t *testing.T) {
	b := newBench(t, 1)
	r := rand.New(rand.NewPCG(3, 4))
	var good []string
	for _, x := range instructions() {
		good = append(good, x.text())
	}
	refused := 0
	for range 20000 {
		text := []byte(good[r.IntN(len(good))])
		for range 1 + r.IntN(3) {
			i, j := r.IntN(len(text)), r.IntN(len(text))
			switch r.IntN(5) {
			case 0:
				text[i] = byte(1 + r.IntN(255))
			case 1:
				text = append(text[:i:i], text[min(i+r.IntN(20), len(text)):]...)
			case 2:
				other := good[r.IntN(len(good))]
				k := r.IntN(len(other))
				text = append(text[:i:i], append([]byte(other[k:min(k+r.IntN(40), len(other))]), text[i:]...)...)
			case 3:
				text[i], text[j] = text[j], text[i]
			default:
				text = append(text[:i:i], append([]byte("{}[];:,$<>@!|-+0f.reg"[r.IntN(20):][:1]), text[i:]...)...)
			}
			if len(text) == 0 {
				text = []byte("{")
			}
		}
		module := spliced(functorText{hole: "VERTEX", text: string(text)})
		if r.IntN(4) == 0 {
			i := r.IntN(len(module))
			module = module[:i] + string(rune(1+r.IntN(126))) + module[i+1:]
		}
		mod, err := b.c.Load([]byte(module))
		if err != nil {
			refused++
			continue
		}
		must(t, mod.Close())
	}
	if refused < 10000 {
		t.Errorf("%d of 20000 damaged texts are refused", refused)
	}
}
