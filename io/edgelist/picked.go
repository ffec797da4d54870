// This file holds edges whose columns aren't the first ones.

package edgelist

import (
	"slices"

	"github.com/foray-graph/foray/graph"
)

// pick sets which columns are read.
func (lay *layout) pick(source, target, weight int) {
	lay.at = [3]int{source, target, weight}
	lay.picked = lay.at != [3]int{0, 1, 2} || lay.more != nil
}

// cells finds the first n of source, target and weight in a line, and reports
// whether they and as many columns as there have to be are there.
func (lay *layout) cells(line []byte, n int, cells *[3][]byte) bool {
	*cells = [3][]byte{}
	last := slices.Max(lay.at[:n])
	for _, i := range lay.more {
		last = max(last, i)
	}
	rest := line
	for i := 0; i <= last; i++ {
		f, r, ok := cutField(rest, lay.sep)
		if !ok {
			return false
		}
		rest = r
		for k := range n {
			if lay.at[k] == i {
				cells[k] = cell(f, lay.sep)
			}
		}
		for k, at := range lay.more {
			if at == i {
				lay.cellsOf[k] = cellText{text: cell(f, lay.sep)}
			}
		}
	}
	return lay.columns == 0 || lay.fits(last+1+countFields(rest, lay.sep))
}

// parsePicked is parse for columns that aren't the first ones.
func (t *textInts) parsePicked(b []byte) (int, error) {
	var cells [3][]byte
	n := 2
	if t.weights {
		n = 3
	}
	t.begin()
	defer t.count()
	for p := 0; p < len(b); {
		start := p
		line, next := t.take(b, p)
		p = next
		if line == nil {
			continue
		}
		t.beside.at(b, start)
		ok := !(t.cr.in(b, '\r') && t.bareCR(line)) && !(t.tab.in(b, '\t') && t.tabbed(line)) && t.cells(line, n, &cells) &&
			t.whole(cells[0], &t.src[t.n]) && t.whole(cells[1], &t.dst[t.n])
		var w weight
		if ok && t.weights {
			w, ok = parseWeight(cells[2])
		}
		if ok && t.more != nil {
			copy(t.beside.cells, t.cellsOf)
			if left, err := t.beside.read(); err != nil {
				return start, err
			} else if !left {
				continue
			}
		}
		if ok && t.weights {
			ok = t.w.add(w)
		}
		if !ok {
			return start, t.fault(b[start:])
		}
		if t.more != nil {
			t.beside.keep()
		}
		if t.n++; t.n == len(t.src) || t.beside.large() {
			if err := t.flush(); err != nil {
				return -1, err
			}
		}
	}
	return t.endChunk()
}

// endChunk passes on the rows of a chunk that have columns: their numbers must ascend from batch to batch.
func (t *textInts) endChunk() (int, error) {
	if t.more == nil {
		return 0, nil
	}
	if err := t.flush(); err != nil {
		return -1, err
	}
	return 0, nil
}

// whole parses a field that is an id and nothing else.
func (t *textInts) whole(f []byte, id *int64) bool {
	if len(f) == 0 {
		return false
	}
	t.cell = append(append(t.cell[:0], f...), '\n')
	var q int
	var ok bool
	if t.ids == graph.Uint64 {
		var x uint64
		x, q, ok = scanUint(t.cell, 0)
		*id = int64(x)
	} else {
		*id, q, ok = scanInt(t.cell, 0)
	}
	return ok && q == len(f)
}

// pickedFault is lineFaultOf for columns that aren't the first ones.
func (lay *layout) pickedFault(line []byte, weights bool) error {
	names := [3]string{"source", "target", "weight"}
	n := 2
	if weights {
		n = 3
	}
	fields := columnsOf(line, lay.sep)
	for k := range n {
		i := lay.at[k]
		switch {
		case i >= len(fields):
			return faultf(ErrSyntax, "column %d, the %s, is missing or not well formed: %s%s", i+1, names[k], quoted(line), lay.otherComment(line))
		case k == 2:
			if w, ok := parseWeight(fields[i]); !ok || w.past {
				return weightFault(fields[i])
			}
		default:
			if err := lay.idFault(line, fields[i], i); err != nil {
				return err
			}
		}
	}
	for k, i := range lay.more {
		if i >= len(fields) {
			return faultf(ErrSyntax, "column %d, %.100q, is missing or not well formed: %s%s", i+1, lay.names[k], quoted(line), lay.otherComment(line))
		}
	}
	return faultf(ErrSyntax, "found %d columns, but the header has %d: %s; set Options.Ragged to ignore columns that aren't needed%s%s",
		countFields(line, lay.sep), lay.columns, quoted(line), lay.blanksHint(), lay.otherComment(line))
}
