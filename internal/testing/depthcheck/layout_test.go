// This file tests that arguments are laid out as the kernels have them.

package depthcheck

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/testing/depthcheck/judge.cu", structs.Kernels("judge_*", args{}))
}
