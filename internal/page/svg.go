// This file holds the pictures of the page, as SVG inside HTML. Colors are classes, which the page's style sets for
// light and dark.

package page

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The measures of a plot, in CSS pixels.
const (
	plotWidth, plotHeight = 360, 190
	plotLeft, plotRight   = 50, 12
	plotTop, plotBottom   = 26, 34
	plotPoints            = 400 // a curve has at most so many points: of more, the largest of each group
	plotTicks             = 4
	letterWidth           = 5.4 // about
)

// SI returns a number with a unit's prefix: 12.3k.
func SI(x float64) string {
	for _, u := range []struct {
		by   float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= u.by {
			return fmt.Sprintf("%.3g%s", x/u.by, u.name)
		}
	}
	return fmt.Sprintf("%.3g", x)
}

// step returns a round number so that about so many steps reach x.
func step(x float64, steps int) float64 {
	if x <= 0 {
		return 1
	}
	raw := x / float64(steps)
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*unit >= raw {
			return m * unit
		}
	}
	return 10 * unit
}

// Curve is values by a whole number, in the color of a class: l0 to l3.
type Curve struct {
	Class, Name string
	Values      []float64
}

// thinned returns at most plotPoints of the values, with the place of each.
func thinned(values []float64) (at, y []float64) {
	group := (len(values) + plotPoints - 1) / plotPoints
	for i := 0; i < len(values); i += group {
		best := i
		for j := i; j < min(i+group, len(values)); j++ {
			if values[j] > values[best] {
				best = j
			}
		}
		at, y = append(at, float64(best)), append(y, values[best])
	}
	return at, y
}

// Curves returns a plot of values by iteration.
func Curves(title string, list []Curve) string {
	return (&Plot{Title: title, X: "iteration", Curves: list}).SVG()
}

// Bars returns a small picture of a histogram, on a logarithmic scale.
func Bars(title string, counts []uint64) string {
	const width, height = 90, 24
	var b strings.Builder
	most := 1.0
	for _, c := range counts {
		most = max(most, math.Log2(float64(c)+1))
	}
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height, html.EscapeString(title))
	each := float64(width) / float64(max(len(counts), 1))
	for i, c := range counts {
		h := math.Log2(float64(c)+1) / most * height
		fmt.Fprintf(&b, `<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, float64(i)*each, height-h, each*.85, h)
	}
	b.WriteString("</svg>")
	return b.String()
}

// Dots returns a plot of ratios to 1, a line for each graph, with a dot for each algorithm, on a logarithmic scale. There are
// two pictures, of which the style shows the one that fits the page's width.
func Dots(title string, rows []string, names []string, ratios [][]float64) string {
	wide := dots{class: "wide", width: 760, left: 170, line: 22, perRow: 4, each: 180, mostTicks: 8}
	narrow := dots{class: "narrow", width: plotWidth, left: 14, line: 34, under: 10, perRow: 2, each: 172, mostTicks: 4}
	return wide.svg(title, rows, names, ratios) + narrow.svg(title, rows, names, ratios)
}

// dots is the layout of a plot of ratios.
type dots struct {
	class        string
	width, left  float64
	line, under  int // of a graph; how far its dots are under its name, or 0: the name is left of them
	perRow, each int // names of algorithms in a row, and the width of one
	mostTicks    float64
}

func (d *dots) svg(title string, rows []string, names []string, ratios [][]float64) string {
	const right = 20
	top := 28 + 16*((len(names)+d.perRow-1)/d.perRow)
	low, high := .5, 2.0
	for _, r := range ratios {
		for _, v := range r {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	low, high = math.Floor(math.Log2(low)), math.Ceil(math.Log2(high))
	every := math.Ceil((high - low) / d.mostTicks) // else marks would run into each other
	x := func(v float64) float64 { return d.left + (math.Log2(v)-low)/(high-low)*(d.width-d.left-right) }
	height := top + d.line*len(rows) + 8
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="%s" viewBox="0 0 %.0f %d" role="img" aria-label="%s">`, d.class, d.width, height, html.EscapeString(title))
	for e := low; e <= high; e++ {
		v := math.Pow(2, e)
		class := "grid"
		if v == 1 {
			class = "one"
		}
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, class, x(v), x(v), top-8, height-4)
		if math.Mod(e, every) == 0 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(v), top-12, multiple(int(e)))
		}
	}
	for k, n := range names {
		x, y := 24+k%d.perRow*d.each, 8+k/d.perRow*16
		fmt.Fprintf(&b, `<circle class="c%d" cx="%d" cy="%d" r="4.5"/><text x="%d" y="%d">%s</text>`, k, x, y, x+9, y+4, html.EscapeString(n))
	}
	for i, name := range rows {
		y := top + d.line*i + d.line/2 + d.under/2
		if d.under > 0 {
			name = short(name, int((d.width-d.left)/letterWidth))
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`, 4, y-d.under, html.EscapeString(name))
		} else {
			fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="end">%s</text>`, d.left-12, y+4, html.EscapeString(short(name, int((d.left-12)/letterWidth))))
		}
		for k, v := range ratios[i] {
			if v > 0 {
				fmt.Fprintf(&b, `<circle class="c%d" cx="%.1f" cy="%d" r="4.5"/>`, k, x(v), y)
			}
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

// multiple is a power of two as a mark: 1/8×, 4×, and far from 1 as a power.
func multiple(exponent int) string {
	switch {
	case exponent > 10 || exponent < -10:
		return fmt.Sprintf(`2<tspan dy="-4" font-size="8">%d</tspan><tspan dy="4">×</tspan>`, exponent)
	case exponent < 0:
		return fmt.Sprintf("1/%d×", 1<<-exponent)
	}
	return fmt.Sprintf("%d×", 1<<exponent)
}

// short cuts a name in the middle: names of one kind often begin alike.
func short(name string, letters int) string {
	r := []rune(name)
	if len(r) <= letters {
		return name
	}
	last := (letters - 1) / 2
	return string(r[:letters-1-last]) + "…" + string(r[len(r)-last:])
}
