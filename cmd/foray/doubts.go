// This file holds what is said on standard error of a graph that isn't likely the
// one that was meant.

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// tellDoubts warns about an input that may not be read as intended.
func (a *app) tellDoubts(in *input, g *graph.Graph) error {
	if err := a.tellTables(in); err != nil {
		return err
	}
	for _, doubt := range in.preparedDoubts(g) {
		if err := a.note("%s", doubt); err != nil {
			return err
		}
	}
	if s := &in.stats; s.IndexesIgnored > 0 {
		if err := a.note("page indexes that contradict themselves or the statistics aren't used: %s, for example in %s", text.Count(s.IndexesIgnored), s.IgnoredIndex); err != nil {
			return err
		}
	}
	if in.saysDirected && !in.o.Directed && !in.flags.given("directed") {
		if err := a.note("%s says directed: true, but edges are read as undirected; --directed keeps their direction, --directed=false confirms that they have none", in.name); err != nil {
			return err
		}
	}
	if src, dst := in.unusedKinds(); src != "" {
		if err := a.note("%s: columns %[2]s_kind and %[3]s_kind aren't used, so that vertices of different kinds with equal ids are one; --src '%[2]s:{%[2]s_kind}' --dst '%[3]s:{%[3]s_kind}' keeps them apart",
			in.name, src, dst); err != nil {
			return err
		}
	}
	if s := &in.vertexStats; s.UnknownRows > 0 {
		hint := ""
		if (s.Rows-s.UnknownRows)*fewRows < s.Rows {
			hint = "; is --vertex-id right?"
		}
		if err := a.note("%s of %s of %s are left out, whose vertices the graph lacks%s", text.Count(uint64(s.UnknownRows)), text.Plural(uint64(s.Rows), "row"), strings.Join(in.flags.vertices, ", "), hint); err != nil {
			return err
		}
	}
	if err := a.tellEdgeless(in, g); err != nil {
		return err
	}
	looked := in.rows.len()
	if looked == 0 || g.NumEdges() == 0 || in.flags.appendTo != "" { // where new vertices are added
		return nil
	}
	found := in.rows.withEdge(g, in.flags.vertexTableSide())
	// A condition may well leave edges of few vertices.
	if found*fewRows >= looked || found > 0 && in.flags.where != "" {
		return nil
	}
	rows := text.Plural(looked, "row")
	if uint64(looked) < in.rows.rows {
		rows = fmt.Sprintf("%s, looked at among %s,", rows, text.Count(in.rows.rows))
	}
	err := a.note("%s of %s of %s have an id that an edge has; is --vertex-id right?", text.Count(found), rows, strings.Join(in.flags.vertices, ", "))
	return err
}

// tellEdgeless reports that a graph of vertices has no edge, and for tables the reason: a condition may be meant
// otherwise.
func (a *app) tellEdgeless(in *input, g *graph.Graph) error {
	if g.Stats().InputEdges > 0 || g.NumVertices() == 0 || in.flags.appendTo != "" || len(in.parts) != 1 || in.parts[0].prepared != "" {
		return nil
	}
	why := "there is no edge"
	switch p := in.parts[0]; {
	case p.arrow != nil:
		why = strings.TrimPrefix(oneLine(p.arrow.EmptyError()), in.name+": ")
		why = strings.NewReplacer("empty input: ", "", "; check what wrote it", "").Replace(why)
	case p.graphar != "" && in.flags.where != "":
		why = fmt.Sprintf("no row meets the condition %.200q", in.flags.where)
	}
	return a.note("%s: %s; the graph is %s without edges", in.name, why, text.Plural(g.NumVertices(), "vertex"))
}

// unusedKinds returns the columns of ids for which a table has kinds, as foray convert writes them, that
// the flags don't use.
func (in *input) unusedKinds() (src, dst string) {
	for _, p := range in.parts {
		if p.arrow == nil {
			continue
		}
		s := p.arrow.Info()
		src, dst = s.Columns[s.Source].Name, s.Columns[s.Target].Name
		if slices.Contains(s.Unused, src+"_kind") && slices.Contains(s.Unused, dst+"_kind") {
			return src, dst
		}
	}
	return "", ""
}

const (
	// fewRows: where fewer than one row in so many has an edge, the column is
	// hardly that of the ids.
	fewRows = 100
	// maxSample bounds the rows that are kept to be looked up: enough to tell one
	// in a hundred.
	maxSample = 8192
)

// rowSample keeps ids of the tables of vertices: of all rows while there are few,
// then of every so manieth, so that a table whose vertices without edges come
// first isn't taken for another one.
type rowSample struct {
	mu      sync.Mutex
	rows    uint64 // so many went by
	stride  uint64 // of those that are kept
	ints    []int64
	strings [][]byte
}

func (s *rowSample) reset()   { s.rows, s.stride, s.ints, s.strings = 0, 1, nil, nil }
func (s *rowSample) len() int { return len(s.ints) + len(s.strings) }

// add counts the rows of a batch, and keeps some. Calls come from several
// goroutines.
func (s *rowSample) add(b *graph.Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := uint64(len(b.Src))
	if b.SrcStrings != nil {
		n = uint64(b.SrcStrings.Len())
	}
	for i := (s.stride - s.rows%s.stride) % s.stride; i < n; {
		if b.SrcStrings != nil {
			s.strings = append(s.strings, bytes.Clone(b.SrcStrings.Value(int(i))))
		} else {
			s.ints = append(s.ints, b.Src[i])
		}
		i += s.stride
		if s.len() >= maxSample {
			s.ints, s.strings, s.stride = everyOther(s.ints), everyOther(s.strings), 2*s.stride
		}
	}
	s.rows += n
}

func everyOther[T any](list []T) []T {
	for i := range (len(list) + 1) / 2 {
		list[i] = list[2*i]
	}
	return list[:(len(list)+1)/2]
}

// withEdge counts the rows kept whose vertices have an edge.
func (s *rowSample) withEdge(g *graph.Graph, side graph.Side) int {
	found, ids := 0, g.IDs()
	bare := make(map[uint32]int) // rows of vertices that no edge leads out of
	look := func(v uint32, ok bool) {
		switch {
		case !ok:
		case g.Degree(v) > 0 || g.HasReverse() && g.InDegree(v) > 0:
			found++
		default:
			bare[v]++
		}
	}
	for _, id := range s.ints {
		look(ids.FindInt(side, id))
	}
	for _, id := range s.strings {
		look(ids.FindBytes(side, id))
	}
	if !g.HasReverse() && found*fewRows < s.len() { // edges may lead to them
		for _, v := range g.Out().Targets {
			if len(bare) == 0 {
				break
			}
			if n, ok := bare[v]; ok {
				found += n
				delete(bare, v)
			}
		}
	}
	return found
}
