// This file reads what was added to tables since a snapshot.

package iceberg_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables/iceberg"
)

// TestSinceRandom: between any two snapshots there are the rows that were appended, under
// any condition, or an error where some were deleted.
func TestSinceRandom(t *testing.T) {
	testlong.Project(t)
	compared, refused := 0, 0
	for seed := range testlong.Of(20, 200) {
		rng := rand.New(rand.NewPCG(uint64(seed), 78))
		dir := filepath.Join(t.TempDir(), "table")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		o := craft.Options{Version: 1 + rng.IntN(3), Hash: iceberg.Murmur3, Location: []string{"", "/lake/elsewhere/table"}[rng.IntN(2)]}
		w := craft.RandomGrowing(rng, dir, o)
		for range 12 {
			i := rng.IntN(len(w.Snapshots))
			j := i + rng.IntN(len(w.Snapshots)-i)
			end := &w.Snapshots[j]
			var rows []craft.Row
			removed, unsure := false, false
			for _, s := range w.Snapshots[i+1 : j+1] {
				rows = append(rows, s.Added...)
				removed = removed || s.Op == "delete"
				unsure = unsure || s.Op == "overwrite" && o.Version == 1 // without counts of files
			}
			columns := w.Schemas[end.Schema]
			o := arrow.Options{Since: fmt.Sprint(w.Snapshots[i].ID), Snapshot: fmt.Sprint(end.ID)}
			var where *condition
			if rng.IntN(2) > 0 {
				c := randomCondition(rng, columns, 2)
				where, o.Where = &c, c.text
			}
			got, d, err := read(t.Context(), dir, columns, o)
			if removed {
				if !errors.Is(err, arrow.ErrRemoved) {
					t.Fatalf("seed %d: %d to %d of %s: %v", seed, i, j, dir, err)
				}
				refused++
				continue
			}
			if unsure && errors.Is(err, arrow.ErrRemoved) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %d to %d of %s: %v", seed, i, j, dir, err)
			}
			if want := expected(rows, where); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d to %d where %q: %d rows\n%v\nwant %d\n%v", seed, i, j, o.Where, len(got), got, len(want), want)
			}
			if s := d.Info().Snapshots[0]; s.ID != o.Snapshot || s.Since != o.Since {
				t.Fatalf("seed %d: %+v", seed, s)
			}
			compared++
		}
	}
	t.Logf("%d read, %d refused", compared, refused)
	if min(compared, refused) < 10 {
		t.Error("too few")
	}
}

// TestSinceErrors: unknown and missing snapshots are errors of their kind.
func TestSinceErrors(t *testing.T) {
	w := craft.New(t.TempDir(), small, rand.New(rand.NewPCG(8, 8)), craft.Options{Version: 2, Plain: true})
	w.AppendOnly(numbered(0, 10))
	w.AppendOnly(numbered(10, 20))
	w.AppendOnly(numbered(20, 30))
	w.Compact(1)
	w.DeletePositions(map[int][]int{0: {2, 3}})
	w.AppendOnly(numbered(30, 40))
	id := func(i int) string { return fmt.Sprint(w.Snapshots[i].ID) }
	try := func(since, end int, is error, says string) {
		t.Helper()
		got, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(since), Snapshot: id(end)})
		if !errors.Is(err, is) || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d to %d: %d rows, %v; want %v: %s", since, end, len(got), err, is, says)
		}
	}
	try(1, 5, arrow.ErrRemoved, "rows were removed or changed: after snapshot "+id(1)+", snapshot "+id(4)+" of 2023-11-14T22:13:24.168Z (delete) removed files with rows, or added deletes; read the whole table")
	try(5, 2, arrow.ErrSnapshot, "which is newer")
	if _, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: "77"}); !errors.Is(err, arrow.ErrSnapshot) || !strings.Contains(err.Error(), "77") {
		t.Error(err)
	}
	// Another table at the same path.
	const itself = "00000000-0000-0000-0000-000000000001"
	if _, d, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(5), TableID: itself}); err != nil || d.Info().Snapshots[0].TableID != itself {
		t.Error(err)
	}
	if _, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(5), TableID: "other"}); !errors.Is(err, arrow.ErrSnapshot) || !strings.Contains(err.Error(), "the table was made anew: its table-uuid is "+itself) {
		t.Error(err)
	}
	// Nothing new, also by the name of the branch.
	for _, o := range []arrow.Options{{Since: id(5)}, {Since: "main"}, {Since: id(2), Snapshot: id(3)}} {
		if got, _, err := read(t.Context(), w.Dir, small, o); err != nil || len(got) != 0 {
			t.Error(got, err)
		}
	}
	// A file that was added and compacted is read where it was, while it is there.
	if got, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(0), Snapshot: id(3)}); err != nil || len(got) != 20 {
		t.Error(got, err)
	}
	if err := os.Remove(filepath.Join(w.Dir, "data", "4.parquet")); err != nil {
		t.Fatal(err)
	}
	try(0, 3, input.ErrVacuumed, "read the whole table")
	// Snapshots expire: of the one that is named its child is enough.
	expire(t, w.Dir, 1)
	if got, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(0), Snapshot: id(1)}); err == nil || len(got) != 0 {
		t.Error("4.parquet was removed, and can't be read", got, err)
	}
	if got, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(4)}); err != nil || len(got) != 10 {
		t.Error(got, err)
	}
	expire(t, w.Dir, 3)
	if got, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(3)}); !errors.Is(err, arrow.ErrRemoved) {
		t.Error(got, err)
	}
	_, _, err := read(t.Context(), w.Dir, small, arrow.Options{Since: id(1)})
	if !errors.Is(err, arrow.ErrSnapshot) {
		t.Error(err)
	}
	for _, c := range []arrow.Options{{Since: "1"}} { // what has no snapshots
		if _, err := arrow.Open(t.Context(), []string{"../../../../../testdata/karate.parquet"}, c); err == nil || !strings.Contains(err.Error(), "leave out Since") {
			t.Error(err)
		}
	}
}

// expire takes the first snapshots out of the current metadata.
func expire(t *testing.T, dir string, n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "metadata", "*.metadata.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
	last := files[len(files)-1]
	b, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	m["snapshots"] = m["snapshots"].([]any)[n:]
	refs := map[string]any{"main": m["refs"].(map[string]any)["main"]}
	m["refs"] = refs
	if b, err = json.Marshal(m); err == nil {
		err = os.WriteFile(last, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
