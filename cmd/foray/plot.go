// This file holds the picture of a search: the size of the frontier by level.

package main

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"sort"
	"strings"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/text"
)

// The picture's measures, in points of 1/72 inch.
const (
	plotWidth  = 18 * 72 / 2.54
	plotHeight = 11 * 72 / 2.54
	plotDPI    = 144
	// plotDots is up to how many levels have a dot each: more would run into
	// each other.
	plotDots = 50
	// plotLinear is the largest size with a linear axis: a logarithmic one has
	// nothing between 1 and 10.
	plotLinear = 10
	// plotLeast is where a logarithmic axis begins: below 1, which would not be seen
	// on the axis itself.
	plotLeast = 0.7
	// plotPad keeps the ends of a curve of many levels off the sides, as a share
	// of the levels.
	plotPad    = 0.015
	plotMargin = 10.0 // on all sides
	plotSide   = 16.0 // for the label of the vertical axis
	plotHead   = 58.0 // for title and legend
	plotFoot   = 32.0 // for the horizontal axis, its numbers and its label
	plotThumb  = 22.0 // of a line in the legend
	plotGap    = 18.0 // between entries of the legend
	plotTick   = 5.0  // length of a mark of an axis
	plotLine   = 1.4  // width of a curve
	plotDot    = 2.6  // radius of a dot
	plotHair   = 0.5  // width of axes and grid

	titleSize, labelSize, tickSize = 12.0, 10.0, 9.0 // of texts
)

var (
	vertexColor = color.RGBA{R: 0x0b, G: 0x5f, B: 0xa5, A: 0xff}
	edgeColor   = color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	pullColor   = color.RGBA{R: 0xe6, G: 0xe9, B: 0xee, A: 0xff}
	gridColor   = color.RGBA{R: 0xd0, G: 0xd0, B: 0xd0, A: 0xff}
	axisColor   = color.RGBA{A: 0xff}
	whiteColor  = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// plotFormat is the format that a picture's name says, or nothing.
func plotFormat(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		return ext[1:]
	}
	return ""
}

// checkPlot refuses a picture that can't be drawn before anything is read.
func checkPlot(path string) error {
	if path == "" {
		return nil
	}
	if inStore(path) {
		return usagef("--plot %s: plots are local files; name one, and copy it to the store", path)
	}
	if plotFormat(path) == "" {
		return usagef("--plot %s: the name must end in .svg or .png", path)
	}
	return checkOutput(path)
}

// plotLevels draws the levels of a search into a file.
func plotLevels(ctx context.Context, path string, s summary) error {
	f, err := atomicfile.Create(ctx, path)
	if err != nil {
		return err
	}
	defer f.Abort()
	var c canvas
	if plotFormat(path) == "svg" {
		c = newSVG(plotWidth, plotHeight)
	} else {
		c = newPNG(plotWidth, plotHeight)
	}
	picture, err := levelPicture(s)
	if err != nil {
		return err
	}
	picture.draw(c)
	if err := c.writeTo(f); err != nil {
		return f.Explain(err)
	}
	return f.Commit()
}

// picture is curves over a horizontal axis of whole numbers.
type picture struct {
	title          []string // lines
	xLabel, yLabel string
	left, right    float64 // values at the ends of the axes
	bottom, top    float64
	log            bool // the vertical axis is logarithmic
	xTicks, yTicks []tick
	bands          [][2]float64 // parts of the horizontal axis on a gray ground
	curves         []curve
}

// curve is a line through points, with a dot for each or none.
type curve struct {
	name   string
	at     []point // values of both axes
	color  color.RGBA
	square bool // dots are squares
	dots   bool
}

// tick is a mark of an axis.
type tick struct {
	value float64
	label string
}

func (p *picture) draw(c canvas) {
	c.polygon(whiteColor, box(0, 0, plotWidth, plotHeight)...)
	widest := 0.0
	for _, t := range p.yTicks {
		widest = max(widest, textWidth(t.label, tickSize))
	}
	left, right := plotMargin+plotSide+widest+plotTick+3, plotWidth-plotMargin
	top, bottom := plotMargin+plotHead, plotHeight-plotMargin-plotFoot
	x := func(v float64) float64 { return left + (v-p.left)/(p.right-p.left)*(right-left) }
	y := func(v float64) float64 {
		lo, hi := p.bottom, p.top
		if p.log {
			v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
		}
		return bottom - (v-lo)/(hi-lo)*(bottom-top)
	}

	for _, b := range p.bands {
		c.polygon(pullColor, box(max(x(b[0]), left), top, min(x(b[1]), right), bottom)...)
	}
	for _, t := range p.yTicks {
		at := y(t.value)
		c.line(gridColor, plotHair, point{left, at}, point{right, at})
		c.line(axisColor, plotHair, point{left - plotTick, at}, point{left, at})
		c.text(t.label, point{left - plotTick - 3, at}, tickSize, alignEnd, false)
	}
	for _, t := range p.xTicks {
		if t.value < p.left || t.value > p.right {
			continue
		}
		c.line(axisColor, plotHair, point{x(t.value), bottom}, point{x(t.value), bottom + plotTick})
		c.text(t.label, point{x(t.value), bottom + plotTick + 7}, tickSize, alignMiddle, false)
	}
	c.line(axisColor, plotHair, point{left, top}, point{left, bottom}, point{right, bottom})
	for _, v := range p.curves {
		at := make([]point, len(v.at))
		for i, q := range v.at {
			at[i] = point{x(q.x), y(q.y)}
		}
		v.draw(c, at)
	}
	c.text(p.xLabel, point{(left + right) / 2, plotHeight - plotMargin - labelSize/2}, labelSize, alignMiddle, false)
	c.text(p.yLabel, point{plotMargin + labelSize/2, (top + bottom) / 2}, labelSize, alignMiddle, true)
	p.drawHead(c)
}

// drawHead draws the title and the legend.
func (p *picture) drawHead(c canvas) {
	at, size := plotMargin+titleSize/2, titleSize
	for _, l := range p.title {
		c.text(l, point{plotWidth / 2, at}, size, alignMiddle, false)
		at += size * 1.35
		size = labelSize // of all but the first
	}
	names := make([]string, 0, len(p.curves)+1)
	for _, v := range p.curves {
		names = append(names, v.name)
	}
	if len(p.bands) > 0 {
		names = append(names, "levels that were pulled")
	}
	width := -plotGap
	for _, n := range names {
		width += plotThumb + 4 + textWidth(n, tickSize) + plotGap
	}
	x := (plotWidth - width) / 2
	at += 4
	for i, n := range names {
		if i < len(p.curves) {
			p.curves[i].thumb(c, x, at)
		} else {
			c.polygon(pullColor, box(x, at-tickSize/2, x+plotThumb, at+tickSize/2)...)
		}
		x += plotThumb + 4
		c.text(n, point{x, at}, tickSize, alignStart, false)
		x += textWidth(n, tickSize) + plotGap
	}
}

// draw draws the curve through places.
func (v *curve) draw(c canvas, at []point) {
	c.line(v.color, plotLine, at...)
	if v.dots {
		for _, q := range at {
			v.mark(c, q)
		}
	}
}

// thumb draws the curve's sign in the legend.
func (v *curve) thumb(c canvas, x, y float64) {
	c.line(v.color, plotLine, point{x, y}, point{x + plotThumb, y})
	if v.dots {
		v.mark(c, point{x + plotThumb/2, y})
	}
}

func (v *curve) mark(c canvas, at point) {
	if v.square {
		c.polygon(v.color, box(at.x-plotDot, at.y-plotDot, at.x+plotDot, at.y+plotDot)...)
	} else {
		c.dot(v.color, at, plotDot)
	}
}

// levelPicture draws the vertices of the frontier, and the edges that lead out
// of them, by depth, with pulled levels on a gray ground.
func levelPicture(s summary) (*picture, error) {
	depths, err := s.res.Depths()
	if err != nil {
		return nil, err
	}
	ls := levels(s.res)
	edges := make([]uint64, len(ls))
	at := levelOf(ls)
	for v, d := range depths {
		if d >= 0 {
			edges[at(d)] += s.g.Degree(uint32(v))
		}
	}
	var vs, es []point
	most := 1.0
	for i, l := range ls { // of several levels the mean, in their middle
		x, out := float64(l.depth())+float64(l.Levels-1)/2, float64(edges[i])/float64(l.Levels)
		vs = append(vs, point{x, l.size()})
		if out > 0 { // there is no place for 0 on a logarithmic axis
			es = append(es, point{x, out})
		}
		most = max(most, l.size(), out)
	}

	from := "vertex "
	if len(s.res.Sources) > 1 {
		from = "the nearest of "
	}
	p := &picture{
		xLabel: "depth (edges from " + from + cut(s.sourceIDs(), 40) + ")",
		yLabel: "size of the frontier",
		title: []string{
			"Breadth-first search of " + cut(s.g.in.name, 70),
			fmt.Sprintf("%s of %s reached in %s; %s on %s, %s", text.Count(s.res.Reached), text.Plural(s.g.NumVertices(), "vertex"),
				text.Plural(s.res.Levels, "level"), s.res.Algorithm, s.res.Device, text.Duration(s.res.Elapsed)),
		},
		bands: pullBands(ls),
	}
	if most <= plotLinear {
		p.bottom, p.top = 0, 1.25*most
		p.yTicks = wholes(p.bottom, p.top)
	} else {
		p.yLabel += " (log scale)"
		p.log = true
		for i := range es {
			es[i].y = max(es[i].y, plotLeast)
		}
		p.bottom, p.top = plotLeast, 2*most
		p.yTicks = decades(p.bottom, p.top)
	}
	side := max(0.5, plotPad*float64(s.res.Levels))
	p.left, p.right = -side, float64(s.res.Levels)-1+side
	p.xTicks = wholes(p.left, p.right)
	for _, c := range []curve{
		{name: "edges out of the frontier", at: es, color: edgeColor, square: true},
		{name: "vertices in the frontier", at: vs, color: vertexColor},
	} {
		if len(c.at) > 0 {
			c.dots = len(ls) <= plotDots
			p.curves = append(p.curves, c)
		}
	}
	return p, nil
}

// levelOf returns what finds the entry of a depth.
func levelOf(ls []level) func(depth int32) int {
	return func(depth int32) int {
		at := int(depth)
		if at < len(ls) && ls[at].depth() == at { // those that stand for themselves come first
			return at
		}
		return sort.Search(len(ls), func(i int) bool { return ls[i].depth() > at }) - 1
	}
}

// pullBands returns where every run of pulled levels begins and ends.
func pullBands(ls []level) (bands [][2]float64) {
	for i := 0; i < len(ls); i++ {
		from := i
		for i < len(ls) && ls[i].expanded && ls[i].Direction == "pull" {
			i++
		}
		if i > from {
			end := ls[i-1]
			bands = append(bands, [2]float64{float64(ls[from].depth()) - 0.5, float64(end.depth()) + float64(end.Levels) - 0.5})
		}
	}
	return bands
}

// decades puts ticks at powers of ten, and labels as many as there is room for.
func decades(_, hi float64) []tick {
	const labels = 8
	last := int(math.Floor(math.Log10(hi)))
	step := last/labels + 1
	var ticks []tick
	for k := 0; k <= last; k++ {
		t := tick{value: math.Pow(10, float64(k))}
		if k%step == 0 {
			t.label = power(k)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// power is 10^k as people write it.
func power(k int) string {
	units := []string{"", " k", " M", " G", " T", " P", " E"}
	if k/3 >= len(units) {
		return fmt.Sprintf("1e%d", k)
	}
	return fmt.Sprintf("%d%s", int(math.Pow10(k%3)), units[k/3])
}

// wholes puts ticks at whole numbers, as many as there is room for.
func wholes(lo, hi float64) []tick {
	room := 12.0
	if hi >= 1e5 {
		room = 8 // long labels
	}
	step := 1
	for i := 0; (hi-lo)/float64(step) > room; i++ { // 1, 2, 5, 10, 20 and so on
		if i%3 == 1 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
	}
	var ticks []tick
	for x := 0; float64(x) <= hi; x += step {
		ticks = append(ticks, tick{float64(x), text.Count(x)})
	}
	return ticks
}

// cut shortens a text to so many runes.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2-1]) + "..." + string(r[len(r)-n/2+2:])
}
