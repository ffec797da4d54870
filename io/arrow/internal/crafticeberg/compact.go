// This file rewrites data files without changing rows.

package crafticeberg

import (
	"fmt"
	"math/rand/v2"
)

// Compact writes the rows of a data file, without those that are deleted, as another one,
// and returns the old file's path in Dir.
func (t *Table) Compact(i int) string {
	t.seq++
	id := t.newID()
	old := t.data[i]
	t.removeData(old, id)
	f := *old
	f.values, f.deleted, f.seq = nil, map[int]bool{}, t.seq
	if t.Version == 1 {
		f.seq = 0
	}
	for k, r := range old.values {
		if !old.deleted[k] {
			f.values = append(f.values, r)
		}
	}
	b := DataFile(f.columns, f.values, t.ids)
	f.path, f.rows, f.size = t.write(fmt.Sprintf("data/%d.parquet", t.next()), b), len(f.values), len(b)
	t.data = append(t.data, &f)
	t.commit("replace", []*file{&f}, id)
	return old.path[len(t.Location)+1:]
}

// Overwrite adds rows as a snapshot of operation overwrite does that replaces nothing.
func (t *Table) Overwrite(rows ...[]Row) {
	t.Append(rows...)
	t.Snapshots[len(t.Snapshots)-1].Op = "overwrite"
	t.WriteMetadata()
}

// RandomGrowing is Random for a table that mostly grows, and is compacted now and then.
func RandomGrowing(rng *rand.Rand, dir string, o Options) *Table {
	t := New(dir, randomColumns(), rng, o)
	names := 0
	for range 3 + rng.IntN(8) {
		changeTable(rng, t, &names, 4, 5, 12)
		switch n := rng.IntN(12); {
		case t.Files() == 0 || n < 6:
			t.Append(randomRows(rng, t.Columns())...)
		case n == 6:
			t.Overwrite(randomRows(rng, t.Columns())...)
		case n == 7:
			t.DropFile(rng.IntN(t.Files()))
		case n == 8 && t.Version > 1:
			if i := rng.IntN(t.Files()); t.Rows(i) > 0 {
				t.DeletePositions(map[int][]int{i: {rng.IntN(t.Rows(i))}})
			}
		case n == 9 && rng.IntN(2) == 0 && t.Version > 1:
			deleteEqual(rng, t)
		default:
			t.Compact(rng.IntN(t.Files()))
		}
	}
	return t
}
