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

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/text"
)

// The picture's measures.
const (
	plotWidth  = 18 * vg.Centimeter
	plotHeight = 11 * vg.Centimeter
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
	plotMargin = vg.Length(10) // on all sides; these are points
	plotSide   = vg.Length(16) // for the label of the vertical axis
	plotHead   = vg.Length(58) // for title and legend
	plotThumb  = vg.Length(22) // of a line in the legend
	plotGap    = vg.Length(18) // between entries of the legend
)

var (
	vertexColor = color.RGBA{R: 0x0b, G: 0x5f, B: 0xa5, A: 0xff}
	edgeColor   = color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	pullColor   = color.RGBA{R: 0xe6, G: 0xe9, B: 0xee, A: 0xff}
	gridColor   = color.RGBA{R: 0xd0, G: 0xd0, B: 0xd0, A: 0xff}
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
	pic, err := levelPicture(s)
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(ctx, path)
	if err != nil {
		return err
	}
	defer f.Abort()
	var canvas vg.CanvasWriterTo
	if plotFormat(path) == "svg" {
		canvas = vgsvg.New(plotWidth, plotHeight)
	} else {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(plotDPI))}
	}
	pic.draw(draw.New(canvas))
	if _, err := canvas.WriteTo(f); err != nil {
		return f.Explain(err)
	}
	return f.Commit()
}

// picture is a plot, and what stands around it. The plot's own legend would lie
// over the curves, and gonum finds a wrong middle of a logarithmic axis for its
// label.
type picture struct {
	plot   *plot.Plot
	yLabel string
	title  []string // lines
	legend []entry
}

// entry is an entry of a legend.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

func (p *picture) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, plotMargin, -plotMargin, plotMargin, -plotMargin)
	area := draw.Crop(c, plotSide, 0, 0, -plotHead)
	p.plot.Draw(area)

	style := p.plot.Y.Label.TextStyle
	style.XAlign, style.YAlign, style.Rotation = draw.XCenter, draw.YTop, math.Pi/2
	data := p.plot.DataCanvas(area)
	c.FillText(style, vg.Point{X: c.Min.X, Y: data.Center().Y}, p.yLabel)

	style = p.plot.Title.TextStyle
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	y := c.Max.Y
	for _, l := range p.title {
		c.FillText(style, vg.Point{X: c.Center().X, Y: y}, l)
		y -= style.Font.Size * 1.35
		style.Font.Size = p.plot.X.Label.TextStyle.Font.Size // of all but the first
	}

	style = p.plot.Legend.TextStyle
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	width := -plotGap
	for _, e := range p.legend {
		width += plotThumb + 4 + style.Width(e.name) + plotGap
	}
	x := c.Center().X - width/2
	y -= 4 + style.Font.Size/2
	for _, e := range p.legend {
		at := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - style.Font.Size/2}, Max: vg.Point{X: x + plotThumb, Y: y + style.Font.Size/2}}}
		for _, t := range e.thumbs {
			t.Thumbnail(&at)
		}
		x += plotThumb + 4
		c.FillText(style, vg.Point{X: x, Y: y}, e.name)
		x += style.Width(e.name) + plotGap
	}
}

// levelPicture draws the vertices of the frontier, and the edges that lead out
// of them, by depth, with pulled levels on a grey ground.
func levelPicture(s summary) (*picture, error) {
	ls := levels(s.res)
	edges := make([]uint64, len(ls))
	at := levelOf(ls)
	for v, d := range s.res.Depths() {
		if d >= 0 {
			edges[at(d)] += s.g.Degree(uint32(v))
		}
	}
	var vs, es plotter.XYs
	most := 1.0
	for i, l := range ls { // of several levels the mean, in their middle
		x, out := float64(l.Depth)+float64(l.Levels-1)/2, float64(edges[i])/float64(l.Levels)
		vs = append(vs, plotter.XY{X: x, Y: l.size()})
		if out > 0 { // there is no place for 0 on a logarithmic axis
			es = append(es, plotter.XY{X: x, Y: out})
		}
		most = max(most, l.size(), out)
	}

	p := plot.New()
	from := "vertex "
	if len(s.res.Sources) > 1 {
		from = "the nearest of "
	}
	p.X.Label.Text = "depth (edges from " + from + cut(s.sourceIDs(), 40) + ")"
	style(p)
	yLabel := "size of the frontier"
	if most <= plotLinear {
		p.Y.Min, p.Y.Max = 0, 1.25*most
		p.Y.Tick.Marker = plot.TickerFunc(wholes)
	} else {
		yLabel += " (log scale)"
		p.Y.Scale = plot.LogScale{}
		for i := range es {
			es[i].Y = max(es[i].Y, plotLeast)
		}
		p.Y.Min, p.Y.Max = plotLeast, 2*most
		p.Y.Tick.Marker = plot.TickerFunc(decades)
	}
	side := max(0.5, plotPad*float64(s.res.Levels))
	p.X.Min, p.X.Max = -side, float64(s.res.Levels)-1+side
	p.X.Tick.Marker = plot.TickerFunc(wholes)
	pic := &picture{plot: p, yLabel: yLabel, title: []string{
		"Breadth-first search of " + cut(s.g.in.name, 70),
		fmt.Sprintf("%s of %s reached in %s; %s on %s, %s", text.Count(s.res.Reached), text.Plural(s.g.NumVertices(), "vertex"),
			text.Plural(s.res.Levels, "level"), s.res.Algorithm, s.res.Device, text.Duration(s.res.Elapsed)),
	}}

	pulled := pullBands(ls, p.Y.Min, p.Y.Max)
	for _, b := range pulled {
		p.Add(b)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = nil, gridColor
	p.Add(grid)
	for _, c := range []struct {
		name  string
		xys   plotter.XYs
		color color.Color
		shape draw.GlyphDrawer
	}{{"edges out of the frontier", es, edgeColor, draw.BoxGlyph{}}, {"vertices in the frontier", vs, vertexColor, draw.CircleGlyph{}}} {
		if len(c.xys) == 0 {
			continue
		}
		l, dots, err := plotter.NewLinePoints(c.xys)
		if err != nil {
			return nil, err
		}
		l.Color, l.Width = c.color, vg.Points(1.4)
		dots.Color, dots.Shape, dots.Radius = c.color, c.shape, vg.Points(2.6)
		e := entry{c.name, []plot.Thumbnailer{l}}
		p.Add(l)
		if len(ls) <= plotDots {
			p.Add(dots)
			e.thumbs = append(e.thumbs, dots)
		}
		pic.legend = append(pic.legend, e)
	}
	if len(pulled) > 0 {
		pic.legend = append(pic.legend, entry{"levels that were pulled", []plot.Thumbnailer{pulled[0]}})
	}
	return pic, nil
}

// levelOf returns what finds the entry of a depth.
func levelOf(ls []level) func(depth int32) int {
	return func(depth int32) int {
		if int(depth) < len(ls) && ls[depth].Depth == depth { // those that stand for themselves come first
			return int(depth)
		}
		return sort.Search(len(ls), func(i int) bool { return ls[i].Depth > depth }) - 1
	}
}

// style sets fonts and distances.
func style(p *plot.Plot) {
	for _, s := range []struct {
		style  *plottext.Style
		points float64
	}{
		{&p.Title.TextStyle, 12}, {&p.Legend.TextStyle, 9},
		{&p.X.Label.TextStyle, 10}, {&p.Y.Label.TextStyle, 10}, {&p.X.Tick.Label, 9}, {&p.Y.Tick.Label, 9},
	} {
		s.style.Font.Variant, s.style.Font.Size = "Sans", vg.Points(s.points)
	}
	p.X.Label.Padding = vg.Points(4)
	p.X.Padding, p.Y.Padding = 0, 0
	p.BackgroundColor = color.White
}

// pullBands returns a grey ground for every run of pulled levels.
func pullBands(ls []level, bottom, top float64) []*plotter.Polygon {
	var bands []*plotter.Polygon
	for i := 0; i < len(ls); i++ {
		from := i
		for i < len(ls) && ls[i].expanded && ls[i].Direction.String() == "pull" {
			i++
		}
		if i == from {
			continue
		}
		end := ls[i-1]
		lo, hi := float64(ls[from].Depth)-0.5, float64(end.Depth)+float64(end.Levels)-0.5
		b, err := plotter.NewPolygon(plotter.XYs{{X: lo, Y: bottom}, {X: hi, Y: bottom}, {X: hi, Y: top}, {X: lo, Y: top}})
		if err != nil {
			continue // no number here can be NaN or infinite
		}
		b.Color, b.LineStyle.Width = pullColor, 0
		bands = append(bands, b)
	}
	return bands
}

// decades puts ticks at powers of ten, and labels as many as there is room for.
func decades(_, hi float64) []plot.Tick {
	const labels = 8
	last := int(math.Floor(math.Log10(hi)))
	step := last/labels + 1
	var ticks []plot.Tick
	for k := 0; k <= last; k++ {
		t := plot.Tick{Value: math.Pow(10, float64(k))}
		if k%step == 0 {
			t.Label = power(k)
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
func wholes(lo, hi float64) []plot.Tick {
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
	var ticks []plot.Tick
	for x := 0; float64(x) <= hi; x += step {
		ticks = append(ticks, plot.Tick{Value: float64(x), Label: text.Count(x)})
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
