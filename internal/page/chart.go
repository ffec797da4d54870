// This file holds plots over labels: stacked bars, and curves with a dot for each label.

package page

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Part is a series that has one color in all pictures of a page: c0 to c8 of the style.
type Part struct {
	Color int
	Name  string
}

// Plots writes pictures side by side, each after its title.
func (p *Page) Plots(pairs ...string) {
	p.Raw("<div class=\"plots\">\n")
	for i := 0; i < len(pairs); i += 2 {
		p.Raw("<div>")
		p.Text("h3", "%s", pairs[i])
		p.Raw(pairs[i+1] + "</div>\n")
	}
	p.Raw("</div>\n")
}

// chart is a plot over labels.
type chart struct {
	strings.Builder
	top, bottom, most, each float64
}

func newChart(title, axis, unit string, labels []string, parts []Part, most float64) *chart {
	perRow, column, row := 3, 115, 14 // of the legend
	if len(parts) < perRow {          // whose names may be longer
		perRow, column = 2, 172
	}
	rows := (len(parts) + perRow - 1) / perRow
	height := plotHeight + row*(rows+1)
	by := step(most, plotTicks)
	c := &chart{top: float64(row*rows + 22), bottom: float64(height - plotBottom), most: max(by*math.Ceil(most/by), by), each: float64(plotWidth-plotLeft-plotRight) / float64(max(len(labels), 1))}
	fmt.Fprintf(c, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, height, html.EscapeString(title))
	for i, p := range parts {
		x, y := i%perRow*column+6, i/perRow*row+2
		fmt.Fprintf(c, `<rect class="c%d" x="%d" y="%d" width="9" height="9"/><text x="%d" y="%d">%s</text>`, p.Color, x, y, x+13, y+8, html.EscapeString(p.Name))
	}
	fmt.Fprintf(c, `<text x="6" y="%.0f">%s</text>`, c.top-8, html.EscapeString(unit))
	for v := 0.0; v <= c.most*1.001; v += by {
		fmt.Fprintf(c, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, plotLeft, plotWidth-plotRight, c.y(v), c.y(v), plotLeft-5, c.y(v)+3.5, SI(v))
	}
	for i, l := range labels {
		fmt.Fprintf(c, `<text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`, c.x(i), c.bottom+14, html.EscapeString(l))
	}
	fmt.Fprintf(c, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, (plotLeft+plotWidth-plotRight)/2, height-5, html.EscapeString(axis))
	return c
}

// x is the middle of a label.
func (c *chart) x(i int) float64 { return plotLeft + (float64(i)+.5)*c.each }

func (c *chart) y(v float64) float64 { return c.bottom - v/c.most*(c.bottom-c.top) }

// Stacks returns a plot of a bar for each label, whose parts are stacked, the first one at the bottom.
func Stacks(title, axis, unit string, labels []string, parts []Part, values [][]float64) string {
	most := 0.0
	for _, v := range values {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		most = max(most, sum)
	}
	c := newChart(title, axis, unit, labels, parts, most)
	for i, v := range values {
		sum := 0.0
		for k, x := range v {
			sum += x
			if x > 0 {
				fmt.Fprintf(c, `<rect class="c%d" x="%.1f" y="%.2f" width="%.1f" height="%.2f"/>`, parts[k].Color, c.x(i)-.35*c.each, c.y(sum), .7*c.each, c.y(sum-x)-c.y(sum))
			}
		}
	}
	c.WriteString("</svg>")
	return c.String()
}

// Lines returns a plot of a curve for each part, with a dot for each label.
func Lines(title, axis, unit string, labels []string, parts []Part, values [][]float64) string {
	most := 0.0
	for _, v := range values {
		for _, x := range v {
			most = max(most, x)
		}
	}
	c := newChart(title, axis, unit, labels, parts, most)
	for k, v := range values {
		fmt.Fprintf(c, `<polyline style="stroke:var(--c%d)" points="`, parts[k].Color)
		for i, x := range v {
			fmt.Fprintf(c, "%.1f,%.1f ", c.x(i), c.y(x))
		}
		c.WriteString(`"/>`)
		for i, x := range v {
			fmt.Fprintf(c, `<circle class="c%d" cx="%.1f" cy="%.1f" r="3"/>`, parts[k].Color, c.x(i), c.y(x))
		}
	}
	c.WriteString("</svg>")
	return c.String()
}
