// This file holds plots with labeled axes: curves, histograms and bars.

package page

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// drawing is a plot of fixed size with a vertical axis, as SVG.
type drawing struct {
	strings.Builder
	height      float64
	log         bool
	bottom, top float64 // values at the ends of the vertical axis
	nameAt      float64 // where the next name begins
}

const (
	leastLog  = .7 // where a logarithmic axis begins: a value of 1 is seen
	mostTicks = 6  // of a logarithmic axis
	mostDots  = 50 // of a curve: more would run into each other
)

// newDrawing returns a drawing whose vertical axis, with a label, reaches most.
func newDrawing(title, label string, most float64, log bool) *drawing {
	d := &drawing{log: log, height: plotHeight, nameAt: plotLeft}
	var ticks []float64
	if log {
		decades := math.Ceil(math.Log10(max(most, 10)))
		d.bottom, d.top = leastLog, math.Pow(10, decades)
		by := math.Ceil(decades / mostTicks)
		for e := 0.0; e <= decades; e += by {
			ticks = append(ticks, math.Pow(10, e))
		}
	} else {
		by := step(most, plotTicks)
		d.top = max(by*math.Ceil(most/by), by)
		for v := 0.0; v <= d.top*1.001; v += by {
			ticks = append(ticks, v)
		}
	}
	d.open(title)
	for _, v := range ticks {
		fmt.Fprintf(d, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, plotLeft, plotWidth-plotRight, d.y(v), d.y(v), plotLeft-5, d.y(v)+3.5, SI(v))
	}
	if label != "" {
		fmt.Fprintf(d, `<text transform="translate(10,%d) rotate(-90)" text-anchor="middle">%s</text>`, (plotTop+plotHeight-plotBottom)/2, html.EscapeString(label))
	}
	return d
}

func (d *drawing) open(title string) {
	fmt.Fprintf(d, `<svg viewBox="0 0 %d %.0f" role="img" aria-label="%s">`, plotWidth, d.height, html.EscapeString(title))
}

// y returns the place of a value.
func (d *drawing) y(v float64) float64 {
	share := v / d.top
	if d.log {
		share = math.Log(max(v, d.bottom)/d.bottom) / math.Log(d.top/d.bottom)
	}
	return plotHeight - plotBottom - share*(plotHeight-plotTop-plotBottom)
}

// under writes a mark of the horizontal axis.
func (d *drawing) under(x float64, s string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`, x, d.height-plotBottom+14, html.EscapeString(s))
}

// name writes what a color or a ground stands for above the plot.
func (d *drawing) name(class, s string) {
	fmt.Fprintf(d, `<text class="%s" x="%.1f" y="11">%s</text>`, class, d.nameAt, html.EscapeString(s))
	d.nameAt += letterWidth*float64(len(s)) + 14
}

// end labels the horizontal axis.
func (d *drawing) end(label string) string {
	fmt.Fprintf(d, `<text x="%d" y="%.0f" text-anchor="middle">%s</text></svg>`, (plotLeft+plotWidth-plotRight)/2, d.height-5, html.EscapeString(label))
	return d.String()
}

// Plot is curves over a horizontal axis of whole numbers from 0.
type Plot struct {
	Title  string // for screen readers
	X, Y   string // the axes; Y may be empty
	Log    bool   // the vertical axis is logarithmic; 0 is at its bottom
	Dots   bool   // few values have a dot each
	Curves []Curve
	// Bands are parts of the horizontal axis on a gray ground, from a first to a last number. BandName is their name.
	Bands    [][2]int
	BandName string
}

// SVG returns the plot.
func (p *Plot) SVG() string {
	most, n := 0.0, 1
	for _, c := range p.Curves {
		n = max(n, len(c.Values))
		for _, v := range c.Values {
			most = max(most, v)
		}
	}
	x := func(i float64) float64 {
		return plotLeft + i*float64(plotWidth-plotLeft-plotRight)/float64(max(n-1, 1))
	}
	d := newDrawing(p.Title, p.Y, most, p.Log)
	for _, b := range p.Bands {
		from, to := max(x(float64(b[0])-.5), plotLeft), min(x(float64(b[1])+.5), plotWidth-plotRight)
		fmt.Fprintf(d, `<rect class="band" x="%.1f" y="%d" width="%.1f" height="%d"/>`, from, plotTop, to-from, plotHeight-plotTop-plotBottom)
	}
	by := max(step(float64(n-1), plotTicks), 1)
	for i := 0.0; i <= float64(n-1); i += by {
		d.under(x(i), SI(i))
	}
	for _, c := range p.Curves {
		at, values := thinned(c.Values)
		fmt.Fprintf(d, `<polyline class="%s" points="`, c.Class)
		for i := range at {
			fmt.Fprintf(d, "%.1f,%.1f ", x(at[i]), d.y(values[i]))
		}
		d.WriteString(`"/>`)
		if p.Dots && len(c.Values) <= mostDots {
			for i := range at {
				fmt.Fprintf(d, `<circle class="c%s" cx="%.1f" cy="%.1f" r="2.4"/>`, strings.TrimPrefix(c.Class, "l"), x(at[i]), d.y(values[i]))
			}
		}
		d.name(c.Class, c.Name)
	}
	if len(p.Bands) > 0 {
		fmt.Fprintf(d, `<rect class="band" x="%.1f" y="2" width="%.1f" height="12"/>`, d.nameAt-4, letterWidth*float64(len(p.BandName))+8)
		d.name("", p.BandName)
	}
	return d.end(p.X)
}

// Histogram is counts by bin, on a logarithmic axis. Each series has its bars side by side with the others', in the color
// of a class l0 to l7.
type Histogram struct {
	Title, X, Y string
	Bins        []string
	Series      []Curve
}

// SVG returns the histogram.
func (h *Histogram) SVG() string {
	most, widest := 1.0, 1
	for _, s := range h.Series {
		for _, v := range s.Values {
			most = max(most, v)
		}
	}
	for _, b := range h.Bins {
		widest = max(widest, len(b))
	}
	d := newDrawing(h.Title, h.Y, most, true)
	each := float64(plotWidth-plotLeft-plotRight) / float64(max(len(h.Bins), 1))
	bar := min(each*.86/float64(max(len(h.Series), 1)), 40)
	every := int(math.Ceil((letterWidth*float64(widest) + 6) / each))
	for i, b := range h.Bins {
		middle := plotLeft + (float64(i)+.5)*each
		if i%every == 0 {
			d.under(middle, b)
		}
		for k, s := range h.Series {
			if i >= len(s.Values) || s.Values[i] == 0 {
				continue
			}
			left, top := middle+(float64(k)-float64(len(h.Series))/2)*bar, d.y(s.Values[i])
			fmt.Fprintf(d, `<rect class="c%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, strings.TrimPrefix(s.Class, "l"), left, top, bar*.94, plotHeight-plotBottom-top)
			if text := SI(s.Values[i]); len(h.Series) == 1 && letterWidth*float64(len(text)) <= each {
				fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, middle, top-3, text)
			}
		}
	}
	for _, s := range h.Series {
		d.name(s.Class, s.Name)
	}
	return d.end(h.X)
}

// Bar is a value with its name and its text, in the color of a class c0 to c8.
type Bar struct {
	Class, Name, Text string
	Value             float64
}

// RowsOfBars returns bars from left to right, one below the other. The horizontal axis has a label.
func RowsOfBars(title, label string, list []Bar) string {
	const left, right, line = 8, 76, 32
	longest := int(math.Floor((plotWidth - 2*left) / letterWidth)) // letters of a name
	most, d := 0.0, &drawing{height: float64(line*len(list) + plotBottom + 4)}
	for _, b := range list {
		most = max(most, b.Value)
	}
	by := step(most, plotTicks)
	top := max(by*math.Ceil(most/by), by)
	x := func(v float64) float64 { return left + v/top*(plotWidth-left-right) }
	d.open(title)
	for v := 0.0; v <= top*1.001; v += by {
		fmt.Fprintf(d, `<line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="%.0f"/>`, x(v), x(v), d.height-plotBottom)
		d.under(x(v), SI(v))
	}
	for i, b := range list {
		y := line * i
		fmt.Fprintf(d, `<text x="%d" y="%d">%s</text><rect class="%s" x="%d" y="%d" width="%.1f" height="10"/><text x="%.1f" y="%d">%s</text>`,
			left+2, y+12, html.EscapeString(short(b.Name, longest)), b.Class, left, y+17, max(x(b.Value)-left, .5), x(b.Value)+4, y+26, html.EscapeString(b.Text))
	}
	return d.end(label)
}
