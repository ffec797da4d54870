// This file tests that arguments are laid out as the kernels take them.

package scan

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/engine/scan/scan.cu",
		structs.Kernels("scan_*", scanArgs{}),
	)
}
