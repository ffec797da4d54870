// This file holds the tests of the pictures.

package main

import (
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestBFSPlots(t *testing.T) {
	testlong.Project(t)
	dir := t.TempDir()
	for name, args := range map[string]string{
		"pull": "gen:kron10", "push": "gen:star:9 --algo bfs", "one": "gen:path:2 --depth-limit 1", "lone": karate + " --directed -s 34",
		"deep": "gen:path:30000 -s 0", "wide": "gen:grid2d:90x90 -s 0 -s 8099", "limited": "gen:grid2d:9x9 --depth-limit 2",
	} {
		for _, ext := range []string{"svg", "PNG"} {
			path := filepath.Join(dir, name+"."+ext)
			out, _ := foray(t, 0, append(append([]string{"bfs"}, strings.Fields(args)...), "--plot", path)...)
			contains(t, out, "plot       "+path+"\n")
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if ext == "svg" {
				err = wellFormed(f)
			} else {
				_, err = png.Decode(f)
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			f.Close()
		}
	}
	svg := read(t, filepath.Join(dir, "pull.svg"))
	contains(t, svg, "depth (edges from vertex ", "size of the frontier (log scale)", "Breadth-first search of gen:kron10", "edges out of the frontier", "vertices in the frontier", "levels that were pulled")
	contains(t, read(t, filepath.Join(dir, "wide.svg")), "depth (edges from the nearest of 0, 8099)")
	if strings.Contains(read(t, filepath.Join(dir, "deep.svg")), "log scale") {
		t.Error("a frontier of one vertex on a logarithmic axis")
	}
	if strings.Contains(read(t, filepath.Join(dir, "push.svg")), "pulled") {
		t.Error("pulls in the legend where there was none")
	}
	if strings.Contains(read(t, filepath.Join(dir, "lone.svg")), "edges out") {
		t.Error("edges in the legend where there is none")
	}
}

// wellFormed reads XML to its end.
func wellFormed(r io.Reader) error {
	d := xml.NewDecoder(r)
	for n := 0; ; n++ {
		if _, err := d.Token(); errors.Is(err, io.EOF) && n > 0 {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestTicks: both ends of an axis have labels, for all ranges of values.
func TestTicks(t *testing.T) {
	labels := func(ticks []tick) string {
		var s []string
		for _, k := range ticks {
			if k.label != "" {
				s = append(s, k.label)
			}
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		hi   float64
		want string
	}{{10, "1 10"}, {3e6, "1 10 100 1 k 10 k 100 k 1 M"}, {2e13, "1 100 10 k 1 M 100 M 10 G 1 T"}} {
		if got := labels(decades(1, c.hi)); got != c.want {
			t.Errorf("up to %g: %s, want %s", c.hi, got, c.want)
		}
	}
	if got := power(21); got != "1e21" {
		t.Errorf("10^21 is %s", got)
	}
	for _, c := range []struct {
		hi   float64
		want string
	}{{0.5, "0"}, {4.5, "0 1 2 3 4"}, {664.5, "0 100 200 300 400 500 600"}, {59.5, "0 5 10 15 20 25 30 35 40 45 50 55"}, {2e6, "0 500,000 1,000,000 1,500,000 2,000,000"}} {
		if got := labels(wholes(-0.5, c.hi)); got != c.want {
			t.Errorf("up to %g: %s, want %s", c.hi, got, c.want)
		}
	}
	if got := cut("abcdefghijklmnop", 10); got != "abcd...nop" {
		t.Errorf("cut to %s", got)
	}
}
