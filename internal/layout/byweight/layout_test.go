package byweight

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

// TestLayout compares with what the kernels have.
func TestLayout(t *testing.T) {
	structs.Run(t, "internal/layout/byweight/byweight.cu", structs.Kernels("ascend_*", args{}))
}
