// This file reads the vertices that --sources-from, --targets-from and --remove-vertices name: ids in
// a table, or in a text.

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/ctxfile"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
)

// seedColumns are the names by which a header of ids is known.
var seedColumns = []string{"id", "vertex", "source", "target"}

// seedList is ids that are looked up in a graph.
type seedList struct {
	g       *graph.Graph
	path    string
	flag    string // with its value
	rows    int
	missing int
	some    []string // of those
	seen    map[uint32]bool
	all     bool // list has an id as often as it comes
	place   int  // of the column where a text of two columns has no header, from 1; 0: texts of pairs need one
	strict  bool // what can be no id of the graph is an error, and not missing
	list    []uint32
	// What missing ids may come of: one had no kind of the graph; the first line of a .csv or .tsv was
	// taken for an id.
	kindless bool
	headline string

	comment  byte // as edgelist.Options.Comment
	comments int  // lines that were left out
}

// splitSeeds splits PATH;column=NAME. For a file:// address it returns the path.
func splitSeeds(flag, spec string) (path, column string, err error) {
	path, rest, more := strings.Cut(spec, ";")
	if path == "" {
		return "", "", usagef("--%s %q: it begins with a PATH", flag, spec)
	}
	if more {
		name, ok := strings.CutPrefix(rest, "column=")
		if !ok || name == "" {
			return "", "", usagef("--%s %q: %q isn't column=NAME", flag, spec, rest)
		}
		column = name
	}
	if path, err = location.Path(path); err != nil {
		return "", "", usagef("--%s: %w", flag, err)
	}
	return path, column, nil
}

// readSeeds looks the ids up that a table or a text has.
func readSeeds(ctx context.Context, g *graph.Graph, in *inputFlags, flag, spec string) (*seedList, error) {
	path, column, err := splitSeeds(flag, spec)
	if err != nil {
		return nil, err
	}
	l := &seedList{g: g, path: path, flag: "--" + flag + " " + path, seen: map[uint32]bool{}, strict: in.appendTo != "", comment: in.comment.value}
	if path == "-" {
		if path, err = in.stdin(ctx); err != nil {
			return nil, err
		}
	}
	isText, err := seedsAreText(path)
	switch {
	case err != nil:
		return nil, missing(path, err)
	case isText:
		err = l.readText(ctx, path, column)
	default:
		err = l.readTable(ctx, in, path, column)
	}
	var known *vertexNotFound // which names the flag
	switch {
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return l, nil
}

// seeds returns the vertices whose ids a table or a text has, each once, in its order.
func (a *app) seeds(ctx context.Context, g *graph.Graph, in *inputFlags, flag, spec string) ([]uint32, error) {
	l, err := readSeeds(ctx, g, in, flag, spec)
	if err != nil {
		return nil, err
	}
	if l.comments > 0 {
		if err := a.note("left out %s of %s", text.Plural(l.comments, "comment line"), l.path); err != nil {
			return nil, err
		}
	}
	skip := in.unknown.value == "skip"
	switch {
	case l.rows == 0:
		return nil, text.Named(l.flag+" has no id", graph.ErrEmpty)
	case l.missing > 0 && !skip || len(l.list) == 0:
		names := strings.Join(l.some, ", ")
		if more := l.missing - len(l.some); more > 0 {
			names += fmt.Sprintf(" and %s more", text.Count(more))
		}
		s := fmt.Sprintf("%s: the graph lacks %s of %s: %s; %s", l.flag, text.Count(l.missing), text.Plural(l.rows, "id"), names, idsOf(g))
		switch {
		case l.kindless:
			s += "; write ids as KIND:ID, or say which kind a table's column has: ;column=COLUMN:KIND"
		case l.headline != "":
			s += "; if the first line is a header, name the column: ;column=" + l.headline
		}
		if !skip {
			s += "; --unknown-vertices skip leaves them out"
		}
		return nil, &vertexNotFound{s, graph.ErrNoVertex}
	case l.missing > 0:
		return l.list, a.note("left out %s of %s in %s, which the graph lacks", text.Count(l.missing), text.Plural(l.rows, "id"), l.path)
	}
	return l.list, nil
}

// idsOf describes the ids of the graph.
func idsOf(g *graph.Graph) string {
	m := g.IDs()
	if m.Len == 0 {
		return "the graph has no vertices"
	}
	typ := "type " + m.Type.String()
	if form, err := logical.Parse(m.Logical); err == nil {
		if typ = "type " + m.Logical; form.Kind == logical.Kinds {
			typ = "kinds " + kindNames(form)
		}
	}
	return fmt.Sprintf("ids of the graph are of %s, from %s to %s", typ, formatID(m, m.AtRank(0)), formatID(m, m.AtRank(uint32(m.Len-1))))
}

// add looks an id up.
func (l *seedList) add(id string) error {
	const most = 5
	l.rows++
	v, err := l.g.ParseVertex(id)
	switch {
	case errors.Is(err, graph.ErrAmbiguousSide), l.strict && errors.Is(err, graph.ErrIDType) && l.g.NumVertices() > 0:
		return vertexError(l.g, l.flag[2:], id, err)
	case errors.Is(err, graph.ErrNoVertex) || errors.Is(err, graph.ErrIDType):
		if kinds := l.g.IDs().Kinds(); kinds != nil {
			kind, _, _ := strings.Cut(id, ":")
			l.kindless = l.kindless || !slices.Contains(kinds, kind)
		}
		if l.missing++; len(l.some) < most {
			l.some = append(l.some, cmp.Or(fmt.Sprintf("%.100s", id), `""`))
		}
		return nil
	case err != nil:
		return err
	}
	if l.all {
		l.list = append(l.list, v)
	} else if !l.seen[v] {
		l.seen[v] = true
		l.list = append(l.list, v)
	}
	return nil
}

// readTable reads ids of Parquet and Arrow.
func (l *seedList) readTable(ctx context.Context, in *inputFlags, path, column string) error {
	o := arrow.Options{UnionByName: in.union, FollowLinks: in.links, AllowOutside: in.outside}
	in.limits.arrow(&o)
	o.SkipNulls = in.nulls.value == "skip"
	t := arrow.VertexTable{Paths: []string{path}, ID: column}
	if l.g.IDs().Kinds() != nil && !strings.Contains(column, ":") {
		t.ID = column + ":{kind}"
		if err := eachID(ctx, t, o, l.add); !errors.Is(err, arrow.ErrColumn) {
			return err
		}
		t.ID = column // with the kinds before the ids, or an error
	}
	return eachID(ctx, t, o, l.add)
}

// eachID calls take with the ids of a table.
func eachID(ctx context.Context, t arrow.VertexTable, o arrow.Options, take func(id string) error) error {
	for id, err := range arrow.IDs(ctx, t, o) {
		if err == nil {
			err = take(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seedsAreText reports whether a file is text: anything that isn't a directory, a pattern, an object or
// a file that begins like Parquet or Arrow.
func seedsAreText(path string) (bool, error) {
	if inStore(path) || inCatalog(path) {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		if strings.ContainsAny(path, "*?[") {
			return false, nil
		}
		return false, err
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".parquet", ".arrow", ".feather", ".ipc", ".arrows":
		return false, nil
	case ".gz", ".zst", ".bz2", ".xz", ".lz4", ".zip", ".z":
		return false, usagef("%s: ids can't be read from compressed text; decompress it, or convert it to Parquet", path)
	}
	if !info.Mode().IsRegular() { // a pipe is text, and can't be looked into
		return !info.IsDir(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [6]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	return !bytes.HasPrefix(head[:n], []byte("PAR1")) && string(head[:n]) != "ARROW1", nil
}

// readText reads an id a line, or of .csv and .tsv a column.
func (l *seedList) readText(ctx context.Context, path, column string) error {
	f, err := ctxfile.OpenFile(ctx, path, os.O_RDONLY, 0) // it may be a pipe without a writer
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		atomicfile.NoteFile(ctx, path, info)
	}
	ext := strings.ToLower(filepath.Ext(path))
	c := &seedText{l: l, path: path}
	if at := strings.LastIndexByte(column, ':'); at >= 0 && logical.KindName(column[at+1:]) {
		c.kind, column = column[at+1:], column[:at]
	}
	c.column = column
	if ext != ".csv" && ext != ".tsv" {
		if column != "" {
			return usagef("%s: column=%s is for tables with names: Parquet, Arrow, .csv and .tsv with a header", path, column)
		}
		c.id, c.kindAt = 0, -1
		return c.readLines(ctx, f)
	}
	row := &bounded{in: f}
	breaks := &quotedBreaks{in: row, commentByte: l.comment}
	if l.comment == 0 {
		breaks.commentByte = noComment
	}
	defer func() { l.comments += breaks.comments }()
	r := csv.NewReader(breaks)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	if ext == ".tsv" {
		r.Comma = '\t'
	}
	if breaks.commentByte != noComment {
		if r.Comment = rune(l.comment); r.Comment == r.Comma {
			return usagef("%s: --comment can't be what separates columns", path)
		}
	}
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		row.left = maxSeedLine
		fields, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if first {
			header, err := c.header(fields)
			if err != nil {
				return err
			}
			if header {
				continue
			}
		}
		before := l.missing
		if err := c.row(fields); err != nil {
			return err
		}
		if first && l.missing > before {
			l.headline = fmt.Sprintf("%.100s", fields[c.id])
		}
	}
}

// maxSeedLine is how many bytes a line of ids has at most, in CSV with the line breaks in quotes.
const maxSeedLine = 1 << 20

// bounded reads so much of a reader: one quote without another would have a whole file held as one field.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a line of more than %s; is a quote left open?", text.Bytes(maxSeedLine))
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// seedText is where ids stand in the lines of a text.
type seedText struct {
	l            *seedList
	path, column string
	kind         string // of all of them
	id, kindAt   int    // columns; kindAt is -1 where none has kinds
}

// header finds the columns in the first line, and reports whether it is a header: it is where a column is
// asked for by name, where one is called as seedColumns say, or where the first column's cell is not of the
// type of the graph's ids, such as a word where those are integers.
func (c *seedText) header(names []string) (bool, error) {
	find := func(name string) int {
		for i, n := range names {
			if strings.EqualFold(strings.TrimPrefix(n, "\ufeff"), name) {
				return i
			}
		}
		return -1
	}
	c.id, c.kindAt = -1, -1
	wanted := seedColumns
	if c.column != "" {
		wanted = []string{c.column}
	}
	for _, name := range wanted {
		if c.id = find(name); c.id >= 0 {
			break
		}
	}
	switch {
	case c.id < 0 && c.l.place > 0 && len(names) == 2 && c.parses(names[0]) && c.parses(names[1]):
		c.id = c.l.place - 1
		return false, nil
	case c.id < 0 && c.column != "":
		quoted := strings.Split(strings.Trim(fmt.Sprintf("%q", names), "[]"), `" "`)
		return false, fmt.Errorf("%s: the header has no column %q; the columns are %s%s", c.path, c.column, strings.Join(quoted, `", "`), text.Meant(c.column, names))
	case c.id < 0:
		c.id = 0
		_, err := c.l.g.ParseVertex(strings.TrimPrefix(names[0], "\ufeff"))
		return c.l.g.IDs().Kinds() == nil && errors.Is(err, graph.ErrIDType), nil
	}
	if c.kind == "" && c.l.g.IDs().Kinds() != nil {
		c.kindAt = find("kind")
	}
	return true, nil
}

// parses reports whether a cell may be an id of the graph.
func (c *seedText) parses(cell string) bool {
	_, err := c.l.g.ParseVertex(strings.TrimSpace(strings.TrimPrefix(cell, "\ufeff")))
	return err == nil || c.l.g.IDs().Type.Integer() && errors.Is(err, graph.ErrNoVertex)
}

// row adds the id of a line.
func (c *seedText) row(fields []string) error {
	if len(fields) <= max(c.id, c.kindAt) {
		return fmt.Errorf("%s: line %q has %s", c.path, fields, text.Plural(len(fields), "column"))
	}
	id := strings.TrimPrefix(fields[c.id], "\ufeff")
	if c.l.g.IDs().Type.Integer() {
		id = strings.TrimSpace(id) // as in edges
	}
	switch {
	case c.kind != "":
		id = c.kind + ":" + id
	case c.kindAt >= 0:
		id = fields[c.kindAt] + ":" + id
	}
	return c.l.add(id)
}

// quotedBreaks reads CSV for encoding/csv, which makes \r\n in quotes \n: of two \r before \n it
// leaves one.
type quotedBreaks struct {
	in     io.Reader
	err    error
	buf    [4096]byte
	out    []byte // what wasn't read yet
	quoted bool
	// commentByte begins comments, unless it is noComment.
	commentByte byte
	comments    int
	comment     bool
	inLine      bool // something of the line was there
	cr          bool // the last byte was \r
}

func (q *quotedBreaks) Read(p []byte) (int, error) {
	for len(q.out) == 0 && q.err == nil {
		var n int
		n, q.err = q.in.Read(q.buf[:])
		q.out = q.out[:0]
		for _, c := range q.buf[:n] {
			q.add(c)
		}
	}
	if len(q.out) == 0 {
		return 0, q.err
	}
	n := copy(p, q.out)
	q.out = q.out[n:]
	return n, nil
}

// add adds a byte to out.
func (q *quotedBreaks) add(c byte) {
	switch {
	case c == '"' && !q.comment: // one in quotes is written twice
		q.quoted = !q.quoted
	case c == q.commentByte && c != noComment && !q.quoted && !q.inLine:
		q.comment = true
		q.comments++
	case c == '\n' && q.quoted && q.cr:
		q.out = append(q.out, '\r')
	case c == '\n':
		q.comment = false
	}
	q.inLine, q.cr = c != '\n' || q.quoted, c == '\r'
	q.out = append(q.out, c)
}

// readLines reads a list of an id a line.
func (c *seedText) readLines(ctx context.Context, f io.Reader) error {
	in := bufio.NewReaderSize(f, 1<<16)
	var line []byte
	for no := 1; ; no++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line = line[:0]
		var err error
		for more := true; more; {
			var part []byte
			part, err = in.ReadSlice('\n')
			line = append(line, part...)
			if more = errors.Is(err, bufio.ErrBufferFull); len(line) > maxSeedLine {
				return fmt.Errorf("%s:%d: the line is longer than %s; write an id a line", c.path, no, text.Bytes(maxSeedLine))
			}
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		if no == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		switch id := strings.TrimSpace(string(line)); {
		case id == "":
		case c.commented(line, id):
			c.l.comments++
		default:
			if err := c.row([]string{id}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// commented reports whether a line of a list is a comment: by default one that begins with #.
func (c *seedText) commented(line []byte, id string) bool {
	switch c.l.comment {
	case 0:
		return id[0] == '#'
	case noComment:
		return false
	}
	return line[0] == c.l.comment
}
