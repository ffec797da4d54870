// This file tests that arguments are laid out as the kernels take them.

package sets

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "operators/sets/sets.cu",
		layouttest.Kernels("sets_*", setsArgs{}),
		layouttest.Constant("kUnion", 0),
		layouttest.Constant("kIntersection", 1),
	)
}
