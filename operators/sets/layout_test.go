// This file tests that arguments are laid out as the kernels take them.

package sets

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "operators/sets/sets.cu",
		structs.Kernels("sets_*", setsArgs{}),
		structs.Constant("kUnion", 0),
		structs.Constant("kIntersection", 1),
	)
}
