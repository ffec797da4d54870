// This file reads what was added to random Delta Lake tables since a version.

package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compact moves the rows of a file into another one, as OPTIMIZE does.
func (d *deltaTable) compact() {
	f := d.pick()
	if f == nil {
		return
	}
	name, err := url.PathUnescape(f.path)
	if err != nil {
		d.t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
	if err != nil {
		return // it was vacuumed, and came back
	}
	d.ids++
	g := *f
	g.path, g.action = fmt.Sprintf("moved-%d.parquet", d.ids), maps.Clone(f.action)
	g.action["path"], g.action["dataChange"] = g.path, false
	samples.WriteTo(d.t, filepath.Join(d.dir, g.path), data)
	gone := d.removal(f)
	gone["dataChange"] = false
	delete(d.live, f.path)
	d.live[g.path] = &g
	d.commit(map[string]any{"remove": gone}, map[string]any{"add": g.action})
	// A later commit has new rows again.
	g.action = maps.Clone(g.action)
	g.action["dataChange"] = true
	if d.r.IntN(4) == 0 {
		os.Remove(filepath.Join(d.dir, filepath.FromSlash(name))) // vacuumed
	}
}

// change is what a commit did, by its file.
type deltaChange struct {
	added   []*deltaFile
	removed bool
}

func (d *deltaTable) lastChange() (c deltaChange) {
	data, err := os.ReadFile(filepath.Join(d.dir, "_delta_log", fmt.Sprintf("%020d.json", d.version-1)))
	if err != nil {
		d.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var a map[string]struct {
			Path       string `json:"path"`
			DataChange bool   `json:"dataChange"`
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			d.t.Fatal(err)
		}
		if add, ok := a["add"]; ok && add.DataChange {
			c.added = append(c.added, d.live[add.Path])
		}
		c.removed = c.removed || a["remove"].DataChange
	}
	return c
}

// rowsOf is model for some files, and gone whether one of them isn't there.
func (d *deltaTable) rowsOf(changes []deltaChange) (rows []string, gone bool) {
	some := *d
	some.live = map[string]*deltaFile{}
	for _, c := range changes {
		for _, f := range c.added {
			some.live[f.path] = f
			name, _ := url.PathUnescape(f.path)
			if _, err := os.Stat(filepath.Join(d.dir, filepath.FromSlash(name))); err != nil {
				gone = true
			}
		}
	}
	return some.model(), gone
}

// TestDeltaSince: since any version there are the rows of the files that were added later,
// or an error that says why there aren't.
func TestDeltaSince(t *testing.T) {
	testlong.Project(t)
	outcomes := map[string]int{}
	for seed := range seeds(100) {
		r := rand.New(rand.NewPCG(seed, 34))
		d := newDeltaTable(t, r, t.TempDir())
		var changes []deltaChange
		check := func() {
			v := d.version - 1
			for s := range d.version {
				o := Options{Since: fmt.Sprint(s)}
				if r.IntN(2) == 0 {
					o.Snapshot = fmt.Sprint(v)
				}
				between := changes[s+1:]
				want, gone := d.rowsOf(between)
				got, _, err := allRows(context.Background(), []string{d.dir}, o)
				is, outcome := error(nil), "read"
				switch {
				case !d.hasCommits(s+1, v):
					is, outcome = input.ErrSnapshot, "cleaned up"
				case slices.ContainsFunc(between, func(c deltaChange) bool { return c.removed }):
					is, outcome = input.ErrRemoved, "removed"
				case gone:
					is, outcome = input.ErrVacuumed, "vacuumed"
				}
				outcomes[outcome]++
				if !errors.Is(err, is) || is == nil && !slices.Equal(got, want) {
					t.Fatalf("seed %d, since %d up to %d (%s): %v, %d rows:\n%s\nwant %d:\n%s", seed, s, v, outcome, err, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
				}
			}
		}
		for range 1 + r.IntN(8) {
			switch r.IntN(6) {
			case 0:
				d.step()
			case 1:
				before := d.version
				if d.compact(); d.version == before {
					continue
				}
			default:
				if r.IntN(3) == 0 {
					d.change()
				}
				f := d.newFile(r.IntN(20))
				d.live[f.path] = f
				d.commit(map[string]any{"add": f.action})
			}
			changes = append(changes, d.lastChange())
			if r.IntN(5) == 0 {
				d.checkpoint()
				if r.IntN(3) == 0 {
					d.cleanUp()
				}
			}
			check()
		}
	}
	t.Log(outcomes)
	if len(outcomes) < 4 {
		t.Error("not all outcomes came up")
	}
}

func (d *deltaTable) hasCommits(from, to int) bool {
	for v := from; v <= to; v++ {
		if _, err := os.Stat(filepath.Join(d.dir, "_delta_log", fmt.Sprintf("%020d.json", v))); err != nil {
			return false
		}
	}
	return true
}
