// This file tests that what the host shares with kernels is laid out as they have
// it.

package gpu

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "frontier/queue.cuh",
		structs.Struct("Mail", Mail{}),
		structs.Struct("Post", Post{}),
		structs.Constant("sizeof(Slot)", slotBytes),
		structs.Constant("kCounts", Counts),
		structs.Constant("kBlock", Block),
	)
}
