// This file holds what is printed of a search over processes, and the files that they
// write.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// id is an id for people.
func (s *partsSummary) id(id int64) string {
	if !s.kind.Signed() {
		return strconv.FormatUint(uint64(id), 10)
	}
	return strconv.FormatInt(id, 10)
}

func (s *partsSummary) write(out io.Writer) error {
	w := &strings.Builder{}
	p, r, g := s.part, s.res, &s.part.Stats
	directed := "undirected"
	if s.flags.directed {
		directed = "directed"
	}
	line(w, "graph", fmt.Sprintf("%s: %s, %s, %s, ids %s", text.Escape(s.in.name), text.Plural(g.Vertices, "vertex"), text.Plural(p.Edges(), "edge"), directed, s.kind))
	loaded := fmt.Sprintf("in %s by %s, which sent %s", text.Duration(g.Took), text.Plural(g.Ranks, "rank"), text.Bytes(g.Sent))
	if lacks := (*engine.NoRoom)(nil); g.Made {
		loaded = fmt.Sprintf("in %s by %s, on GPUs", text.Duration(g.Took), text.Plural(g.Ranks, "rank"))
	} else if errors.As(g.NotMade, &lacks) {
		loaded += "; not on GPUs: making " + lacks.Reason()
	}
	line(w, "loaded", loaded)
	if g.SelfLoops+g.Repeated > 0 {
		line(w, "dropped", droppedEdges(g.SelfLoops, g.Repeated, g.InputEdges))
	}
	line(w, "parts", fmt.Sprintf("%s (vertices of over %s, which every rank knows); edges nn %s, nd %s, dn %s, dd %s; %.1f bytes per directed edge; the largest part has %.2f times the mean",
		text.Plural(g.Delegates, "delegate"), text.Plural(g.Threshold, "out-neighbor"), text.Percent(g.NN, g.Entries), text.Percent(g.ND, g.Entries), text.Percent(g.DN, g.Entries),
		text.Percent(g.DD, g.Entries), float64(g.Bytes)/float64(max(g.Entries, 1)), float64(g.MostEntries)*float64(g.Ranks)/float64(max(g.Entries, 1))))
	key := "source"
	if len(r.Sources) > 1 {
		key = "sources"
	}
	var ids []string
	for i, id := range r.Sources {
		if i == maxIDs {
			ids = append(ids, fmt.Sprintf("and %s more", text.Count(len(r.Sources)-maxIDs)))
			break
		}
		ids = append(ids, s.id(id))
	}
	line(w, key, strings.Join(ids, ", ")+s.why)
	ranks, local := text.Plural(g.Ranks, "rank"), ""
	if g.Machines > 1 {
		ranks += " on " + text.Plural(g.Machines, "machine")
	}
	if s.flags.local.on {
		local = s.localAllToAll()
	}
	on := fmt.Sprintf("on hosts, %s, %s each", ranks, text.Plural(s.part.Workers(), "worker")) + local + s.flags.onHosts
	if s.placed != nil {
		on = fmt.Sprintf("on GPUs, %s, a GPU each; rank 0 on %s, of whose memory it takes %s", text.Plural(g.Ranks, "rank"), s.gpu, text.Bytes(s.placed.Bytes()))
		if g.Ranks == 1 {
			on = fmt.Sprintf("on a GPU, 1 rank, on %s, of whose memory it takes %s", s.gpu, text.Bytes(s.placed.Bytes()))
		}
		on += local
	}
	line(w, "search", on)
	fmt.Fprintln(w)
	s.levels().Write(w, "  ")
	fmt.Fprintln(w)
	reached := fmt.Sprintf("%s of %s (%s) in %s", text.Count(r.Reached), text.Plural(g.Vertices, "vertex"), text.Percent(r.Reached, g.Vertices), text.Plural(r.Levels, "level"))
	if r.Limited {
		reached += "; ended with vertices still to expand"
	}
	line(w, "reached", reached)
	var list []string
	for i, id := range s.targets {
		at := "not reached"
		if s.depths[i] >= 0 {
			at = "at depth " + text.Count(s.depths[i])
		}
		list = append(list, s.id(id)+" "+at)
	}
	if len(list) > 0 {
		line(w, "targets", strings.Join(list, ", "))
	}
	var sent, across, messages uint64
	united := 0
	for _, l := range r.Stats {
		sent, across, messages = sent+l.Sent, across+l.Across, messages+l.Messages
		if l.United {
			united++
		}
	}
	between := ""
	if g.Machines > 1 && s.placed == nil {
		between = fmt.Sprintf(", %s of that between machines in %s", text.Bytes(across), text.Plural(messages, "message"))
	}
	line(w, "sent", fmt.Sprintf("%s of vertices%s; a bitmap of %s united in %s", text.Bytes(sent), between, text.Bytes(r.UnitedBytes), text.Plural(united, "level")))
	line(w, "levels", fmt.Sprintf("%s, of which %s to communicate and wait", text.Duration(time.Duration(r.Seconds*1e9)), text.Duration(time.Duration(r.Talking*1e9))))
	line(w, "time", text.Duration(r.Elapsed)+" in all")
	took := r.Elapsed
	if s.placed != nil {
		took = r.Searched
		line(w, "searched", text.Duration(took)+" until depths stood in the GPUs' memory")
	}
	if !r.Limited && r.TraversedEdges > 0 && took > 0 {
		line(w, "rate", fmt.Sprintf("%s (%s)", text.RateUnit(float64(r.TraversedEdges)/took.Seconds()/1e9), text.Plural(r.TraversedEdges, "edge")))
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// localAllToAll reports the effect of --local-all-to-all.
func (s *partsSummary) localAllToAll() string {
	g, why := &s.part.Stats, ""
	switch {
	case s.placed != nil:
		why = "on GPUs"
	case g.Machines == 1:
		why = "where all ranks are on one machine"
	case g.Machines == g.Ranks:
		why = "where each machine has one rank"
	default:
		return ", local all-to-all first"
	}
	return "; --local-all-to-all changes nothing " + why
}

// pulled names the subgraphs that some rank pulled in a level.
func (s *partsSummary) pulled(l *engine.Level) []string {
	g, names := &s.part.Stats, []string{}
	for k, edges := range []uint64{g.ND, g.DD, g.DN, g.NN} {
		if l.Pulled[k] > 0 && edges > 0 { // without edges a rank may take either direction
			names = append(names, []string{"nd", "dd", "dn", "nn"}[k])
		}
	}
	return names
}

// ids are ids for people.
func (s *partsSummary) ids(list []int64) []string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = s.id(id)
	}
	return texts
}

// levels is the table of levels.
func (s *partsSummary) levels() *text.Table {
	t := &text.Table{Align: "rrrlrrr"}
	t.Row("depth", "vertices", "edges", "pulled", "sent", "µs", "µs waiting")
	stats := s.res.Stats
	for i, l := range stats {
		if !s.flags.allLevels && len(stats) > maxLevels && i == endLevels {
			t.Note(fmt.Sprintf("... %s left out (--all-levels prints them) ...", text.Plural(len(stats)-2*endLevels, "level")))
		}
		if !s.flags.allLevels && len(stats) > maxLevels && i >= endLevels && i < len(stats)-endLevels {
			continue
		}
		pulled := s.pulled(&l)
		if len(pulled) == 0 {
			pulled = []string{"-"}
		}
		t.Row(text.Count(int(l.Depth)), text.Count(l.Frontier), text.Count(l.Edges), strings.Join(pulled, " "), text.Bytes(l.Sent), micros(l.Seconds, false), micros(l.Talking, false))
	}
	if s.res.Limited {
		left := s.res.Reached
		for _, l := range stats {
			left -= l.Frontier
		}
		t.Row(text.Count(s.res.Levels-1), text.Count(left), "", "not expanded", "", "", "")
	}
	return t
}

func (s *partsSummary) validate(ctx context.Context, w io.Writer) error {
	if err := s.res.Check(ctx); err != nil {
		return err
	}
	sum, err := s.res.Checksum(ctx)
	if err != nil || s.rank != 0 {
		return err
	}
	s.valid, s.checksum = checkedRules(s.flags.parents), checksumText(sum)
	if err := line(w, "valid", s.valid); err != nil {
		return err
	}
	return line(w, "checksum", s.checksum+ofDepths)
}

// checkedRules is what --validate reports of a correct search.
func checkedRules(parents bool) string {
	if parents {
		return "depths and parents obey Graph500's five rules"
	}
	return "depths obey Graph500's five rules"
}

// ofDepths follows a checksum in summaries.
const ofDepths = " of all depths"

func checksumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// depthChecksum is the checksum of a search in one process, "" if ids aren't integers.
func depthChecksum(g *graph.Graph, depths []int32) string {
	ids := g.IDs()
	if !ids.Type.Integer() || ids.Logical != "" || ids.Sides != nil {
		return ""
	}
	sum := uint64(0)
	for v, d := range depths {
		sum += engine.DepthHash(ids.Int(uint32(v)), d)
	}
	return checksumText(sum)
}

// prepareParts makes the directory of the output, and refuses one with files in it.
func prepareParts(ctx context.Context, c comm.Comm, dir string) error {
	if dir == "" {
		return nil
	}
	files, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err != nil:
		err = fmt.Errorf("-o %s: a search over processes writes a directory of files: %w", dir, err)
	case len(files) > 0:
		err = fmt.Errorf("-o %s: the directory has files already; name another, or remove them", dir)
	}
	if err != nil {
		return err
	}
	if err := c.Barrier(ctx); err != nil { // before another rank makes it
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return atomicfile.Explain(dir, err)
	}
	return nil
}

// writePart writes the rank's file, and once all are written a file _SUCCESS.
func (s *partsSummary) writePart(ctx context.Context, c comm.Comm, w io.Writer, o arrow.WriteOptions) error {
	ids := s.part.IDs()
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, len(ids)+1), Targets: []uint32{}}, graph.CSROptions{Directed: true, IDs: &graph.IDs{Type: s.kind, Len: len(ids), Ints: ids}})
	if err != nil {
		return err
	}
	columns := arrow.ResultColumns(depths(s.res.Depths))
	if s.flags.parents {
		columns = append(columns, s.parents())
	}
	o.SortByID = false // they ascend already
	stop := comm.Working(c.Progress)
	err = arrow.Write(ctx, filepath.Join(s.flags.output, fmt.Sprintf("part-%d.%s", c.Rank(), s.flags.format)), g, columns, o)
	stop()
	if err != nil {
		return err
	}
	rows := []uint64{uint64(len(ids))}
	if s.flags.reachedOnly {
		rows[0] = 0
		for _, d := range s.res.Depths {
			if d >= 0 {
				rows[0]++
			}
		}
	}
	if err := c.Sum(ctx, rows); err != nil || c.Rank() != 0 {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.flags.output, "_SUCCESS"), nil, 0o666); err != nil {
		return atomicfile.Explain(s.flags.output, err)
	}
	s.rows = int(rows[0])
	return line(w, "result", fmt.Sprintf("%s, %s in %s", s.flags.output, text.Plural(rows[0], "row"), text.Plural(c.Size(), "file")))
}

// parents is the column of parents, in the type of ids.
func (s *partsSummary) parents() arrow.Column {
	// What stands for a missing parent is no id of one.
	missing := int64(math.MaxInt32)
	known := make(map[int64]bool, len(s.res.Parents))
	for i, p := range s.res.Parents {
		if s.res.Depths[i] >= 0 {
			known[p] = true
		}
	}
	for known[missing] {
		missing--
	}
	for i := range s.res.Parents {
		if s.res.Depths[i] < 0 {
			s.res.Parents[i] = missing
		}
	}
	switch s.kind {
	case graph.Int64:
		return arrow.NewColumn("parent", s.res.Parents, missing)
	case graph.Uint64:
		return arrow.NewColumn("parent", converted[uint64](s.res.Parents), uint64(missing))
	case graph.Uint32, graph.Uint16, graph.Uint8:
		return arrow.NewColumn("parent", converted[uint32](s.res.Parents), uint32(missing))
	}
	return arrow.NewColumn("parent", converted[int32](s.res.Parents), int32(missing))
}

func converted[T uint64 | uint32 | int32](ids []int64) []T {
	list := make([]T, len(ids))
	for i, id := range ids {
		list[i] = T(id)
	}
	return list
}
