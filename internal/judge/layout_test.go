// This file tests that arguments are laid out as the kernels have them.

package judge

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "internal/judge/judge.cu", layouttest.Kernels("judge_*", args{}))
}
