// This file holds what pictures are drawn on, and its form as SVG.

package main

import (
	"bufio"
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"
)

// point is a place on a canvas in points of 1/72 inch, from the upper left corner.
type point struct{ x, y float64 }

// align is the end of a text that is at its position.
type align int

const (
	alignStart align = iota
	alignMiddle
	alignEnd
)

// canvas is a picture that is being drawn.
type canvas interface {
	// polygon fills the area between points.
	polygon(c color.RGBA, at ...point)
	// line draws a line through points.
	line(c color.RGBA, width float64, at ...point)
	// dot fills a circle.
	dot(c color.RGBA, at point, radius float64)
	// text writes a line of text, centered vertically, in that size; up turns it, to be read
	// from below.
	text(s string, at point, size float64, a align, up bool)
	// writeTo ends the picture.
	writeTo(w io.Writer) error
}

// box returns the corners of a rectangle.
func box(left, top, right, bottom float64) []point {
	return []point{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// svgCanvas is a picture as text.
type svgCanvas struct{ b strings.Builder }

func newSVG(width, height float64) *svgCanvas {
	c := &svgCanvas{}
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.5gpt" height="%.5gpt" viewBox="0 0 %.5g %.5g" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n",
		width, height, width, height)
	return c
}

func hexColor(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// points writes coordinates.
func (c *svgCanvas) points(at []point) {
	for i, p := range at {
		if i > 0 {
			c.b.WriteByte(' ')
		}
		fmt.Fprintf(&c.b, "%.2f,%.2f", p.x, p.y)
	}
}

func (c *svgCanvas) polygon(col color.RGBA, at ...point) {
	fmt.Fprintf(&c.b, `<polygon fill="%s" points="`, hexColor(col))
	c.points(at)
	c.b.WriteString("\"/>\n")
}

func (c *svgCanvas) line(col color.RGBA, width float64, at ...point) {
	fmt.Fprintf(&c.b, `<polyline fill="none" stroke="%s" stroke-width="%.3g" points="`, hexColor(col), width)
	c.points(at)
	c.b.WriteString("\"/>\n")
}

func (c *svgCanvas) dot(col color.RGBA, at point, radius float64) {
	fmt.Fprintf(&c.b, `<circle fill="%s" cx="%.2f" cy="%.2f" r="%.3g"/>`+"\n", hexColor(col), at.x, at.y, radius)
}

func (c *svgCanvas) text(s string, at point, size float64, a align, up bool) {
	anchor := [...]string{"start", "middle", "end"}[a]
	turn := ""
	if up {
		turn = fmt.Sprintf(` transform="rotate(-90 %.2f %.2f)"`, at.x, at.y)
	}
	fmt.Fprintf(&c.b, `<text x="%.2f" y="%.2f" dy="0.35em" font-size="%.3g" text-anchor="%s"%s>%s</text>`+"\n", at.x, at.y, size, anchor, turn, html.EscapeString(strings.ToValidUTF8(s, "�")))
}

func (c *svgCanvas) writeTo(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "<?xml version=\"1.0\"?>\n%s</svg>\n", c.b.String())
	return out.Flush()
}
