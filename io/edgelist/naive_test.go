// This file holds the definition that the parsers of text are compared with:
// line by line, with regular expressions and strconv.

package edgelist

import (
	"bytes"
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
	w    float32
}

var (
	reInt    = regexp.MustCompile(`^[+-]?[0-9]+$`)
	reUint   = regexp.MustCompile(`^[0-9]+$`)
	reWeight = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^(?i:[+-]?inf(inity)?|nan)$`)
)

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
			f = strings.ReplaceAll(m[1][1:len(m[1])-1], `""`, `"`)
		}
		fs = append(fs, f)
		line, more = line[len(m[0]):], m[3] != ""
	}
	return fs, len(fs)
}

func naiveID(f string, t graph.IDType) (string, bool) {
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

// naiveText parses a text edge list. bad is the number of the first line that
// can't be parsed, 0 if all can.
func naiveText(text string, o Options) (edges []edge, t graph.IDType, bad int) {
	type line struct {
		s  string
		no int
	}
	var data []line
	for i, s := range strings.Split(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\n") {
		s = strings.TrimSuffix(s, "\r")
		if b := strings.TrimLeft(s, " \t"); b != "" && b[0] != '#' && b[0] != '%' {
			data = append(data, line{s, i + 1})
		}
	}
	if len(data) == 0 {
		return nil, 0, 0
	}
	for _, l := range data[:min(2, len(data))] {
		if strings.ContainsAny(l.s, "\x00\r") {
			return nil, 0, l.no
		}
	}
	if strings.HasPrefix(data[0].s, `{"`) { // JSON
		return nil, 0, data[0].no
	}
	sep := o.Separator
	if sep == 0 {
		sep = ' '
		if strings.Contains(data[0].s, ",") {
			sep = ','
		}
	}
	numbers := func(i int) bool {
		if i >= len(data) {
			return false
		}
		f := naiveFields(data[i].s, sep)
		return len(f) >= 2 && reInt.MatchString(f[0]) && reInt.MatchString(f[1])
	}
	head := data[0].s
	header := o.Header == HeaderFirst
	if o.Header == HeaderAuto && !numbers(0) {
		f := naiveFields(head, sep)
		header = len(f) >= 2 && slices.Contains([]string{"src", "source", "source_id", "from", "from_id", "fromnodeid", "tail"}, strings.ToLower(f[0])) &&
			slices.Contains([]string{"dst", "dest", "destination", "target", "target_id", "to", "to_id", "tonodeid", "head"}, strings.ToLower(f[1])) ||
			numbers(1) && o.IDs != IDsString && o.IDs != IDsBinary
	}
	if header {
		data = data[1:]
	}
	t = map[IDs]graph.IDType{IDsInt64: graph.Int64, IDsUint64: graph.Uint64, IDsString: graph.String, IDsBinary: graph.Binary}[o.IDs]
	if o.IDs == IDsAuto && !numbers(0) {
		t = graph.String
	}
	if o.Separator == 0 && sep == ' ' && !t.Integer() && strings.Contains(strings.Trim(head, " \t"), "\t") {
		sep = '\t'
	}
	first := 0
	for i, l := range data {
		f, columns := naiveColumns(l.s, sep)
		if i == 0 {
			first = columns
		}
		// Of integers, columns behind the ones wanted aren't looked at.
		ok := t.Integer() || !strings.Contains(l.s, "\r")
		var e edge
		var okU, okV bool
		if len(f) >= 2 {
			e.u, okU = naiveID(f[0], t)
			e.v, okV = naiveID(f[1], t)
		}
		if o.Graph.Weights && ok {
			ok = false
			if len(f) >= 3 {
				x, err := strconv.ParseFloat(f[2], 32)
				e.w, ok = float32(x), err == nil && reWeight.MatchString(f[2])
			}
		}
		if !o.Ragged && columns != first && !(first == 3 && columns == 2) {
			ok = false
		}
		if !ok || !okU || !okV {
			return edges, t, l.no
		}
		edges = append(edges, e)
	}
	return edges, t, 0
}

// collect reads data and returns its edges, in order if there is one worker.
func collect(t testing.TB, data []byte, o Options) (edges []edge, err error) {
	t.Helper()
	var mu sync.Mutex
	err = Read(context.Background(), bytes.NewReader(data), o, func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		if (b.Weights != nil) != o.Graph.Weights {
			t.Errorf("weights %v, wanted %v", b.Weights != nil, o.Graph.Weights)
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
			if b.Weights != nil {
				e.w = b.Weights[i]
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
	var le *LineError
	switch {
	case bad == 0 && err != nil:
		t.Fatalf("%+v\n%q\nerror: %v", o, text, err)
	case bad != 0 && (!errors.As(err, &le) || le.Line != uint64(bad)):
		t.Fatalf("%+v\n%q\nerror: %v, want one in line %d", o, text, err, bad)
	case bad == 0:
		if err := sameEdges(got, want, o.Workers); err != nil {
			t.Fatalf("%+v\n%q\n%v", o, text, err)
		}
	}
}
