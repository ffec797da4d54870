// This file draws pictures in pixels.

package main

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// pngCanvas is a picture in pixels.
type pngCanvas struct {
	img   *image.RGBA
	scale float64 // pixels a point
	faces map[float64]font.Face
}

func newPNG(width, height float64) *pngCanvas {
	c := &pngCanvas{scale: plotDPI / 72, faces: map[float64]font.Face{}}
	c.img = image.NewRGBA(image.Rect(0, 0, int(math.Round(width*c.scale)), int(math.Round(height*c.scale))))
	return c
}

// fill fills what a path encloses.
func (c *pngCanvas) fill(col color.RGBA, path func(r *vector.Rasterizer)) {
	b := c.img.Bounds()
	r := vector.NewRasterizer(b.Dx(), b.Dy())
	path(r)
	r.Draw(c.img, b, image.NewUniform(col), image.Point{})
}

// trace adds a closed path in pixels.
func trace(r *vector.Rasterizer, at ...point) {
	for i, p := range at {
		if i == 0 {
			r.MoveTo(float32(p.x), float32(p.y))
		} else {
			r.LineTo(float32(p.x), float32(p.y))
		}
	}
	r.ClosePath()
}

func (c *pngCanvas) pixels(at []point) []point {
	out := make([]point, len(at))
	for i, p := range at {
		out[i] = point{p.x * c.scale, p.y * c.scale}
	}
	return out
}

func (c *pngCanvas) polygon(col color.RGBA, at ...point) {
	c.fill(col, func(r *vector.Rasterizer) { trace(r, c.pixels(at)...) })
}

// circle returns the corners of a polygon that looks like a circle.
func circle(at point, radius float64) []point {
	const corners = 24
	out := make([]point, corners)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = point{at.x + radius*cos, at.y + radius*sin}
	}
	return out
}

// line is a quadrilateral for each piece of the line, and a circle where two meet. All of them
// turn the same way, so overlapping areas are filled once.
func (c *pngCanvas) line(col color.RGBA, width float64, at ...point) {
	px, half := c.pixels(at), width*c.scale/2
	c.fill(col, func(r *vector.Rasterizer) {
		for i := 1; i < len(px); i++ {
			a, b := px[i-1], px[i]
			length := math.Hypot(b.x-a.x, b.y-a.y)
			if length == 0 {
				continue
			}
			dx, dy := (b.x-a.x)/length*half, (b.y-a.y)/length*half
			trace(r, point{a.x + dy, a.y - dx}, point{b.x + dy, b.y - dx}, point{b.x - dy, b.y + dx}, point{a.x - dy, a.y + dx})
			if i+1 < len(px) {
				trace(r, circle(b, half)...)
			}
		}
	})
}

func (c *pngCanvas) dot(col color.RGBA, at point, radius float64) {
	c.polygon(col, circle(at, radius)...)
}

// regular is the font of texts in pixels.
var regular = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic("foray: the Go font: " + err.Error()) // it is part of the program
	}
	return f
})

// newFace returns the font in a size in pixels.
func newFace(pixels float64) (font.Face, error) {
	return opentype.NewFace(regular(), &opentype.FaceOptions{Size: pixels, DPI: 72, Hinting: font.HintingNone})
}

// textWidth is how wide a text is, in points, about: fonts differ.
func textWidth(s string, size float64) float64 {
	f, err := newFace(size)
	if err != nil {
		return float64(len(s)) * size / 2
	}
	defer f.Close()
	return float64(font.MeasureString(f, s)) / 64
}

func (c *pngCanvas) text(s string, at point, size float64, a align, up bool) {
	face := c.faces[size]
	if face == nil {
		f, err := newFace(size * c.scale)
		if err != nil {
			return // the size is one of ours
		}
		face, c.faces[size] = f, f
	}
	width := font.MeasureString(face, s).Ceil() + 2
	height := face.Metrics().Height.Ceil() + 2
	label := image.NewRGBA(image.Rect(0, 0, width, height))
	d := font.Drawer{Dst: label, Src: image.Black, Face: face, Dot: fixed.Point26_6{X: fixed.I(1), Y: fixed.I(1) + face.Metrics().Ascent}}
	d.DrawString(s)
	shift := float64(width) * [...]float64{0, 0.5, 1}[a]
	x, y := int(math.Round(at.x*c.scale-shift)), int(math.Round(at.y*c.scale))-height/2
	if up {
		label = turned(label)
		x, y = int(math.Round(at.x*c.scale))-height/2, int(math.Round(at.y*c.scale+shift))-width
	}
	draw.Draw(c.img, label.Bounds().Add(image.Pt(x, y)), label, image.Point{}, draw.Over)
}

// turned turns an image to the left.
func turned(img *image.RGBA) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			out.SetRGBA(y, w-1-x, img.RGBAAt(x, y))
		}
	}
	return out
}

func (c *pngCanvas) writeTo(w io.Writer) error { return png.Encode(w, c.img) }
