// This file tests that arguments are laid out as the kernels take them.

package scan

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "operators/scan/scan.cu",
		layouttest.Kernels("scan_*", scanArgs{}),
	)
}
