// This file holds exchanges between some ranks.

package comm

import (
	"context"
	"fmt"
	"slices"
)

// ExchangeAmong is an Exchange in which a rank sends to some ranks alone, and gets from these: what is in and out for
// others is empty. MPI sends nothing to others then. Every rank makes the call, each with ranks of its own; of two
// ranks both name the other or neither does.
func ExchangeAmong(ctx context.Context, c Comm, ranks []int, out [][]byte) (in [][]byte, err error) {
	for r, list := range out {
		if len(list) > 0 && r != c.Rank() && !slices.Contains(ranks, r) {
			err := fmt.Errorf("an Exchange among ranks %v was given a list for rank %d", ranks, r)
			c.Abort(err)
			return nil, err
		}
	}
	if a, ok := c.(interface {
		exchangeAmong(ctx context.Context, ranks []int, out [][]byte) ([][]byte, error)
	}); ok {
		if ranks == nil {
			ranks = []int{}
		}
		return a.exchangeAmong(ctx, ranks, out)
	}
	return c.Exchange(ctx, out)
}
