// This file holds the header of a text edge list: whether the first line is
// one, and which columns it says that the edges are in.

package edgelist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/text"
)

// pairNames are names of the two ends of an edge that go together.
var pairNames = [...][2]string{
	{"src", "dst"}, {"source", "target"}, {"from", "to"}, {"src", "dest"}, {"source", "dest"}, {"source", "destination"},
	{"src_id", "dst_id"}, {"source_id", "target_id"}, {"from_id", "to_id"}, {"fromnodeid", "tonodeid"}, {"tail", "head"},
}

// sourceNames and targetNames are those that tell an end on their own, if no
// pair does.
var (
	sourceNames = []string{"src", "source", "source_id", "src_id", "from", "from_id", "fromnodeid", "tail"}
	targetNames = []string{"dst", "dest", "destination", "target", "target_id", "dst_id", "to", "to_id", "tonodeid", "head"}
)

// weightName is the column that weights are read from, and ids never.
const weightName = "weight"

// columnWords are words that stand in headers, more often than as ids. Two of
// them are no proof, so that such a line is refused rather than skipped.
var columnWords = []string{
	"id", "user", "user_id", "userid", "follows", "follower", "follower_id", "followee", "followee_id", "followed", "following",
	"friend", "friend_id", "node", "node_id", "node1", "node2", "vertex", "vertex_id", "parent", "parent_id", "child", "child_id",
	"depth", "weight", "label", "name", "type", "id1", "id2", "sender", "receiver", "recipient", "citing", "cited",
}

// headerOf finds out whether the first of the two lines is a header, and if so
// in which columns the edges are. sep is ' ' where tabs may separate too.
func (lay *layout) headerOf(head [2][]byte, sep byte, o *Options) (header bool, err error) {
	if o.OnlyVertices {
		return lay.vertexLayout(head, sep, o)
	}
	names := columnsOf(head[0], sep)
	lay.pick(0, 1, 2)
	if o.header == headerNone {
		return false, nil
	}
	s, t, found := endsOf(names)
	header = o.header == headerFirst || o.named() || !numbered(o.edgeColumns())
	if !header {
		if twoNumbers(names) {
			return false, nil
		}
		second := columnsOf(head[1], sep)
		header = found == 1 || o.ids != idsString && o.ids != idsBinary && twoNumbers(second)
		for i := 2; i < min(len(names), len(second)) && !header; i++ {
			_, was := parseWeight(names[i])
			_, is := parseWeight(second[i])
			header = is && !was && len(names[i]) > 0
		}
		if !header && (found > 1 || len(names) >= 2 && word(names[0]) && word(names[1])) {
			return false, faultf(errColumns, "the line looks like a header: %s; set Options.Header to \"first\" or, if it is an edge, to \"none\"", quoted(head[0]))
		}
		if !header && sep != ' ' && head[1] == nil && len(names) >= 2 && !slices.ContainsFunc(names, isWeight) {
			return false, faultf(errColumns, "the only line may be a header: %s; set Options.Header to \"first\" or, if it is an edge, to \"none\"", quoted(head[0]))
		}
		if !header {
			return false, nil
		}
	}
	if o.Source != "" || o.Target != "" {
		if s, t, err = namedEnds(names, o.Source, o.Target); err != nil {
			return true, err
		}
	} else if found != 1 {
		if s, t, err = otherEnds(names, found); err != nil {
			return true, err
		}
	}
	w := 2
	if o.Graph.Weights {
		if w, err = weightOf(names, s, t, o.Weight); err != nil {
			return true, err
		}
	}
	if err := lay.findMore(names, o); err != nil {
		return true, err
	}
	lay.pick(s, t, w)
	lay.left = lay.left[:0]
	for i, name := range names {
		if i != s && i != t && (i != w || !o.Graph.Weights) && !slices.Contains(lay.more, i) {
			lay.left = append(lay.left, string(name))
		}
	}
	if lay.picked && !o.Ragged {
		lay.columns = len(names)
	}
	return true, nil
}

// findMore finds the columns of the edges, or of a list of vertices, in a header.
func (lay *layout) findMore(names [][]byte, o *Options) (err error) {
	lay.names = o.edgeColumns()
	lay.more, err = places(names, o, true)
	return err
}

// columnsOf returns the fields of a line, until one that isn't well formed.
func columnsOf(line []byte, sep byte) (fields [][]byte) {
	for {
		f, rest, ok := cutField(line, sep)
		if !ok {
			return fields
		}
		fields, line = append(fields, cell(f, sep)), rest
	}
}

// isWeight reports whether a field is a number, which is no name of a column.
func isWeight(f []byte) bool {
	_, ok := parseWeight(f)
	return ok
}

func word(f []byte) bool { return slices.Contains(columnWords, strings.ToLower(string(f))) }

// column returns the only field of that name in any case of letters, else -1.
func column(names [][]byte, name string) int {
	at := -1
	for i, f := range names {
		if strings.EqualFold(string(f), name) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// endsOf returns the columns of the one pair of names that is there. found is
// how many pairs there are.
func endsOf(names [][]byte) (s, t, found int) {
	for _, p := range pairNames {
		if i, k := column(names, p[0]), column(names, p[1]); i >= 0 && k >= 0 {
			s, t = i, k
			found++
		}
	}
	if found > 0 {
		return s, t, found
	}
	ends := [2]int{-1, -1}
	for i, f := range names {
		for end, known := range [2][]string{sourceNames, targetNames} {
			if slices.Contains(known, strings.ToLower(string(f))) {
				if ends[end] >= 0 {
					return 0, 0, 0
				}
				ends[end] = i
			}
		}
	}
	if ends[0] < 0 || ends[1] < 0 {
		return 0, 0, 0
	}
	return ends[0], ends[1], 1
}

// otherEnds returns the columns of the edges if names don't determine them: the
// only two besides one of weights. A line of one field is a title.
func otherEnds(names [][]byte, found int) (s, t int, err error) {
	var left []int
	depth := false
	for i, f := range names {
		depth = depth || strings.EqualFold(string(f), "depth") // of a result, which has no edges
		if !strings.EqualFold(string(f), weightName) {
			left = append(left, i)
		}
	}
	switch {
	case len(names) < 2:
		return 0, 1, nil
	case found == 0 && len(left) == 2 && !depth:
		return left[0], left[1], nil
	}
	return 0, 0, faultf(errColumns, "the names in the header don't tell which columns are source and target; name them in Options.Source and Options.Target, "+
		"or, if the line is an edge, set Options.Header to \"none\"; Options.SkipLines leaves out what stands before; %s", listNames(names))
}

// namedEnds returns the columns of the names asked for.
func namedEnds(names [][]byte, source, target string) (s, t int, err error) {
	if s, err = namedColumn(names, source, "Source"); err != nil {
		return 0, 0, err
	}
	if t, err = namedColumn(names, target, "Target"); err != nil {
		return 0, 0, err
	}
	switch {
	case s >= 0 && s == t:
		return 0, 0, faultf(errColumns, "column %s can't be both ends of an edge; Options.Source and Options.Target have to differ; %s", quoted(names[s]), listNames(names))
	case s >= 0 && t >= 0:
		return s, t, nil
	case s >= 0:
		t = partner(names, s, 0)
	default:
		s = partner(names, t, 1)
	}
	if s < 0 || t < 0 {
		option := "Target"
		if s < 0 {
			s, option = t, "Source"
		}
		return 0, 0, faultf(errColumns, "which column goes with %s isn't clear; name it in Options.%s; %s", quoted(names[s]), option, listNames(names))
	}
	return s, t, nil
}

// namedColumn returns the column of that name, or else the only one whose name
// differs in the case of letters alone; -1 for the name "".
func namedColumn(names [][]byte, name, option string) (int, error) {
	at, folded, others := -1, -1, -1
	for i, f := range names {
		switch {
		case name == "":
		case string(f) == name && at >= 0:
			return 0, faultf(errColumns, "Options.%s names column %s, but there are several of that name; %s", option, quoted(f), listNames(names))
		case string(f) == name:
			at = i
		case strings.EqualFold(string(f), name):
			folded, others = i, folded
		}
	}
	switch {
	case name == "" || at >= 0:
		return at, nil
	case others >= 0:
		return 0, faultf(errColumns, "Options.%s names column %s, but no column is called just so, and %s and %s differ from it in the case of letters alone; name one of them",
			option, quoted([]byte(name)), quoted(names[others]), quoted(names[folded]))
	case folded >= 0:
		return folded, nil
	}
	if at := strings.LastIndexByte(name, ':'); at > 0 && column(names, name[:at]) >= 0 {
		return 0, faultf(errColumns, "Options.%s names column %s and a kind, but text has no kinds of vertices; convert it to Parquet first, and give columns kinds there", option, quoted([]byte(name[:at])))
	}
	var all []string
	for _, f := range names {
		all = append(all, string(f))
	}
	return 0, faultf(errColumns, "Options.%s names column %s, but %s%s", option, quoted([]byte(name)), listNames(names), text.Meant(name, all))
}

// partner returns the column that goes with column i, which is end 0 or 1, or -1.
func partner(names [][]byte, i, end int) int {
	for _, p := range pairNames {
		if strings.EqualFold(string(names[i]), p[end]) {
			if k := column(names, p[1-end]); k >= 0 {
				return k
			}
		}
	}
	if len(names) == 2 {
		return 1 - i
	}
	return -1
}

// weightOf returns the column of weights.
func weightOf(names [][]byte, s, t int, name string) (int, error) {
	if name != "" {
		return namedColumn(names, name, "Weight")
	}
	w := column(names, weightName)
	switch {
	case w >= 0 && w != s && w != t:
		return w, nil
	case s+t == 1:
		return 2, nil // the third, as without a header
	case len(names) == 3:
		return 3 - s - t, nil
	}
	return 0, faultf(errColumns, "weights are wanted, but no column is named %q; name it in Options.Weight; %s", weightName, listNames(names))
}

// listNames names the columns, the first of them where there are many.
func listNames(names [][]byte) string {
	const most = 20
	var quotedNames []string
	for _, f := range names[:min(most, len(names))] {
		quotedNames = append(quotedNames, quoted(f))
	}
	s := "the columns are " + strings.Join(quotedNames, ", ")
	if len(names) == 1 {
		s = "the only column is " + quotedNames[0] + otherSeparator(names[0], 0)
	}
	if len(names) > most {
		s += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return s
}

// headless returns an error where only columns of weights or of edges are asked for by name, and the first line is an edge
// of two integers without such names.
func (o *Options) headless(names [][]byte) error {
	if wanted := o.edgeColumns(); !o.OnlyVertices && !numbered(wanted) && !o.named() && o.header != headerFirst && twoNumbers(names) {
		if _, err := places(names, o, true); err != nil {
			return faultf(errColumns, "Options.Graph.EdgeColumns names column %.100q, but the text has no header: its first line is an edge; of such a text name columns by number, from \"1\"", wanted[0])
		}
	}
	if o.Weight == "" || o.Source != "" || o.Target != "" || o.header == headerFirst ||
		len(names) < 2 || !isNumber(names[0]) || !isNumber(names[1]) || column(names, o.Weight) >= 0 {
		return nil
	}
	return faultf(errColumns, "Options.Weight names column %s, but the text has no header: its first line is an edge; of such a text the third column has the weights, without Options.Weight", quoted([]byte(o.Weight)))
}

// columns calls Options.Columns with where the edges of a text stand: names has the names in its header or of its members,
// or nil, and at has the places of source, target and weight among them.
func (o *Options) columns(names [][]byte, at [3]int) error {
	if o.Columns == nil {
		return nil
	}
	if !o.Graph.Weights {
		at[2] = -1
	}
	var called [3]string
	for i, k := range at {
		if k >= 0 && k < len(names) {
			called[i] = string(names[k])
		}
	}
	_, _, found := endsOf(names)
	told := [3]bool{o.Source != "" || found == 1, o.Target != "" || found == 1, o.Weight != "" || at[2] >= 0 && at[2] == column(names, weightName)}
	return o.Columns(called, at, told)
}
