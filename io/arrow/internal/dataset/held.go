// This file counts what reading takes where memory has a limit.

package dataset

import "runtime"

// atWork returns how many workers read a dataset, and what they hold. With a limit of memory they are as
// few as that asks for.
func (d *Dataset) atWork() (workers int, held uint64) {
	workers = d.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(int64(workers), 1+d.stats.Bytes/bytesPerWorker))
	each := uint64(integerWorker)
	if !d.schema.IDType.Integer() {
		each = stringWorker
	}
	if limit := d.o.Graph.MemoryLimit; limit > 0 {
		workers = max(1, int(min(uint64(workers), limit/readShare/each)))
	}
	// A small file doesn't fill the buffers: a byte of it becomes some tens.
	return workers, min(uint64(workers)*each, 1<<20+32*uint64(max(d.stats.Bytes, 0)))
}

// held returns the most that reading any of the tables holds.
func (d *Dataset) held() (most uint64) {
	for _, p := range d.parts() {
		_, held := p.atWork()
		most = max(most, held)
	}
	return most
}
