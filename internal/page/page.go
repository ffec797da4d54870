// Package page writes reports as one page of HTML, which refers to nothing outside: text, tables, and figures, each with its
// caption, its data as a table, and the command that makes it.
package page

import (
	"fmt"
	"html"
	"io"
	"strings"
)

const style = `:root{color-scheme:light dark;--bg:#fff;--fg:#1a1a1a;--soft:#666;--grid:#ddd;--c0:#0b5fa5;--c1:#d55e00;--c2:#2a8a4a;--c3:#8a4fbf;--c4:#b8860b;--c5:#888;--c6:#0aa;--c7:#c2185b;--c8:#5d4037}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e8e8e8;--soft:#a0a0a0;--grid:#363a40;--c0:#63b3ff;--c1:#ff9a4d;--c2:#62cc86;--c3:#c39bff;--c4:#e6bf4a;--c5:#aaa;--c6:#4dd;--c7:#ff7ab0;--c8:#c8a08f}}
body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1180px;padding:16px}
h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}h3{font-size:1em;margin:0}h4{font-size:13px;margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}
th,td{padding:3px 8px;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child,td:first-child,.kind td:nth-child(-n+3),.kind th:nth-child(-n+3){text-align:left}
.scroll{overflow-x:auto}.soft,figcaption{color:var(--soft);font-size:13px;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:12px}
figure{margin:1em 0}code{font-size:13px;overflow-wrap:anywhere}
svg{width:100%;height:auto;display:block}svg.spark{width:90px;height:24px}svg.narrow{display:none}
svg text{font:10.5px system-ui,sans-serif;fill:var(--soft);stroke:none}
polyline{fill:none;stroke-width:1.6}.grid{stroke:var(--grid)}.one{stroke:var(--fg)}.bar{fill:var(--c0)}
polyline.l0{stroke:var(--c0)}polyline.l1{stroke:var(--c1)}polyline.l2{stroke:var(--c2)}polyline.l3{stroke:var(--c3)}
text.l0{fill:var(--c0)}text.l1{fill:var(--c1)}text.l2{fill:var(--c2)}text.l3{fill:var(--c3)}text.l4{fill:var(--c4)}text.l6{fill:var(--c6)}text.l7{fill:var(--c7)}
.band{fill:#8090a8;fill-opacity:.2}.plots>*{min-width:0}.plots figure{margin:0}
.facts th,.facts td,.why td:last-child,.why th:last-child,.why td:nth-child(-n+3),.why th:nth-child(-n+3){text-align:left}.facts th{font-weight:normal;color:var(--soft);vertical-align:top}
.facts td,.why td:last-child{white-space:normal;overflow-wrap:anywhere}.why td{vertical-align:top}
@media (max-width:700px){.why tr{display:block;border-bottom:1px solid var(--grid);padding:4px 0}.why tr:first-child{display:none}.why td{display:inline-block;border:0;padding:0 12px 0 0;text-align:left}.why td:last-child{display:block}.why td:not(:last-child)::before{content:attr(data-name)" ";color:var(--soft)}.why td:not(:last-child){white-space:normal}}
.c6{fill:var(--c6)}.c7{fill:var(--c7)}.c8{fill:var(--c8)}.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
@media (max-width:640px){svg.wide{display:none}svg.narrow{display:block}}
@media print{body{max-width:none}.plots{grid-template-columns:1fr 1fr}figure{break-inside:avoid}}`

// Page writes HTML, whose texts are escaped.
type Page struct{ b strings.Builder }

// New returns a page with a title, which is its heading too.
func New(title string) *Page {
	p := &Page{}
	title = html.EscapeString(title)
	p.Raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" + title + "</title>\n<style>" + style + "</style></head><body>\n<h1>" + title + "</h1>\n")
	return p
}

// End ends the page and writes all of it.
func (p *Page) End(w io.Writer) error {
	p.Raw("</body></html>\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Raw writes HTML as it is.
func (p *Page) Raw(s string) { p.b.WriteString(s) }

// Text writes a text in an element. The tag may have attributes.
func (p *Page) Text(tag, format string, args ...any) {
	name, _, _ := strings.Cut(tag, " ")
	fmt.Fprintf(&p.b, "<%s>%s</%s>\n", tag, html.EscapeString(fmt.Sprintf(format, args...)), name)
}

// Table writes a table of a class, whose first row has the names. The last column of class why has sentences. The last cell of each other row may be followed by a
// picture.
func (p *Page) Table(class string, rows [][]string, pictures ...string) {
	named := class == "why" // whose cells have their names beside them on a narrow screen
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.Raw(`<div class="scroll"><table` + class + `>`)
	for i, r := range rows {
		p.Raw("<tr>")
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		for k, c := range r {
			name := ""
			if i > 0 && named && k < len(rows[0]) {
				name = ` data-name="` + html.EscapeString(rows[0][k]) + `"`
			}
			fmt.Fprintf(&p.b, "<%s%s>%s</%s>", tag, name, html.EscapeString(c), tag)
		}
		if i > 0 && i <= len(pictures) {
			p.Raw("<td>" + pictures[i-1] + "</td>")
		}
		p.Raw("</tr>\n")
	}
	p.Raw("</table></div>\n")
}

// Facts writes a table of names and values.
func (p *Page) Facts(rows [][2]string) {
	p.Raw(`<div class="scroll"><table class="facts">`)
	for _, r := range rows {
		p.Raw("<tr><th scope=\"row\">" + html.EscapeString(r[0]) + "</th><td>" + html.EscapeString(r[1]) + "</td></tr>\n")
	}
	p.Raw("</table></div>\n")
}

// Figure writes a picture with its caption, the data as a table that opens, and the command.
func (p *Page) Figure(caption, command string, rows [][]string, draw func()) {
	p.Raw("<figure>\n")
	draw()
	p.Text("figcaption", "%s", caption)
	p.Raw("<details><summary class=\"soft\">Table</summary>\n")
	p.Table("", rows)
	p.Raw("</details>\n")
	p.Command(command)
	p.Raw("</figure>\n")
}

// Command writes the command that makes what is above it.
func (p *Page) Command(command string) {
	p.Raw("<p class=\"soft\"><code>" + html.EscapeString(command) + "</code></p>\n")
}

// Picture writes a picture of the page's width.
func (p *Page) Picture(svg string) { p.Raw("<div>" + svg + "</div>\n") }
