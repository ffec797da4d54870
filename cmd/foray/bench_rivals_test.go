// This file holds the tests of figures of other systems.

package main

import (
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

const rivalsFile = "../../bench/rivals.csv"

// TestSpeedPicture: README's picture is what the command makes of the figures, and README has that command.
func TestSpeedPicture(t *testing.T) {
	made := filepath.Join(t.TempDir(), "speed.svg")
	out, _ := foray(t, 0, "bench", "--rivals", rivalsFile, "--plot", made)
	if out != "plot       "+made+"\n" {
		t.Errorf("%q", out)
	}
	if read(t, made) != read(t, "../../docs/speed.svg") {
		t.Error("docs/speed.svg isn't made from bench/rivals.csv; run foray bench --rivals bench/rivals.csv --plot docs/speed.svg")
	}
	contains(t, read(t, "../../README.md"), "](docs/speed.svg)", "foray bench --rivals bench/rivals.csv --plot docs/speed.svg")
}

// TestBenchRivals: figures stand beside those of the same graph and algorithm, in text and JSON, and in a picture that is XML.
func TestBenchRivals(t *testing.T) {
	rivals := write(t, "rivals.csv", `system,graph,algorithm,machine,date,ms,gteps,source,version,note
GAP,karate,bfs --parents,two <cores> & more,2026-11-21,3 4 5,,book,1.5,"noted, once"
Gunrock,karate.el,bfs,a card,2026-11-22,4,9,book,,
Gunrock,karate,cc,a card,2026-11-22,4,9,book,,
Gunrock,kron99,bfs,a card,2026-11-22,4,9,book,,
`)
	plot := filepath.Join(t.TempDir(), "x.svg")
	out, _ := foray(t, 0, "bench", karate, "--device", "host", "--rivals", rivals, "--plot", plot, "--algo", "bfs,dobfs", "--sources", "2", "--trials", "1")
	contains(t, out, "beside "+rivals, "Gunrock", "2026-11-22", "a card", "not comparable, since they compute something else: bfs --parents\n")
	lacks(t, out, "noted")
	out, _ = foray(t, 0, "bench", karate, "--device", "host", "--workers", "2", "--rivals", rivals, "--plot", plot, "--parents", "--sources", "2", "--trials", "1")
	contains(t, out, "GAP 1.5", "2026-11-21", "two <cores> & more", "noted, once", "Gunrock")
	lacks(t, out, "not comparable")
	picture := read(t, plot)
	contains(t, picture, "prefers-color-scheme:dark", "measured now", "host of 2 workers", "Foray dobfs ", "GAP 1.5 4 ms", "GAP 1.5 (karate): measured 2026-11-21 on two &lt;cores&gt; &amp; more; noted, once.")
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	out, _ = foray(t, 0, "bench", karate, "--device", "host", "--rivals", rivals, "--plot", plot, "--json", "--sources", "2", "--trials", "1")
	contains(t, out, `"rivals": [`, `"ratio": `, `"system": "Gunrock"`)
	lacks(t, out, "plot ")
	out, _ = foray(t, 0, "bench", karate, "--device", "host", "--rivals", rivals, "--algo", "cc", "--trials", "1")
	contains(t, out, "beside "+rivals, "Gunrock")
	out, _ = foray(t, 0, "bench", "gen:star:9", "--device", "host", "--rivals", rivals, "--sources", "1", "--trials", "1")
	contains(t, out, rivals+" has no figures of this graph by these algorithms\n")
	for _, name := range []string{"sssp", "cc"} {
		foray(t, 0, "bench", "--rivals", rivalsFile, "--plot", plot, "--algo", name)
		contains(t, read(t, plot), "H200", "kron22", "Foray")
	}
	for _, c := range []struct {
		status int
		args   []string
		says   string
	}{
		{2, []string{"--rivals", rivals}, "bench needs a PATH"},
		{2, []string{"--plot", plot}, "bench needs a PATH"},
		{2, []string{karate, "--plot", plot}, "--plot draws the figures of --rivals"},
		{2, []string{karate, "--rivals", rivals, "--plot", "x.png"}, "must end in .svg"},
		{2, []string{karate, "--rivals", rivals, "--plot", "s3://b/x.svg"}, "plots are local files"},
		{2, []string{karate, "--rivals", "s3://b/r.csv"}, "want a local file"},
		{2, []string{"--rivals", rivals, "--plot", plot, "--algo", "bfs,cc"}, "name one by --algo"},
		{1, []string{"--rivals", rivals, "--plot", plot, "--algo", "lpa"}, "no two systems have figures of lpa"},
		{1, []string{karate, "--rivals", filepath.Join(t.TempDir(), "none")}, "no such file"},
		{1, []string{karate, "--rivals", t.TempDir()}, "it is a directory"},
		{1, []string{karate, "--rivals", karate}, "line 1: "},
		{1, []string{karate, "--rivals", write(t, "bad.csv", strings.Replace(read(t, rivals), "3 4 5", "3 4 -5", 1))}, `bad.csv: bench: no table of rivals' figures: line 2: ms is "-5"`},
	} {
		_, errs := foray(t, c.status, append([]string{"bench"}, c.args...)...)
		if !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %q, want %q in one line", c.args, errs, c.says)
		}
	}
}

// TestSpeedPictureTexts: a name that has no place in XML is shown without it.
func TestSpeedPictureTexts(t *testing.T) {
	var p speedPanel
	p.add("a\x01\xff\ufffe<&", speedMark{name: "x\x02", low: 1, ms: 1, high: 1, note: "\x03"})
	d := xml.NewDecoder(strings.NewReader(speedPicture("\x04", "rounds", "f.csv", []speedPanel{p})))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for x, want := range map[float64]float64{1: 1, .075: .05, .2: .2, 99: 50, 3: 2} {
		if got := roundDown(x); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%v is %v rounded down, want %v", x, got, want)
		}
	}
}

// TestBenchPaperRivals: the report has figures of the same graph, by its file's name or its own. It compares no stand-in with
// figures of the original.
func TestBenchPaperRivals(t *testing.T) {
	testlong.Project(t)
	rivals := write(t, "rivals.csv", "system,graph,algorithm,machine,date,ms,source\nGAP <1>,karate,bfs,two cores,2026-11-21,3,book\nGAP,club,bfs,two cores,2026-11-22,3,book\nGAP,kkt_power,bfs,two cores,2026-11-22,3,book\n")
	dir := filepath.Join(t.TempDir(), "report")
	foray(t, 0, "bench", "paper", "-o", dir, "--sources", "1", "--trials", "1", "--device", "host", "--graph", "club="+karate, "--graph", "kkt_power", "--rivals", rivals)
	table := read(t, filepath.Join(dir, "rivals.csv"))
	if n := strings.Count(table, "\n"); n != 1+2*6 || strings.Contains(table, "kkt_power") {
		t.Errorf("%s", table)
	}
	contains(t, read(t, filepath.Join(dir, "report.html")), "--rivals ", "Beside other systems", "GAP &lt;1&gt;", "two cores")
}

// TestBenchPaperAlone: two runs don't write the same report; what isn't a lock stays.
func TestBenchPaperAlone(t *testing.T) {
	testlong.Project(t)
	dir := filepath.Join(t.TempDir(), "report")
	args := []string{"bench", "paper", "-o", dir, "--sources", "1", "--trials", "1", "--device", "host", "--graph", "club=" + karate}
	release, err := holdReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, errs := foray(t, 1, args...)
	contains(t, errs, "another run writes this report; wait until it ends")
	release()
	foray(t, 0, args...)
	lock := dir + ".partial.lock"
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock is left")
	}
	if err := os.WriteFile(lock, nil, 0o666); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	foray(t, 0, args...)
	if err := os.WriteFile(lock, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, errs = foray(t, 1, args...)
	contains(t, errs, "it isn't the lock of a run")
	if read(t, lock) != "mine" {
		t.Error("a file of the user's was changed")
	}
}
