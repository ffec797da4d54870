// This file holds the tests of the page and its plots.

package page

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// wellFormed fails the test if a picture isn't XML, or has NaN or infinity in it.
func wellFormed(t *testing.T, what, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Errorf("%s: %v\n%s", what, err, svg)
			return
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("%s has a number that is none:\n%s", what, svg)
	}
}

// TestPictures: pictures of no, one, many, zero and huge values are well-formed, whatever the names are.
func TestPictures(t *testing.T) {
	const name = `<script>"&'`
	long := make([]float64, 10_000)
	for i := range long {
		long[i] = float64(i)
	}
	for what, values := range map[string][]float64{"none": nil, "zero": {0}, "one": {1}, "few": {1, 10, 0, 3}, "long": long, "huge": {1, math.MaxUint64}, "small": {.001, .5}} {
		c := []Curve{{"l0", name, values}, {"l3", name, values}}
		for _, log := range []bool{false, true} {
			p := Plot{Title: name, X: name, Y: name, Log: log, Dots: true, Curves: c, Bands: [][2]int{{0, 0}, {2, 3}}, BandName: name}
			wellFormed(t, what, p.SVG())
		}
		bins := make([]string, len(values))
		for i := range bins {
			bins[i] = name
		}
		for n := range c {
			wellFormed(t, what, (&Histogram{name, name, name, bins, c[:n+1]}).SVG())
		}
		var bars []Bar
		for _, v := range values[:min(len(values), 9)] {
			bars = append(bars, Bar{"c1", strings.Repeat(name, 20), name, v})
		}
		wellFormed(t, what, RowsOfBars(name, name, bars))
		wellFormed(t, what, Curves(name, c))
	}
}

// TestPlot: values stand at their places.
func TestPlot(t *testing.T) {
	svg := (&Plot{Log: true, Dots: true, Curves: []Curve{{"l0", "vertices", []float64{1, 100}}}, Bands: [][2]int{{1, 1}}, BandName: "pulled"}).SVG()
	for _, want := range []string{
		`<circle class="c0" cx="50.0"`, `<circle class="c0" cx="348.0" cy="26.0"`, // the first and the last; 100 is the top
		`<rect class="band" x="199.0" y="26" width="149.0" height="130"/>`, `>100</text>`, `>pulled</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
}

// TestEscapes: texts of a page are escaped.
func TestEscapes(t *testing.T) {
	const name = `<script>alert("&")</script>`
	p := New(name)
	p.Text("p", "%s", name)
	p.Facts([][2]string{{name, name}})
	p.Figure(name, name, [][]string{{name}, {name}}, func() { p.Picture("<svg></svg>") })
	p.Command(name)
	var b strings.Builder
	if err := p.End(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "<script") || strings.Count(s, "&lt;script&gt;") != 10 {
		t.Errorf("%d names are escaped:\n%s", strings.Count(s, "&lt;script&gt;"), s)
	}
}

// TestDotsFit: a plot of ratios has a picture for narrow pages; marks are fractions and powers, and long names keep both ends.
func TestDotsFit(t *testing.T) {
	svg := Dots("ratios", []string{"a-graph-with-a-long-name-that-ends-in-first", "a-graph-with-a-long-name-that-ends-in-second"}, []string{"one", "two"}, [][]float64{{1. / 256, 1}, {1, 4}})
	for _, want := range []string{`class="wide" viewBox="0 0 760 `, `class="narrow" viewBox="0 0 360 `, ">1/256×<", ">4×<", "-in-first<", "-in-second<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
	for e, want := range map[int]string{0: "1×", -1: "1/2×", 10: "1024×", -10: "1/1024×"} {
		if got := multiple(e); got != want {
			t.Errorf("2^%d is %s", e, got)
		}
	}
	if far := multiple(-12); !strings.HasPrefix(far, "2<") || !strings.Contains(far, "-12") {
		t.Error(far)
	}
	for name, want := range map[string]string{"abcdefgh": "abcdefgh", "abcdefghi": "abcd…ghi", "äöüßäöüßé": "äöüß…üßé"} {
		if got := short(name, 8); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if bars := RowsOfBars("bars", "ms", []Bar{{Name: strings.Repeat("long", 40) + "-7"}}); !strings.Contains(bars, "-7<") {
		t.Error(bars)
	}
}
