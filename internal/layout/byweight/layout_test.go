package byweight

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

// TestLayout compares with what the kernels have.
func TestLayout(t *testing.T) {
	layouttest.Run(t, "internal/layout/byweight/byweight.cu", layouttest.Kernels("ascend_*", args{}))
}
