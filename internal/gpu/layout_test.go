// This file tests that what the host shares with kernels is laid out as they have
// it.

package gpu

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "frontier/queue.cuh",
		layouttest.Struct("Mail", Mail{}),
		layouttest.Struct("Post", Post{}),
		layouttest.Constant("sizeof(Slot)", slotBytes),
		layouttest.Constant("kCounts", Counts),
		layouttest.Constant("kBlock", Block),
	)
}
