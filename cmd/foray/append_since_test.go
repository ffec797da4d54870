// This file tests append with what a table got since a snapshot.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/io/arrow"
)

func TestAppendSince(t *testing.T) {
	dir := deltaOfKarate(t) // 0: a path; 1: the karate club, too; 2: without the path
	graphs := t.TempDir()
	g, h := filepath.Join(graphs, "g.foray"), filepath.Join(graphs, "h.foray")
	edges := func(path string) string {
		out, _ := foray(t, 0, "convert", path, "-")
		return out
	}
	foray(t, 0, "convert", dir, g, "--snapshot", "0")
	before := edges(g)
	// Nothing is new: the file stays.
	was, err := os.Stat(g)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := foray(t, 0, "append", g, dir, "--since", "0", "--snapshot", "0")
	if want := fmt.Sprintf("%s stays as it is: %s: no rows were added since version 0 (version 0 is read)\n", g, dir); out != want {
		t.Errorf("%q, want %q", out, want)
	}
	out, _ = foray(t, 0, "append", g, dir, "--since", "0", "--as-of", "2026-01-02", "--where", "year = 2024")
	contains(t, out, "stays as it is: "+dir+": no row meets the condition")
	if is, err := os.Stat(g); err != nil || !os.SameFile(is, was) {
		t.Error("the file was rewritten", err)
	}
	out, _ = foray(t, 0, "append", g, dir, "--since", "2", "-o", h) // into another file all the same
	contains(t, out, "h.foray: 2 edges, 3 vertices; before 2 edges, 3 vertices; "+dir+": no rows were added since version 2 (version 2 is read); in ")
	if edges(h) != before {
		t.Error("the copy differs")
	}
	out, _ = foray(t, 0, "append", g, dir, "--since", "0", "--snapshot", "1")
	contains(t, out, "g.foray: 78 edges, 34 vertices; before 2 edges, 3 vertices; version 1 of "+dir+" read; in ")
	foray(t, 0, "convert", dir, h, "--snapshot", "1")
	if edges(g) != edges(h) {
		t.Error("a graph of version 0 with what was added differs from one of version 1")
	}
	for _, x := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, dir + ": rows were removed or changed: after version 1, version 2 of 2026-01-03T00:00:00Z removed the data file \"path.parquet\" or rows of it; read the whole table; foray convert " + dir + " " + g, []string{dir, "--since", "1"}},
		{1, "no such snapshot: version 2 is newer than version 1, which is read", []string{dir, "--since", "2", "--snapshot", "1"}},
		{1, `no such snapshot: "soon" is not a version`, []string{dir, "--since", "soon"}},
		{2, karate + " is no table of Iceberg or Delta Lake, so that it has no snapshots; leave out --since", []string{karate, "--since", "1"}},
		{2, "--since is for a table of a data lake", []string{"gen:path:3", "--since", "1"}},
		{2, "--since is for a table of a data lake", []string{h, "--since", "1"}},
		{2, "--since names a snapshot of one table", []string{dir, dir, "--since", "1"}},
		{2, "--since names a snapshot of one table", []string{dir, "--edges", dir, "--since", "1"}},
		{2, "--since is empty", []string{dir, "--since", ""}},
		{2, "--since needs EDGES, and none are given", []string{"--remove-vertices", karate, "--since", "1"}},
	} {
		_, errs := foray(t, x.status, append([]string{"append", g}, x.args...)...)
		contains(t, errs, x.want)
	}
	// Cleaned up, and vacuumed.
	foray(t, 0, "convert", dir, g, "--snapshot", "0")
	if err := os.Remove(filepath.Join(dir, "karate.parquet")); err != nil {
		t.Fatal(err)
	}
	_, errs := foray(t, 3, "append", g, dir, "--since", "0", "--snapshot", "1")
	contains(t, errs, "karate.parquet: the file was vacuumed or expired: ", "foray convert "+dir+" "+g)
}

// TestAppendSinceLast: a prepared graph keeps which snapshot it has of which rows.
func TestAppendSinceLast(t *testing.T) {
	dir := deltaOfKarate(t)
	g := filepath.Join(t.TempDir(), "g.foray")
	madeOf := func(want ...string) {
		t.Helper()
		out, _ := foray(t, 0, "info", g)
		var lines string
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "made of") {
				lines += line
			}
		}
		all := ""
		for _, w := range want {
			all += "made of        " + w + "\n"
		}
		if lines != all {
			t.Errorf("%q, want %q", lines, all)
		}
	}
	of := " of " + dir + ", a table of Delta Lake"
	foray(t, 0, "convert", dir, g, "--snapshot", "0")
	madeOf("version 0" + of)
	out, _ := foray(t, 0, "append", g, dir+"/", "--since", "last", "--snapshot", "1")
	contains(t, out, "78 edges, 34 vertices; before 2 edges, 3 vertices; version 1 of ")
	madeOf("version 1" + of)
	out, _ = foray(t, 0, "append", g, dir, "--since", "last", "--snapshot", "1")
	contains(t, out, "g.foray stays as it is: "+dir+": no rows were added since version 1 (version 1 is read)\n")
	// Another condition is another part of the table.
	_, errs := foray(t, 2, "append", g, dir, "--since", "last", "--where", "year = 2025")
	contains(t, errs, "g.foray has another part of "+dir+", the one without --where; name a snapshot")
	foray(t, 0, "append", g, dir, "--where", "year = 2025", "--snapshot", "1")
	madeOf("version 1"+of, "version 1"+of+", its rows where year = 2025")
	// What came after a later snapshot than the graph's doesn't make it one of the last.
	foray(t, 0, "convert", dir, g, "--snapshot", "0")
	foray(t, 1, "append", g, dir, "--since", "last")
	madeOf("version 0" + of)
	foray(t, 0, "append", g, karate)
	foray(t, 0, "append", g, "--remove-vertices", write(t, "ids.txt", "1\n"))
	foray(t, 0, "convert", g, g+".foray")
	g += ".foray"
	madeOf("version 0" + of)
	_, errs = foray(t, 2, "append", g, karate, "--since", "last")
	contains(t, errs, "doesn't say which snapshot of "+karate+" it has; name it")
	out, _ = foray(t, 0, "append", g, dir, "--since", "0", "--snapshot", "1")
	contains(t, out, "version 1 of "+dir+" read")
	madeOf("version 1" + of)
	// An earlier one doesn't lead back.
	out, _ = foray(t, 0, "append", g, dir, "--snapshot", "0")
	contains(t, out, "version 0 of "+dir+" read, the graph has version 1 already, and is still recorded as made of that; in ")
	madeOf("version 1" + of)
	// What was taken away isn't there any more.
	out, _ = foray(t, 0, "append", g, dir, "--snapshot", "1", "--remove")
	contains(t, out, "version 1 of "+dir+" read, the graph is no longer recorded as made of "+dir+"; in ")
	madeOf()
	// Nor is what was never there.
	out, _ = foray(t, 0, "append", g, dir, "--since", "0", "--snapshot", "1")
	contains(t, out, "the graph has no record of "+dir+" and gets none, since only rows after version 0 were added; in ")
	madeOf()
}

// TestWithTable: a graph that got what came after another snapshot than its own stays where it was.
func TestWithTable(t *testing.T) {
	at := func(path, where, id, since string) arrow.TableSnapshot {
		return arrow.TableSnapshot{Format: "Delta Lake", Path: path, Where: where, ID: id, Since: since}
	}
	all := []arrow.TableSnapshot{at("a", "", "3", ""), at("b", "x", "5", "")}
	for _, c := range []struct {
		more arrow.TableSnapshot
		want string
	}{
		{at("a", "", "9", ""), "5 9"}, {at("a", "", "9", "3"), "5 9"}, {at("a", "", "9", "4"), "3 5"}, {at("a", "", "9", "2"), "5 9"}, {at("a", "", "2", ""), "3 5"}, {at("a", "", "2", "1"), "3 5"},
		{at("b", "x", "9", "5"), "3 9"}, {at("b", "", "9", "5"), "3 5"}, {at("c", "", "9", "4"), "3 5"}, {at("c", "", "9", ""), "3 5 9"},
	} {
		got := ""
		after, note := withTable(all, c.more)
		if (note == "") != slices.Contains(after, c.more) {
			t.Errorf("%+v: %q", c.more, note)
		}
		for _, t := range after {
			got += " " + t.ID
		}
		if got[1:] != c.want {
			t.Errorf("%+v: %q, want %q", c.more, got[1:], c.want)
		}
	}
	// Snapshots of Iceberg have no order but their times.
	day := func(id string, d int, since string) arrow.TableSnapshot {
		return arrow.TableSnapshot{Format: "Apache Iceberg", Path: "i", ID: id, Time: time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC), Since: since}
	}
	for _, c := range []struct {
		more arrow.TableSnapshot
		want string
	}{{day("70", 1, ""), "80"}, {day("70", 3, ""), "70"}, {day("70", 3, "80"), "70"}, {day("70", 3, "60"), "80"}, {day("70", 1, "60"), "80"}} {
		if got, _ := withTable([]arrow.TableSnapshot{day("80", 2, "")}, c.more); len(got) != 1 || got[0].ID != c.want {
			t.Errorf("%+v: %+v, want %s", c.more, got, c.want)
		}
	}
	_, err := lastSnapshot("g", "c", "", []arrow.TableSnapshot{at(tablePath("c"), "", "1", ""), at(tablePath("c"), "", "2", "")})
	if err == nil || !strings.Contains(err.Error(), "several snapshots of c") {
		t.Error(err)
	}
}

// TestAppendSinceOtherTable: a table that was recreated at the same path has versions with the same names.
func TestAppendSinceOtherTable(t *testing.T) {
	dir := deltaOfKarate(t)
	g := filepath.Join(t.TempDir(), "g.foray")
	replace := func(version int, old, new string) {
		t.Helper()
		name := filepath.Join(dir, fmt.Sprintf("_delta_log/%020d.json", version))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), old) {
			t.Fatalf("%s: no %s", name, old)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(b), old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	foray(t, 0, "convert", dir, g, "--snapshot", "0")
	replace(0, `"id":"1"`, `"id":"another"`)
	for _, since := range []string{"last", "0", "7"} {
		_, errs := foray(t, 1, "append", g, dir, "--since", since, "--snapshot", "1")
		contains(t, errs, dir+": no such snapshot: the table was made anew: its metaData.id is another, and that of the table whose snapshot is meant was 1")
	}
	// In the log, of a graph that doesn't know the table.
	replace(0, `"id":"another"`, `"id":"1"`)
	meta, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("_delta_log/%020d.json", 0)))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(string(meta), "\n")[1]
	foray(t, 0, "convert", karate, g)
	replace(1, "{", line+"\n{")
	foray(t, 0, "append", g, dir, "--since", "0", "--snapshot", "1", "-o", g+".foray")
	replace(1, `"id":"1"`, `"id":"another"`)
	_, errs := foray(t, 1, "append", g, dir, "--since", "0", "--snapshot", "1")
	contains(t, errs, "after version 0, version 1 made the table anew: its metaData.id is another and was 1")
	if id := knownTable(dir, "", []arrow.TableSnapshot{{Path: tablePath(dir), ID: "0"}}); id != "" {
		t.Errorf("the record of an older build, which has no id, has %q", id)
	}
}
