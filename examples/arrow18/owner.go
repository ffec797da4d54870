// This file holds what ties a result to its records.

package arrow18

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/algos/bfs"
)

// owner is a reader of a result's records that frees the result, which must be
// there until all are read, with its last Release.
type owner struct {
	array.RecordReader
	found *bfs.Result
	uses  atomic.Int64
}

// Retain counts one more use.
func (o *owner) Retain() { o.uses.Add(1) }

// Release ends one.
func (o *owner) Release() {
	if o.uses.Add(-1) == 0 {
		o.RecordReader.Release()
		o.found.Close()
	}
}
