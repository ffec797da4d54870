// This file holds the definition that the parsers of text are compared with:
// line by line, with regular expressions and strconv.

package edgelist

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
)

// edge is an edge with ids as text, so that all types look alike.
type edge struct {
	u, v string
	w    float64
}

var (
	reInt    = regexp.MustCompile(`^[+-]?[0-9]+$`)
	reUint   = regexp.MustCompile(`^[0-9]+$`)
	reWeight = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^(?i:[+-]?inf(inity)?|nan)$`)
)

// naiveEmpty stands for an empty string in quotes; without quotes it is null.
const naiveEmpty = "\x00an empty string in quotes\x00"

// naiveFields returns the fields of a line, until the first malformed one.
func naiveFields(line string, sep byte) []string {
	fs, _ := naiveColumns(line, sep)
	return fs
}

// naiveColumns also returns how many columns there are, of which the malformed
// one is the last.
func naiveColumns(line string, sep byte) ([]string, int) {
	if sep == ' ' {
		fs := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		return fs, len(fs)
	}
	blanks := ` \t`
	if sep == '\t' {
		blanks = ` `
	}
	blank := `[` + blanks + `]*`
	s := regexp.QuoteMeta(string(rune(sep)))
	re := regexp.MustCompile(`^(?s:` + blank + `(?:("(?:[^"]|"")*")` + blank + `|([^"` + blanks + s + `][^` + s + `]*|))(` + s + `|$))`)
	var fs []string
	for more := true; more; {
		m := re.FindStringSubmatch(line)
		if m == nil {
			return fs, len(fs) + 1
		}
		f := strings.TrimRight(m[2], " \t")
		if sep == '\t' {
			f = strings.TrimRight(m[2], " ")
		}
		if m[1] != "" {
			f = cmp.Or(strings.ReplaceAll(m[1][1:len(m[1])-1], `""`, `"`), naiveEmpty)
		}
		fs = append(fs, f)
		line, more = line[len(m[0]):], m[3] != ""
	}
	return fs, len(fs)
}

func naiveID(f string, t graph.IDType) (string, bool) {
	if f == naiveEmpty {
		return "", !t.Integer()
	}
	switch t {
	case graph.Int64:
		x, err := strconv.ParseInt(f, 10, 64)
		return strconv.FormatInt(x, 10), err == nil && reInt.MatchString(f)
	case graph.Uint64:
		x, err := strconv.ParseUint(f, 10, 64)
		return strconv.FormatUint(x, 10), err == nil && reUint.MatchString(f)
	case graph.String:
		return f, f != "" && utf8.ValidString(f)
	}
	return f, f != ""
}

// noHeader is what naiveText returns for a text whose header is missing.
const noHeader = -1

// naiveText parses a text edge list. bad is the number of the first line that
// can't be parsed, 0 if all can.
func naiveText(text string, o Options) (edges []edge, t graph.IDType, bad int) {
	type line struct {
		s    string
		no   int
		open bool
	}
	const undecided, shell, none, char = 0, 1, 2, 3 // what comments are
	comments := undecided
	switch {
	case o.NoComments:
		comments = none
	case o.Comment == 0:
	default:
		comments = char
	}
	sep, onlyBlanks := o.Separator, false
	rest := strings.TrimPrefix(text, "\xef\xbb\xbf")
	all := rest
	var data []line
	for rest != "" {
		physical, after, _ := strings.Cut(rest, "\n")
		physical = strings.TrimSuffix(physical, "\r")
		trimmed := strings.TrimLeft(physical, " \t")
		if sep == '\t' {
			trimmed = strings.TrimLeft(physical, " ")
		}
		hash := trimmed != "" && (trimmed[0] == '#' || trimmed[0] == '%')
		if hash && comments == undecided {
			switch {
			case len(data) == 0:
				comments = shell
			case sep != ' ' && sep != '\t':
				comments = none
			default:
				comments = shell
				if header, _, refused := naiveHeader(data[0].s, physical, sep, o); header && !refused {
					comments = none
				}
			}
		}
		if trimmed == "" || hash && comments == shell || comments == char && physical != "" && physical[0] == o.Comment {
			rest = after
			continue
		}
		if sep == 0 {
			sep = naiveSep(rest)
			onlyBlanks = sep == ' '
		}
		row, next, open := naiveRow(rest, sep)
		data = append(data, line{row, 1 + strings.Count(all[:len(all)-len(rest)], "\n"), open})
		if rest = next; len(data) == 2 && comments == undecided {
			header, _, refused := naiveHeader(data[0].s, data[1].s, sep, o)
			if comments = shell; header && !refused || sep != ' ' && sep != '\t' {
				comments = none
			}
		}
	}
	if len(data) == 0 && (o.Header == "first" || o.Source != "" || o.Target != "" || o.Weight != "") {
		return nil, 0, noHeader
	}
	if len(data) == 0 {
		return nil, 0, 0
	}
	// crs reports whether carriage returns stand outside of quotes.
	crs := func(s string) bool {
		if sep != ' ' {
			blanks := ` \t`
			if sep == '\t' {
				blanks = ` `
			}
			blank, q := `[`+blanks+`]*`, regexp.QuoteMeta(string(rune(sep)))
			re := regexp.MustCompile(`(^|` + q + `)` + blank + `"(?:[^"]|"")*"`)
			s = re.ReplaceAllString(s, "$1")
		}
		return strings.Contains(s, "\r")
	}
	for _, l := range data[:min(2, len(data))] {
		if l.open || strings.Contains(l.s, "\x00") || crs(l.s) {
			return nil, 0, l.no
		}
	}
	if strings.HasPrefix(data[0].s, `{"`) { // JSON
		return nil, 0, data[0].no
	}
	head := data[0].s
	header, ends, refused := naiveHeader(data[0].s, second(data, func(l line) string { return l.s }), sep, o)
	if refused {
		return nil, 0, data[0].no
	}
	if header {
		data = data[1:]
	}
	if len(data) == 0 {
		return nil, 0, 0
	}
	t = map[string]graph.IDType{"int64": graph.Int64, "uint64": graph.Uint64, "string": graph.String, "binary": graph.Binary}[o.IDs]
	if o.IDs == "" {
		for _, i := range ends[:2] {
			if f := naiveFields(data[0].s, sep); i >= len(f) || !reInt.MatchString(f[i]) {
				t = graph.String
			}
		}
	}
	first := 0
	picked := ends != [3]int{0, 1, 2}
	for i, l := range data {
		f, columns := naiveColumns(l.s, sep)
		if i == 0 {
			first = columns
			if picked {
				_, first = naiveColumns(head, sep)
			}
		}
		// Of integers, columns behind the ones wanted aren't looked at.
		ok := t.Integer() && !picked || !crs(l.s)
		ok = ok && !l.open && !(onlyBlanks && strings.Contains(strings.TrimRight(l.s, " \t"), "\t"))
		var e edge
		var okU, okV bool
		if u, v := ends[0], ends[1]; len(f) > max(u, v) {
			e.u, okU = naiveID(f[u], t)
			e.v, okV = naiveID(f[v], t)
		}
		if o.Graph.Weights && ok {
			ok = false
			if w := ends[2]; len(f) > w {
				x, err := strconv.ParseFloat(f[w], 64)
				e.w, ok = x, err == nil && reWeight.MatchString(f[w])
			}
		}
		if !o.Ragged && columns != first && !(first == 3 && columns == 2 && !picked) {
			ok = false
		}
		if !ok || !okU || !okV {
			return edges, t, l.no
		}
		edges = append(edges, e)
	}
	return edges, t, 0
}

func second[T any](lines []T, text func(T) string) string {
	if len(lines) < 2 {
		return ""
	}
	return text(lines[1])
}

// naiveHeader reports whether the first line is a header, which columns are
// source, target and weight, and whether it is refused.
func naiveHeader(line, next string, sep byte, o Options) (header bool, at [3]int, refused bool) {
	at = [3]int{0, 1, 2}
	f, g := naiveFields(line, sep), naiveFields(next, sep)
	for _, fields := range [][]string{f, g} {
		for i := range fields {
			if fields[i] == naiveEmpty {
				fields[i] = ""
			}
		}
	}
	numbers := func(f []string) bool {
		return len(f) >= 2 && reInt.MatchString(f[0]) && reInt.MatchString(f[1])
	}
	named := o.Source != "" || o.Target != "" || o.Weight != ""
	if o.Header == "none" || o.Header == "" && !named && numbers(f) {
		return false, at, false
	}
	where := map[string][]int{}
	for i, name := range f {
		where[strings.ToLower(name)] = append(where[strings.ToLower(name)], i)
	}
	once := func(name string) bool { return len(where[name]) == 1 }
	pairs, s, d := 0, -1, -1
	for _, p := range strings.Fields("src:dst source:target from:to src:dest source:dest source:destination src_id:dst_id source_id:target_id from_id:to_id fromnodeid:tonodeid tail:head") {
		u, v, _ := strings.Cut(p, ":")
		if once(u) && once(v) {
			pairs++
			s, d = where[u][0], where[v][0]
		}
	}
	if pairs == 0 {
		us, vs := []int{}, []int{}
		for _, name := range strings.Fields("src source source_id src_id from from_id fromnodeid tail") {
			us = append(us, where[name]...)
		}
		for _, name := range strings.Fields("dst dest destination target target_id dst_id to to_id tonodeid head") {
			vs = append(vs, where[name]...)
		}
		if len(us) == 1 && len(vs) == 1 {
			pairs, s, d = 1, us[0], vs[0]
		}
	}
	isWeight := func(f string) bool {
		_, err := strconv.ParseFloat(f, 32)
		return err == nil && reWeight.MatchString(f)
	}
	header = o.Header == "first" || named || pairs == 1 || o.IDs != "string" && o.IDs != "binary" && numbers(g)
	for i := 2; i < min(len(f), len(g)); i++ {
		header = header || f[i] != "" && !isWeight(f[i]) && isWeight(g[i])
	}
	if !header && sep != ' ' && next == "" && len(f) >= 2 && !slices.ContainsFunc(f, isWeight) {
		return false, at, true
	}
	if !header {
		return false, at, pairs > 1 || len(f) >= 2 && slices.Contains(columnWords, strings.ToLower(f[0])) && slices.Contains(columnWords, strings.ToLower(f[1]))
	}
	if pairs != 1 {
		rest := []int{}
		for i, name := range f {
			if strings.ToLower(name) != "weight" {
				rest = append(rest, i)
			}
		}
		switch {
		case len(f) < 2:
			s, d = 0, 1
		case pairs == 0 && len(rest) == 2 && where["depth"] == nil:
			s, d = rest[0], rest[1]
		default:
			return true, at, true
		}
	}
	at[0], at[1] = s, d
	if o.Graph.Weights {
		switch {
		case once("weight") && where["weight"][0] != s && where["weight"][0] != d:
			at[2] = where["weight"][0]
		case s+d == 1:
		case len(f) == 3:
			at[2] = 3 - s - d
		default:
			return true, at, true
		}
	}
	return true, at, false
}

// weightsOf returns the weights of a batch, whatever type they have.
func weightsOf(b graph.Batch) (all []float64) {
	for _, w := range b.IntWeights {
		all = append(all, float64(w))
	}
	return append(all, b.FloatWeights...)
}

// collect reads data and returns its edges, in order if there is one worker.
func collect(t testing.TB, data []byte, o Options) (edges []edge, err error) {
	t.Helper()
	var mu sync.Mutex
	err = Read(context.Background(), bytes.NewReader(data), o, func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		if b.Vertices {
			if len(b.Src) == 0 || b.Dst != nil || weightsOf(b) != nil || b.Type != graph.Int64 {
				t.Errorf("vertices in %+v", b)
			}
			return nil
		}
		weights := weightsOf(b)
		if (weights != nil) != o.Graph.Weights {
			t.Errorf("weights %v, wanted %v", weights, o.Graph.Weights)
		}
		n := batchLen(b)
		if n == 0 {
			t.Error("an empty batch")
		}
		for i := range n {
			var e edge
			switch {
			case b.SrcStrings != nil:
				e.u, e.v = string(b.SrcStrings.Value(i)), string(b.DstStrings.Value(i))
			case b.Type.Signed():
				e.u, e.v = strconv.FormatInt(b.Src[i], 10), strconv.FormatInt(b.Dst[i], 10)
			default:
				e.u, e.v = strconv.FormatUint(uint64(b.Src[i]), 10), strconv.FormatUint(uint64(b.Dst[i]), 10)
			}
			if weights != nil {
				e.w = weights[i]
			}
			edges = append(edges, e)
		}
		return nil
	})
	return edges, err
}

func batchLen(e graph.Batch) int {
	if e.SrcStrings != nil {
		return e.SrcStrings.Len()
	}
	return len(e.Src)
}

func sorted(es []edge) []edge {
	es = slices.Clone(es)
	slices.SortFunc(es, func(a, b edge) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	return es
}

// sameEdges compares edges, in any order if there are several workers.
func sameEdges(got, want []edge, workers int) error {
	if workers > 1 {
		got, want = sorted(got), sorted(want)
	}
	same := func(a, b edge) bool {
		return a.u == b.u && a.v == b.v && (a.w == b.w || a.w != a.w && b.w != b.w) // NaN is NaN
	}
	if !slices.EqualFunc(got, want, same) {
		return fmt.Errorf("got %d edges, want %d:\n got %.300q\nwant %.300q", len(got), len(want), fmt.Sprint(got), fmt.Sprint(want))
	}
	return nil
}

// sameAsNaive compares the parser of text with the definition.
func sameAsNaive(t testing.TB, text string, o Options) {
	t.Helper()
	want, _, bad := naiveText(text, o)
	got, err := collect(t, []byte(text), o)
	var le *lineError
	switch {
	case bad == 0 && err != nil:
		t.Fatalf("%+v\n%q\nerror: %v", o, text, err)
	case bad == noHeader:
		if !errors.Is(err, errTruncated) {
			t.Fatalf("%+v\n%q\nerror: %v, want that there is no header", o, text, err)
		}
	case bad != 0 && (!errors.As(err, &le) || le.Line != uint64(bad)):
		t.Fatalf("%+v\n%q\nerror: %v, want one in line %d", o, text, err, bad)
	case bad == 0:
		if err := sameEdges(got, want, o.Workers); err != nil {
			t.Fatalf("%+v\n%q\n%v", o, text, err)
		}
	}
}
