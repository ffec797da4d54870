// This file holds the picture of figures of several systems.

package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/internal/text"
)

// The measures of the picture, in CSS pixels.
const (
	speedWidth  = 780
	speedLeft   = 92.0  // where the axis begins
	speedRight  = 480.0 // where it ends: labels need the rest
	speedLine   = 17.0  // the height of a system's line
	speedGap    = 5.0   // between graphs
	speedHead   = 26.0  // of a panel: its title
	speedTop    = 52.0  // of the picture: its title and the axis
	speedNote   = 15.0  // the height of a line of notes
	speedLetter = 5.6   // the width of a letter of 11 pixels, about
)

// speedMark is one system's time of a graph.
type speedMark struct {
	name, flags   string // flags of the algorithm, after a space
	ours          bool
	low, ms, high float64
	note          string
}

// speedRow is a graph with its systems.
type speedRow struct {
	graph string
	marks []speedMark
}

// speedPanel is a part of the picture: the graphs of one machine.
type speedPanel struct {
	title string
	rows  []speedRow
}

func (p *speedPanel) add(graph string, m speedMark) {
	i := slices.IndexFunc(p.rows, func(r speedRow) bool { return r.graph == graph })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, speedRow{graph: graph})
	}
	p.rows[i].marks = append(p.rows[i].marks, m)
}

func markOf(r bench.Rival) speedMark {
	words := strings.Fields(r.Algorithm)
	return speedMark{name: r.Name(), flags: strings.Join(append([]string{""}, words[1:]...), " "), ours: r.System == "Foray", low: slices.Min(r.MS), ms: r.MedianMS(), high: slices.Max(r.MS), note: r.Note}
}

// speedPanels returns the figures by an algorithm, a panel for each machine, with the graphs of which at least two systems
// have a figure there.
func speedPanels(list []bench.Rival, name string) []speedPanel {
	var panels []speedPanel
	var machines []string
	for _, r := range list {
		if r.Task() == name && !slices.Contains(machines, r.Machine) {
			machines = append(machines, r.Machine)
		}
	}
	for _, m := range machines {
		var p speedPanel
		var days, computed []string
		for _, r := range list {
			if r.Task() != name || r.Machine != m || !slices.ContainsFunc(list, func(o bench.Rival) bool {
				return o.Task() == name && o.Machine == m && o.Graph == r.Graph && o.System != r.System
			}) {
				continue
			}
			p.add(r.Graph, markOf(r))
			if !slices.Contains(days, r.Date) {
				days = append(days, r.Date)
			}
			if !slices.Contains(computed, r.Algorithm) {
				computed = append(computed, r.Algorithm)
			}
		}
		if len(p.rows) == 0 {
			continue
		}
		slices.Sort(days)
		_, n := utf8.DecodeRuneInString(m)
		p.title = strings.ToUpper(m[:n]) + m[n:] + ", " + days[0]
		if last := days[len(days)-1]; last != days[0] {
			p.title += " to " + last
		}
		if len(computed) == 1 {
			p.title += ": " + computed[0]
		} else { // the labels say which
			for _, r := range p.rows {
				for j := range r.marks {
					r.marks[j].name += r.marks[j].flags
				}
			}
		}
		panels = append(panels, p)
	}
	return panels
}

const speedStyle = `text{font:12px sans-serif;fill:#1f2328}
.h{font-weight:600}.s{font-size:11px;fill:#59636e}.e{text-anchor:end}.m{text-anchor:middle}
.b{fill:#fff;stroke:#d0d7de}line{stroke:#d0d7de}
.o{fill:#0969da;stroke:#0969da}.r{fill:#818b98;stroke:#818b98}
text.o,text.r{stroke:#fff;stroke-width:4px;paint-order:stroke}text.o{fill:#0550ae;font-weight:600}text.r{fill:#1f2328}line.o,line.r{stroke-width:3;stroke-linecap:round;opacity:.5}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}.s{fill:#9198a1}.b{fill:#151b23;stroke:#3d444d}line{stroke:#3d444d}
.o{fill:#4493f8;stroke:#4493f8}.r{fill:#9198a1;stroke:#9198a1}
text.o,text.r{stroke:#151b23}text.o{fill:#79c0ff}text.r{fill:#f0f6fc}
}`

// speedPicture draws the panels under one logarithmic axis, as SVG whose colors follow the reader's, for light and dark
// pages, below a title that begins with what. span is what a mark's line spans.
func speedPicture(what, span, file string, panels []speedPanel) string {
	low, high := math.Inf(1), 0.0
	for _, p := range panels {
		for _, r := range p.rows {
			for _, m := range r.marks {
				low, high = min(low, m.low), max(high, m.high)
			}
		}
	}
	low, high = roundDown(low), 1/roundDown(1/high)
	if high <= low { // one round time
		high = 10 * low
	}
	low, high = math.Log10(low), math.Log10(high)
	var ticks []float64
	apart := math.Ceil((high - low) / 10) // or the labels run into each other
	for e := math.Ceil(low - 1e-9); e <= high+1e-9; e += apart {
		ticks = append(ticks, math.Pow(10, e))
	}
	x := func(ms float64) float64 {
		return speedLeft + (math.Log10(ms)-low)/(high-low)*(speedRight-speedLeft)
	}
	var b strings.Builder
	label := func(b *strings.Builder, class string, x, y float64, s string) {
		fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, svgText(s))
	}
	y := speedTop
	var notes []string                 // in the order of the lines
	of := map[string][]string{}        // the systems of each
	graphs := map[[2]string][]string{} // and their graphs
	for _, p := range panels {
		y += speedHead
		label(&b, "h", 14, y-9, cutText(p.title, speedWidth-28))
		begin := y - 2
		var lines strings.Builder // above the grid, which ends where they end
		for _, r := range p.rows {
			label(&lines, "e", speedLeft-10, y+12, cutText(r.graph, speedLeft-20))
			base := 0.0 // the fastest time of ours
			for _, m := range r.marks {
				if m.ours && (base == 0 || m.ms < base) {
					base = m.ms
				}
			}
			for _, m := range r.marks {
				class := "r"
				if m.ours {
					class = "o"
				}
				at := y + speedLine/2
				if m.high > m.low {
					fmt.Fprintf(&lines, `<line class="%s" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`+"\n", class, x(m.low), x(m.high), at, at)
				}
				fmt.Fprintf(&lines, `<circle class="%s" cx="%.1f" cy="%.1f" r="4"/>`+"\n", class, x(m.ms), at)
				says := fmt.Sprintf("%s %.3g ms", m.name, m.ms)
				if base > 0 && !m.ours {
					says += fmt.Sprintf(", %.3g×", m.ms/base)
				}
				label(&lines, class, x(m.high)+10, at+4, cutText(says, speedWidth-x(m.high)-16))
				y += speedLine
				if m.note != "" {
					if of[m.note] == nil {
						notes = append(notes, m.note)
					}
					if !slices.Contains(of[m.note], m.name) {
						of[m.note] = append(of[m.note], m.name)
					}
					graphs[[2]string{m.note, m.name}] = append(graphs[[2]string{m.note, m.name}], r.graph)
				}
			}
			y += speedGap
		}
		for _, ms := range ticks {
			fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`+"\n", x(ms), x(ms), begin, y-speedGap)
		}
		b.WriteString(lines.String())
	}
	foot := []string{"A line spans a system's " + span + "; the dot is the median. × is the time as a multiple of Foray's."}
	for _, n := range notes {
		for i, name := range of[n] {
			of[n][i] = name + " (" + strings.Join(graphs[[2]string{n, name}], ", ") + ")"
		}
		foot = append(foot, strings.Join(of[n], ", ")+": "+n+".")
	}
	foot = append(foot, "From "+file+", which names the source of each figure.")
	y += 10
	for _, f := range foot {
		for _, l := range wordLines(f, speedWidth-28) {
			y += speedNote
			label(&b, "s", 14, y-3, l)
		}
	}
	y += 8
	var all strings.Builder
	fmt.Fprintf(&all, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img" aria-label="%s">`+"\n<style>\n%s\n</style>\n", speedWidth, y, speedWidth, y, svgText(summaryOf(panels)), speedStyle)
	fmt.Fprintf(&all, `<rect x=".5" y=".5" width="%d" height="%.0f" rx="6" class="b"/>`+"\n", speedWidth-1, y-1)
	fmt.Fprintf(&all, `<text class="h" x="14" y="22">%s, in ms on a logarithmic scale</text>`+"\n", svgText(what))
	for _, ms := range ticks {
		fmt.Fprintf(&all, `<text class="s m" x="%.1f" y="%.0f">%g</text>`+"\n", x(ms), speedTop-6, ms)
	}
	all.WriteString(b.String() + "</svg>\n")
	return all.String()
}

// roundDown returns the largest number up to x that is 1, 2 or 5 times a power of 10.
func roundDown(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{5, 2} {
		if m*unit <= x {
			return m * unit
		}
	}
	return unit
}

// summaryOf says in words what the panels have, for those who can't see them.
func summaryOf(panels []speedPanel) string {
	var parts []string
	for _, p := range panels {
		var rows []string
		for _, r := range p.rows {
			var marks []string
			for _, m := range r.marks {
				marks = append(marks, fmt.Sprintf("%s %.3g ms", m.name, m.ms))
			}
			rows = append(rows, r.graph+" "+strings.Join(marks, ", "))
		}
		parts = append(parts, p.title+": "+strings.Join(rows, "; "))
	}
	return strings.Join(parts, ". ")
}

// svgText returns a text as it stands in SVG, which has no place for control characters.
func svgText(s string) string { return html.EscapeString(text.Escape(s)) }

// cutText shortens a text to about a width.
func cutText(s string, width float64) string {
	return cut(s, int(max(width/speedLetter/1.06, 4)))
}

// wordLines breaks a text of small letters into lines of about a width.
func wordLines(s string, width float64) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && float64(len(line)+1+len(word))*speedLetter > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
