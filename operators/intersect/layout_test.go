// This file tests that arguments are laid out as the kernels take them.

package intersect

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "operators/intersect/intersect.cu",
		layouttest.Kernels("tasks_*", intersectArgs{}),
		layouttest.Kernels("*_pairs_*", intersectArgs{}, layouttest.AtMost(Params{})),
		layouttest.Kernels("*_table_*", intersectArgs{}, layouttest.AtMost(Params{})),
	)
	layouttest.Run(t, "operators/intersect/triangles.cu",
		layouttest.Kernels("orient_*", triangleArgs{}), layouttest.Kernels("fill_bits_*", triangleArgs{}),
		layouttest.Kernels("long_*", triangleArgs{}), layouttest.Kernels("short_*", triangleArgs{}),
		layouttest.Kernels("*_degrees_*", rankArgs{}), layouttest.Kernels("*_ranks_*", rankArgs{}),
		layouttest.Kernels("*_rows_*", rankArgs{}), layouttest.Kernels("sort_*", rankArgs{}), layouttest.Kernels("merge_*", rankArgs{}),
		layouttest.Constant("kDegrees", degreeClasses),
		layouttest.Constant("kBlock", triangleBlock),
		layouttest.Constant("kRowPart", devicePartRow),
	)
}
