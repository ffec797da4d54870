// This file holds text edge lists of string and binary ids.

package edgelist

import (
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
)

// textStrings parses edge lists of ids that are strings.
type textStrings struct {
	layout
	yield    func(graph.Batch) error
	src, dst graph.Strings
	w        weightList
	weights  bool
	values   *columnBatch
	most     int // edges in a batch
}

func newTextStrings(lay layout, o *Options, yield func(graph.Batch) error) *textStrings {
	t := &textStrings{layout: lay, yield: yield, weights: o.Graph.Weights, most: o.batch}
	t.w = weightList{rounds: o.rounds(), float: o.rounds(), floats: o.rounds()}
	t.src.Binary = lay.ids == graph.Binary
	t.dst.Binary = t.src.Binary
	t.reset()
	return t
}

func (t *textStrings) reset() {
	for _, s := range []*graph.Strings{&t.src, &t.dst} {
		s.Offsets, s.Data = append(s.Offsets[:0], 0), s.Data[:0]
	}
	t.w.reset()
}

func (t *textStrings) parse(b []byte) (int, error) {
	t.begin()
	defer t.count()
	for p := 0; p < len(b); {
		start := p
		line, next := t.take(b, p)
		p = next
		if line == nil {
			continue
		}
		t.values.at(b, start)
		ok, err := false, error(nil)
		if !(t.cr.in(b, '\r') && t.bareCR(line)) && !(t.tab.in(b, '\t') && t.tabbed(line)) {
			ok, err = t.add(line)
		}
		if err != nil {
			return start, err
		}
		if !ok {
			return start, lineFaultOf(b[start:], t.layout, t.weights)
		}
		if t.src.Len() == t.most || len(t.src.Data)+len(t.dst.Data) >= batchBytes || t.values.large() {
			if err := t.flush(); err != nil {
				return -1, err
			}
		}
	}
	if t.values != nil {
		if err := t.flush(); err != nil {
			return -1, err
		}
	}
	return 0, nil
}

func (t *textStrings) startAt(line uint64) { t.values.startAt(line) }

// add adds the edge of a line to the batch.
func (t *textStrings) add(line []byte) (bool, error) {
	if t.picked {
		return t.addPicked(line)
	}
	return t.addFirst(line), nil
}

// addFirst is add for columns that are the first ones.
func (t *textStrings) addFirst(line []byte) bool {
	u, rest, ok := cutField(line, t.sep)
	if !ok || !t.valid(u) {
		return false
	}
	v, rest, ok := cutField(rest, t.sep)
	if !ok || !t.valid(v) {
		return false
	}
	if u, v = cell(u, t.sep), cell(v, t.sep); u == nil || v == nil {
		return false
	}
	columns := 2
	if t.weights {
		var f []byte
		columns++
		f, rest, ok = cutField(rest, t.sep)
		if !ok {
			return false
		}
		w, ok := parseWeight(unquoted(f, t.sep))
		if !ok {
			return false
		}
		if !t.w.add(w) {
			return false
		}
	}
	if t.columns > 0 && !t.fits(columns+countFields(rest, t.sep)) {
		return false
	}
	addString(&t.src, u)
	addString(&t.dst, v)
	return true
}

// addPicked is add for columns that aren't the first ones.
func (t *textStrings) addPicked(line []byte) (bool, error) {
	var cells [3][]byte
	n := 2
	if t.weights {
		n = 3
	}
	if !t.cells(line, n, &cells) || cells[0] == nil || cells[1] == nil || !t.valid(cells[0]) || !t.valid(cells[1]) {
		return false, nil
	}
	var w weight
	if t.weights {
		var ok bool
		if w, ok = parseWeight(cells[2]); !ok {
			return false, nil
		}
	}
	if t.values != nil {
		copy(t.values.cells, t.cellsOf)
		if left, err := t.values.read(); err != nil || !left {
			return true, err
		}
	}
	if t.weights && !t.w.add(w) {
		return false, nil
	}
	if t.values != nil {
		t.values.keep()
	}
	addString(&t.src, cells[0])
	addString(&t.dst, cells[1])
	return true, nil
}

func (t *textStrings) valid(f []byte) bool { return t.ids == graph.Binary || utf8.Valid(f) }

func addString(s *graph.Strings, v []byte) {
	s.Data = append(s.Data, v...)
	s.Offsets = append(s.Offsets, int64(len(s.Data)))
}

func (t *textStrings) flush() error {
	if t.src.Len() == 0 {
		return nil
	}
	e := graph.Batch{Type: t.ids, SrcStrings: &t.src, DstStrings: &t.dst}
	if t.weights {
		t.w.give(&e)
	}
	t.values.give(&e)
	err := t.yield(e)
	t.values.clear()
	t.reset()
	return err
}
