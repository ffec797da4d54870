// This file tests what processes without a GPU tell the others.

package main

import (
	"errors"
	"testing"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

func TestFirstLacking(t *testing.T) {
	for _, lacking := range [][]int{{}, {1}, {2, 1}, {0, 1, 2}} {
		var own [3]error
		for _, r := range lacking {
			own[r] = errors.New("no driver")
		}
		done := make(chan error)
		for _, c := range comm.InProcess(3) {
			go func() {
				n, why, err := firstLacking(t.Context(), c, own[c.Rank()])
				want := map[int]string{0: "", 1: ": rank 1 has no GPU: no driver", 2: ": rank 1 has no GPU: no driver", 3: ": rank 0 has no GPU: no driver"}[len(lacking)]
				if n != len(lacking) || why != want {
					t.Errorf("%v: rank %d is told of %d, %q", lacking, c.Rank(), n, why)
				}
				done <- errors.Join(err, c.Close())
			}()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}
