package placed

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/tuning"
)

// TestDealtBytes: an R-MAT graph of 2^31 vertices and 16 edges for each fits eight GPUs of 141 GB, in batches, and one
// of 2^28 fits four at once.
func TestDealtBytes(t *testing.T) {
	for _, c := range []struct {
		scale, devices int
		batch, most    uint64
	}{{31, 8, tuning.ShardBatch, 100e9}, {28, 4, 0, 45e9}, {28, 4, tuning.ShardBatch, 25e9}} {
		p := Plan{Space: 1 << c.scale, Pairs: 16 << c.scale, Batch: c.batch}
		settling, dealing, batch := p.ShardPhases(c.devices, 2*p.Pairs/uint64(c.devices))
		t.Logf("2^%d on %d, in batches of %d: %.1f and %.1f GB", c.scale, c.devices, batch, float64(settling)/1e9, float64(dealing)/1e9)
		if need := p.ShardBytes(c.devices); need != max(settling, dealing) || need > c.most || need < 12<<c.scale {
			t.Errorf("2^%d on %d: %d bytes, want %d at most", c.scale, c.devices, need, c.most)
		}
	}
}
