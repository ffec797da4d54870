// This file runs the same instructions on a GPU: what the emulator computes is what devices
// compute.

package emulator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/gpu/driver"
)

// whole makes a kernel of the text of a vertex.
func whole(text string) string {
	return ".version 7.0\n.target sm_70\n.address_size 64\n" +
		".visible .entry vertices(.param .u64 p_out, .param .u32 p_n, .param .align 8 .b8 p_block[1024]) {\n" +
		".reg .b32 v, l, n, t<3>;\n.reg .b64 r, o, x;\n.reg .pred p;\n" +
		"mov.u32 t0, %ctaid.x; mov.u32 t1, %ntid.x; mov.u32 t2, %tid.x; mad.lo.s32 v, t0, t1, t2;\n" +
		"ld.param.u32 n, [p_n]; setp.ge.u32 p, v, n; @p bra done;\nmov.b32 l, 7;\n" +
		strings.NewReplacer("$0", "r", "$1", "v", "$2", "l", "$p", "p_block").Replace(text) +
		"ld.param.u64 o, [p_out]; mul.wide.u32 x, v, 8; add.s64 o, o, x; st.global.b64 [o], r;\ndone: ret;\n}\n\x00"
}

func TestGPUInstructions(t *testing.T) {
	c, err := driver.Open(0)
	if errors.Is(err, driver.ErrNotSupported) || err == nil && strings.Contains(c.Device().Name, "Emulated") {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	must(t, err)
	must(t, c.Close())
	testInstructions(t, newBench(t, 5000), whole)
	testMemory(t, newBench(t, 1000), whole)
}
