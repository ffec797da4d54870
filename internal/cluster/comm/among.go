// This file holds exchanges between some ranks.

package comm

import (
	"context"
	"fmt"
	"slices"
)

// ExchangeAmong is an Exchange in which a rank sends only to the given ranks, and receives only from these: in and out
// are empty for the others. MPI then sends them no messages. Every rank makes the call with its own list of ranks; of
// two ranks, either both name each other or neither does.
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
