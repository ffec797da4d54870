// This file holds dictionaries. All readers of a file share them.

package ipc

import (
	"context"
	"io"
	"sort"
	"sync"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// dictCache holds the dictionaries that are in use.
type dictCache struct {
	mu     sync.Mutex
	mem    *columnar.Memory
	load   column // reads the values
	meta   []byte
	chains map[dictKey]*chain
}

// dictKey tells dictionaries apart. Columns may share one.
type dictKey struct {
	id   int64
	want columnar.Kind
	format
}

// chain is a dictionary and the deltas that were added to it. Values are only
// ever appended, so that readers keep what they were given.
type chain struct {
	blocks []int // of File.dicts, those with this id
	base   int   // the one that the values begin with
	done   int   // those that are read
	values columnar.Vector
	lens   []int // after each block since base
	nulls  []int
}

func (d *dictCache) init(f *File) {
	d.mem = columnar.NewFixed(f.Size)
	d.load.mem = d.mem
	d.chains = map[dictKey]*chain{}
}

// look gets the dictionary of a column, as it is after so many dictionary
// batches.
func (c *column) look(ctx context.Context, src io.ReaderAt, dicts int) error {
	d := &c.file.cache
	d.mu.Lock()
	defer d.mu.Unlock()
	key := dictKey{id: c.leaf.dictID, want: c.want, format: c.leaf.format}
	ch := d.chains[key]
	if ch == nil {
		ch = &chain{base: -1}
		for i, b := range c.file.dicts {
			if b.id == key.id {
				ch.blocks = append(ch.blocks, i)
			}
		}
		d.chains[key] = ch
	}
	n := sort.SearchInts(ch.blocks, dicts)
	if n == 0 {
		return columnar.Corrupt("its dictionary %d is missing", key.id)
	}
	base := n - 1
	for base > 0 && c.file.dicts[ch.blocks[base]].delta {
		base--
	}
	if ch.base != base {
		ch.values.Forget(d.mem)
		ch.base, ch.done, ch.lens, ch.nulls = base, base, nil, nil
	}
	for ch.done < n {
		if err := d.add(ctx, c, ch, src); err != nil {
			ch.base = -1 // what is there is of no use
			return err
		}
	}
	at := n - 1 - base
	c.dict = ch.values.Head(ch.lens[at], ch.nulls[at])
	return nil
}

// add reads the next block of a chain.
func (d *dictCache) add(ctx context.Context, c *column, ch *chain, src io.ReaderAt) error {
	b, err := c.file.batchAt(src, c.file.dicts[ch.blocks[ch.done]].Block, headerDictionary, &d.meta)
	if err != nil {
		return err
	}
	v, col := &ch.values, &d.load
	if v.Len() == 0 {
		if err := v.Reset(d.mem, c.want, 0); err != nil {
			return err
		}
	}
	if err := col.open(c.file, src, b, c.leaf, c.want, true); err != nil {
		return err
	}
	for col.left > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(col.left, step))
		if err := v.Room(d.mem, n); err != nil {
			return err
		}
		if _, err := col.some(v, n); err != nil {
			return err
		}
	}
	if err := v.Finish(d.mem); err != nil {
		return err
	}
	ch.lens = append(ch.lens, v.Len())
	ch.nulls = append(ch.nulls, v.Nulls)
	ch.done++
	return nil
}
