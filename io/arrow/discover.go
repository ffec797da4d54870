// This file finds the files of a dataset and tells their formats.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/pathglob"
	"github.com/foray-graph/foray/internal/s3"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/ipcfile"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
	"github.com/foray-graph/foray/io/arrow/internal/pq"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// data reports whether a file in a directory is read, by the end of its name.
func data(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".parquet", ".arrow", ".feather", ".ipc", ".arrows":
		return true
	}
	return false
}

// discover returns the files and objects that paths stand for: themselves,
// those in directories, or what matches patterns. Those of one path are sorted
// by name; none comes twice.
func (s *store) discover(ctx context.Context, paths []string, at lake.At) ([]origin, error) {
	var all []origin
	for _, p := range paths {
		if s3.Is(p) {
			found, err := s.expandObjects(ctx, p, at)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			continue
		}
		if kind := s.tableAt(p); kind != "" {
			found, err := s.openLake(ctx, kind, p, at)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			continue
		}
		found, named, err := s.expand(p)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			all = append(all, origin{path: f, named: named})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("arrow: %w: no path was given", ErrNoData)
	}
	seen := map[string]bool{}
	unique := all[:0]
	for _, f := range all {
		key := f.path
		if f.object == nil && !s3.Is(key) {
			key = filepath.Clean(key)
		}
		if f.lake != nil { // of two snapshots both count
			key = f.lake.table.ID + "\x00" + key
		}
		if !seen[key] {
			seen[key] = true
			unique = append(unique, f)
		}
	}
	return unique, nil
}

// expand returns the files that a path stands for, and how many of the names in
// theirs were named.
func (s *store) expand(p string) ([]string, int, error) {
	named := len(elements(p))
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir():
		files, err := s.walk(p)
		if err == nil && len(files) == 0 {
			err = noData(p)
		}
		return files, named, fileError(p, "", err)
	case err == nil:
		return []string{p}, named, nil
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(p, "*?["):
		files, err := s.glob(p)
		return files, rootOf(p), err
	}
	return nil, 0, fmt.Errorf("arrow: %w", err)
}

// beginsLikeData reports whether a file begins with the mark of Parquet or
// Arrow. What isn't a regular file isn't opened.
func beginsLikeData(name string) (bool, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) { // a link to nothing
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return false, nil // as likely no data, and if it is named it is an error
		}
		return false, err
	}
	defer f.Close()
	var head [8]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	return looksLikeData(string(head[:n])), nil
}

func looksLikeData(begin string) bool {
	return strings.HasPrefix(begin, pq.Magic) || strings.HasPrefix(begin, "PARE") || strings.HasPrefix(begin, ipcfile.Magic)
}

// noData says what is in a directory in which nothing can be read.
func noData(dir string) error {
	const wanted = "the directory has no files that end in .parquet, .arrow, .feather, .ipc or .arrows"
	files, dirs, left, example := 0, 0, 0, ""
	_ = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // it could be read a moment ago, and this is but a hint
			return fs.SkipDir
		case name == ".":
		case hidden(path.Base(name)):
			left++
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			dirs++
		default:
			if files++; files == 1 {
				example = filepath.FromSlash(name)
			}
		}
		return nil
	})
	switch {
	case files > 0:
		return fmt.Errorf("%w: %s, but others, such as %s; name files themselves to have them read", ErrNoData, wanted, example)
	case left > 0:
		return fmt.Errorf("%w: %s, only names that begin with a dot or an underscore, which are left out", ErrNoData, wanted)
	case dirs > 0:
		return fmt.Errorf("%w: %s, only directories without a file; check what wrote it", ErrNoData, wanted)
	}
	return fmt.Errorf("%w: %s: it is empty", ErrNoData, wanted)
}

// hidden reports whether a name is one that writers give to what isn't data.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

func (s *store) glob(pattern string) ([]string, error) {
	matches, err := pathglob.Match(strings.TrimRight(pattern, string(filepath.Separator)))
	if err != nil {
		return nil, fmt.Errorf("arrow: pattern %q: %w", pattern, err)
	}
	var files []string
	for _, m := range matches {
		if hidden(filepath.Base(m)) {
			continue
		}
		info, err := os.Stat(m)
		if err != nil {
			return nil, fmt.Errorf("arrow: %w", err)
		}
		if !info.IsDir() {
			if err := s.finder.Check(filepath.Dir(m)); err != nil {
				return nil, fileError(pattern, "", err)
			}
			files = append(files, m)
			continue
		}
		below, err := s.walk(m)
		if err != nil {
			return nil, fileError(m, "", err)
		}
		files = append(files, below...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("arrow: %w: no file matches %q", ErrNoData, pattern)
	}
	return files, nil
}

// table is a file of a dataset: one of the two formats.
type table struct {
	origin
	size     int64
	ends     []int64 // of joined files, where each ends
	read     int64   // bytes, while it was opened
	parquet  *pq.File
	ipc      *ipcfile.File
	choice   choice
	filter   *where.Filter // nil for all rows
	kept     []int         // the blocks that are read, ascending
	equality []equality    // deletes
	before   int64         // rows of files before it that aren't read, where they are counted
	starts   []int64       // the number of each block's first row in the dataset
}

// part says what a file's blocks are called.
func (t *table) part() string {
	if t.parquet != nil {
		return "row group"
	}
	return "record batch"
}

func (t *table) blocks() int {
	if t.parquet != nil {
		return len(t.parquet.Groups)
	}
	return len(t.ipc.Blocks)
}

// rows returns the rows of the blocks that are read.
func (t *table) rows() (n int64) {
	for _, b := range t.kept {
		n += t.blockRows(b)
	}
	return n
}

// allRows returns the rows of all blocks.
func (t *table) allRows() (n int64) {
	for b := range t.blocks() {
		n += t.blockRows(b)
	}
	return n
}

// number sets starts, given the number of the file's first row.
func (t *table) number(first int64) {
	t.starts = make([]int64, t.blocks())
	for b := range t.starts {
		t.starts[b] = first
		first += t.blockRows(b)
	}
}

// blockRows returns the rows of a block.
func (t *table) blockRows(i int) int64 {
	if t.parquet != nil {
		return t.parquet.Groups[i].Rows
	}
	return t.ipc.Blocks[i].Rows
}

// columns describes the columns of the file, and those that its directories
// tell after them.
func (t *table) columns() []columnar.Column {
	if t.lake != nil {
		cols, _, _ := t.lakeColumns() // open has seen its error
		return cols
	}
	return t.addTold(t.ownColumns())
}

// addTold adds the columns that directories tell to the file's own, of which
// there may be many: they aren't copied.
func (t *table) addTold(cols []columnar.Column) []columnar.Column {
	for i := range t.told {
		c := t.told[i].column()
		for k := range cols {
			if cols[k].Path == c.Path {
				cols[k].Path = c.Path + " of the file" // which nobody asks for
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// openRegular opens a file. What else may stand in its place is not even
// opened: a pipe would wait for its other end, and none can be read at will.
func openRegular(name string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		what := "not a regular file but " + kindOf(info.Mode()) + "; write it to a file first"
		if info.IsDir() {
			what = "a directory, not a file"
		}
		return nil, nil, fileError(name, "", fmt.Errorf("%w: it is %s", ErrUnsupported, what))
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	if err == nil {
		if info, err = f.Stat(); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("arrow: %w", err)
	}
	return f, info, nil
}

func kindOf(m os.FileMode) string {
	switch {
	case m&os.ModeNamedPipe != 0:
		return "a pipe"
	case m&os.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// openTable reads a file's metadata. Its content decides the format.
func (d *Dataset) openTable(ctx context.Context, from origin) (*table, []columnar.Column, error) {
	b, err := d.store.open(ctx, &from)
	if err != nil {
		return nil, nil, err
	}
	defer b.Close()
	t := &table{origin: from, size: b.size}
	r := &counter{ReaderAt: b}
	if b.object != nil {
		if r.ReaderAt, err = newEnds(ctx, b.object, 8); err != nil {
			return nil, nil, fmt.Errorf("arrow: %w", err)
		}
	}
	var cols []columnar.Column
	err = columnar.Guard(func() error {
		err := t.sniff(r, b)
		if err == nil {
			cols, err = t.open(r, d)
		}
		return err
	})
	if err == nil && d.numbers() {
		err = t.checkRows()
	}
	if b.object == nil { // clients count what they fetch
		t.read = r.bytes.Load()
	}
	return t, cols, t.joinedError(err)
}

func (t *table) partOrNone() string {
	if t.parquet == nil && t.ipc == nil {
		return ""
	}
	return t.part()
}

// open chooses the columns.
func (t *table) open(f io.ReaderAt, d *Dataset) ([]columnar.Column, error) {
	var cols []columnar.Column
	var from []lakeColumn
	var err error
	if t.lake != nil {
		cols, from, err = t.lakeColumns()
	} else {
		cols = t.ownColumns()
		t.weaker(cols)
		cols = t.addTold(cols)
	}
	if err != nil {
		return nil, err
	}
	if t.choice, err = choose(cols, &d.o); err != nil {
		return nil, err
	}
	if t.filter, err = t.choice.addWhere(cols, d.where); err != nil {
		return nil, err
	}
	if t.lake != nil {
		all := cols
		if all, from, err = t.addEquality(slices.Clip(cols), from); err == nil {
			err = t.selectLake(all, from)
		}
	} else {
		err = t.selectColumns(f, own(cols))
	}
	if err != nil {
		return nil, err
	}
	for b := range t.blocks() {
		if t.filter == nil || t.filter.MayMatch(func(i int) where.Known { return t.known(i, b) }) {
			t.kept = append(t.kept, b)
		}
	}
	return cols, nil
}

// selectColumns tells the file which of its columns will be read.
func (t *table) selectColumns(f io.ReaderAt, own int) error {
	var columns []int
	var kinds []columnar.Kind
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		if p.column >= own {
			p.value = &t.told[p.column-own]
			continue
		}
		p.read = len(columns)
		columns, kinds = append(columns, p.column), append(kinds, p.kind)
	}
	if t.parquet != nil {
		return t.parquet.Select(columns, kinds)
	}
	return t.ipc.Select(f, columns, kinds)
}

// sniff opens the format that the file has.
func (t *table) sniff(f io.ReaderAt, b *blob) error {
	if b.beside != nil {
		return t.sniffJoined(f, b.beside.ends)
	}
	if t.lake != nil {
		return t.sniffLake(f)
	}
	var head [8]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch begin := string(head[:n]); {
	case strings.HasPrefix(begin, pq.Magic) || strings.HasPrefix(begin, "PARE"):
		t.parquet, err = pq.Open(f, t.size)
	case strings.HasPrefix(begin, ipcfile.Magic):
		if t.ipc, err = ipcfile.Open(f, t.size); err == nil && isGraph(t.ipc.Metadata()) {
			err = errIsGraph()
		}
	case ipcfile.LooksLikeStream(head[:n]):
		t.ipc, err = ipcfile.OpenStream(f, t.size)
	case strings.HasPrefix(begin, "FEA1"):
		return columnar.Unsupported("Feather version 1; write the file again as Parquet or Feather version 2")
	case n == 0:
		return fmt.Errorf("%w: the file is empty; check what wrote it", ErrFormat)
	case begin[0] == '{' || begin[0] == '[':
		return fmt.Errorf("%w: it begins with %q like JSON, which isn't read; make it Parquet, or CSV with a line per edge", ErrFormat, begin)
	default:
		return fmt.Errorf("%w: neither Parquet nor Arrow IPC; it begins with %q; package edgelist reads text and other formats", ErrFormat, begin)
	}
	return err
}
