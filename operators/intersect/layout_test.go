// This file tests that arguments are laid out as the kernels take them.

package intersect

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "operators/intersect/intersect.cu",
		structs.Kernels("tasks_*", intersectArgs{}),
		structs.Kernels("*_pairs_*", intersectArgs{}, structs.AtMost(step.Params{})),
		structs.Kernels("*_table_*", intersectArgs{}, structs.AtMost(step.Params{})),
	)
	structs.Run(t, "operators/intersect/triangles.cu",
		structs.Kernels("orient_*", triangleArgs{}), structs.Kernels("fill_bits_*", triangleArgs{}),
		structs.Kernels("long_*", triangleArgs{}), structs.Kernels("short_*", triangleArgs{}),
		structs.Kernels("*_degrees_*", rankArgs{}), structs.Kernels("*_ranks_*", rankArgs{}),
		structs.Kernels("*_rows_*", rankArgs{}), structs.Kernels("sort_*", rankArgs{}), structs.Kernels("merge_*", rankArgs{}),
		structs.Constant("kDegrees", degreeClasses),
		structs.Constant("kBlock", triangleBlock),
		structs.Constant("kRowPart", devicePartRow),
	)
}
