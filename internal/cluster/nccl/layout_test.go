//go:build linux && (amd64 || arm64) && !nocuda

// This file tests that arguments are laid out as the kernel has them.

package nccl

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/cluster/nccl/unite.cu", structs.Kernels("nccl_unite", uniteArgs{}))
}
