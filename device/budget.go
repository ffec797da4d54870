// This file holds Budget, which divides memory among searches.

package device

import "github.com/foray-graph/foray/internal/engine/budget"

// ErrBudget: a request for more memory than a Budget has in total, so that
// waiting for it would never end.
var ErrBudget = budget.ErrLarge

// Budget shares a number of bytes, such as the GPU memory that searches may take, among pools of searchers. A pool
// that needs more than is left waits in a queue, first come, first served, until others have returned enough, instead
// of failing. It is safe for concurrent use. Its zero value is a budget of 0 bytes. It only counts the memory of pools.
type Budget struct{ in budget.Budget }

// NewBudget returns a budget of the given number of bytes.
func NewBudget(bytes uint64) *Budget { return &Budget{budget.Budget{Bytes: bytes}} }

// Total returns the total number of bytes.
func (b *Budget) Total() uint64 { return b.in.Bytes }

// Used returns the number of bytes that are held, including those that idle searchers keep.
func (b *Budget) Used() uint64 { return b.in.Used() }

// State is the budget as pools use it.
func (b *Budget) State() *budget.Budget { return &b.in }
