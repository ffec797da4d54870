// This file opens what is read: files, several files as one, and objects of S3-compatible stores. It
// counts the bytes that are read.

// Package input finds and opens the files of a dataset: paths, patterns, directories, objects of
// stores, and the snapshots of tables. It knows which columns the names of directories give, and
// which rows a table has deleted. It doesn't decode values.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// Errors of objects in stores (s3://bucket/key), besides fs.ErrNotExist and
// fs.ErrPermission.
var (
	// ErrChanged: an object isn't any more what it was when it was listed.
	ErrChanged = s3.ErrChanged
	// ErrStore: the store failed or gave an answer that makes no sense, after
	// some attempts.
	ErrStore = s3.ErrUnavailable
)

// S3Options is arrow.S3Options.
type S3Options struct {
	Endpoint                           string
	Region                             string
	AccessKey, SecretKey, SessionToken string
	Profile                            string
	Anonymous                          bool
	Attempts                           int

	MaxObjects int
	MinRate    int64
}

func (o *S3Options) Client() s3.Client {
	return s3.New(s3.Options{Endpoint: o.Endpoint, Region: o.Region, AccessKey: o.AccessKey, SecretKey: o.SecretKey,
		SessionToken: o.SessionToken, Profile: o.Profile, Anonymous: o.Anonymous,
		Attempts: o.Attempts, MaxObjects: o.MaxObjects, MinRate: o.MinRate})
}

// Store finds and opens files, and objects by a client that it makes when it
// needs one.
type Store struct {
	S3    S3Options
	FS    fs.FS // Options.FS, checked
	Links bool  // Options.FollowLinks
	// Outside is Options.AllowOutside.
	Outside bool
	once    sync.Once
	client  s3.Client
	Left    ignored // by discover
	finder  tableformat.Finder
	asked   map[string]bool // directories of stores that aren't tables

	Where     *where.Expr    // of tables' rows that are read; nil for all
	RowsOnly  bool           // there is no condition: statistics of values are of no use
	keyed     []s3.Client    // with keys that catalogs gave
	Lakes     []*LakeTable   // that were found
	LakeBytes atomic.Int64   // read of the metadata of those on this machine
	Metadata  *tables.Budget // of all of them
}

func (s *Store) s3() s3.Client {
	s.once.Do(func() { s.client = s.S3.Client() })
	return s.client
}

// Rest closes idle connections.
func (s *Store) Rest() {
	if s.client != nil {
		s.client.Close()
	}
	for _, c := range s.keyed {
		c.Close()
	}
}

// Fetched returns how many bytes came from stores so far.
func (s *Store) Fetched() (n int64) {
	if s.client != nil {
		n = s.client.Stats().Fetched
	}
	for _, c := range s.keyed {
		n += c.Stats().Fetched
	}
	return n
}

// Blob is an open file or object.
type Blob struct {
	io.ReaderAt
	Size   int64
	file   io.Closer // or
	Object s3.Reader // an object
	Beside *joined   // or several files

	CSV  []*csv.Table // the values of each of its files that is CSV
	Text int64        // bytes of those files
}

// add adds a file.
func (b *Blob) add(p BlobPart) {
	b.Size += p.Size
	if b.CSV = append(b.CSV, p.CSV); p.CSV != nil {
		b.Text += p.Size
	}
}

// Close closes the file.
func (b *Blob) Close() error {
	if b.Beside != nil {
		return b.Beside.Close()
	}
	if b.file != nil {
		return b.file.Close()
	}
	return nil
}

// Open opens what was found. ctx ends the reading of objects.
func (s *Store) Open(ctx context.Context, from *Origin) (*Blob, error) {
	if from.Beside != nil {
		return openJoined(ctx, from)
	}
	if from.Lake != nil && from.Lake.File == nil {
		return &Blob{ReaderAt: strings.NewReader("")}, nil
	}
	if from.Lake != nil {
		if err := from.Lake.Table.FS.allow(from.Path); err != nil {
			return nil, InFile(from.Lake.Table.Path, "", err)
		}
	}
	if from.Object == nil && s3.Is(from.Path) { // of a table, which lists nothing
		o, err := s.clientOf(from).Stat(ctx, from.Path)
		if err != nil {
			return nil, InFile(from.Path, "", from.Lake.Gone(from.Path, fmt.Errorf("arrow: %w", err)))
		}
		from.Object = &o
	}
	if from.Object == nil {
		f, err := OpenPartOf(ctx, from, from.Path)
		if err != nil {
			if from.Lake != nil {
				err = InFile(from.Path, "", from.Lake.Gone(from.Path, err))
			}
			return nil, err
		}
		b := &Blob{ReaderAt: f, file: f}
		b.add(f)
		return b, nil
	}
	r, err := s.clientOf(from).Open(ctx, *from.Object)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return &Blob{ReaderAt: r, Size: r.Size(), Object: r}, nil
}

// expandObjects returns the objects that a path stands for, as walk and glob
// return files.
func (s *Store) expandObjects(ctx context.Context, p string, at tables.At) ([]Origin, error) {
	objects, tables, kind, err := s.listTable(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	if kind != "" {
		return s.openLake(ctx, kind, p, at)
	}
	if err := s.refuseTables(ctx, p, objects, tables); err != nil {
		return nil, err
	}
	var found []Origin
	plain, other, left := 0, "", ""
	for i := range objects {
		o := &objects[i]
		dir, name := path.Split(o.Below)
		if HiddenBelow(o.Below) {
			continue
		}
		switch {
		case dir == "" && (name == "" || strings.ContainsAny(p, "*?[")), Data(name): // named, or matched
		case path.Ext(name) != "":
			left = o.Path
			s.Left.note(o.Path)
			continue
		default:
			is, err := s.beginsLikeData(ctx, o)
			if err != nil {
				return nil, err
			}
			if !is {
				other = o.Path
				s.Left.note(o.Path)
				continue
			}
			plain++
		}
		found = append(found, Origin{Path: o.Path, Object: o, named: namedOf(p, o)})
	}
	switch {
	case plain > 0 && other != "":
		return nil, InFile(p, "", fmt.Errorf("%w: of the objects without an extension some are Parquet or Arrow, but %s isn't; take it away, or name the objects themselves", ErrFormat, other))
	case len(found) > 0:
		return found, nil
	case left != "" || other != "":
		return nil, InFile(p, "", fmt.Errorf("%w: there are no objects that end in .parquet, .arrow, .feather, .ipc or .arrows, but others, such as %s; name objects themselves to have them read",
			ErrNoData, left+other))
	}
	return nil, InFile(p, "", fmt.Errorf("%w: there are no objects whose names don't begin with a dot or an underscore", ErrNoData))
}

// namedOf returns how many of the names in an object's path were named.
func namedOf(p string, o *s3.Object) int {
	if strings.ContainsAny(p, "*?[") {
		return rootOf(p)
	}
	return len(elements(strings.TrimSuffix(o.Path, o.Below)))
}

func HiddenBelow(below string) bool {
	for name := range strings.SplitSeq(below, "/") {
		if Hidden(name) {
			return true
		}
	}
	return false
}

func (s *Store) beginsLikeData(ctx context.Context, o *s3.Object) (bool, error) {
	r, err := s.s3().Open(ctx, *o)
	if err != nil {
		return false, fmt.Errorf("arrow: %w", err)
	}
	var head [8]byte
	n, err := r.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("arrow: %w", err)
	}
	return looksLikeData(string(head[:n])), nil
}

// ends reads an object's ends, where its metadata is, in few requests, and the
// rest as it is asked for.
type ends struct {
	r    s3.Reader
	head []byte
	tail []byte // up to the end

	near   []byte // what was read last, and some beyond
	nearAt int64
}

// NewEnds fetches so many bytes of the beginning, and the end.
func NewEnds(ctx context.Context, r s3.Reader, begin int64) (*ends, error) {
	e := &ends{r: r}
	head, tail := min(begin, r.Size()), min(TailBytes, r.Size())
	parts, err := r.ReadRanges(ctx, []s3.Range{{Offset: 0, Length: head}, {Offset: r.Size() - tail, Length: tail}})
	if err != nil {
		return nil, err
	}
	e.head, e.tail = parts[0], parts[1]
	return e, nil
}

func (e *ends) ReadAt(p []byte, at int64) (int, error) {
	n := int64(len(p))
	switch first := e.r.Size() - int64(len(e.tail)); {
	case at >= first && at <= e.r.Size():
		k := copy(p, e.tail[at-first:])
		if k < len(p) {
			return k, io.EOF
		}
		return k, nil
	case at >= 0 && at+n <= int64(len(e.head)):
		return copy(p, e.head[at:]), nil
	}
	if at < e.nearAt || at+n > e.nearAt+int64(len(e.near)) {
		e.near = make([]byte, min(max(n, NearBytes), max(0, e.r.Size()-at)))
		e.nearAt = at
		if _, err := e.r.ReadAt(e.near, at); err != nil {
			e.near = nil
			return 0, err
		}
	}
	if k := copy(p, e.near[at-e.nearAt:]); int64(k) < n {
		return k, io.EOF
	}
	return len(p), nil
}

// Fetcher reads a block of an object: what the filter compares is fetched at
// once, and the rest when the first of it is wanted.
type Fetcher struct {
	Ctx    context.Context
	R      s3.Reader
	ranges [2][]s3.Range
	ahead  [2]s3.Prefetch
}

func (f *Fetcher) Add(late bool, e parquet.Extent) {
	i := 0
	if late {
		i = 1
	}
	f.ranges[i] = append(f.ranges[i], s3.Range{Offset: e.At, Length: e.Size})
}

func (f *Fetcher) ReadAt(p []byte, at int64) (int, error) {
	for i, ranges := range f.ranges {
		for _, r := range ranges {
			if at < r.Offset || at >= r.Offset+r.Length {
				continue
			}
			if f.ahead[i] == nil {
				var err error
				if f.ahead[i], err = f.R.Prefetch(f.Ctx, ranges, s3.PrefetchOptions{}); err != nil {
					return 0, err
				}
			}
			return f.ahead[i].ReadAt(p, at)
		}
	}
	return f.R.ReadAt(p, at)
}

// Close ends what is on its way.
func (f *Fetcher) Close() {
	for i := range f.ahead {
		if f.ahead[i] != nil {
			f.ahead[i].Close()
		}
		f.ahead[i], f.ranges[i] = nil, nil
	}
}

// Changed says that a file isn't what it was.
func Changed(was, is int64) error {
	return fmt.Errorf("%w: it had %d bytes and has %d; run it again, once nobody writes to it", ErrChanged, was, is)
}

// Counter counts the bytes that are read.
type Counter struct {
	io.ReaderAt
	Bytes atomic.Int64
	Sum   *atomic.Uint64 // if it isn't nil, the sum of hashes of the bytes that are read, in any order
}

func (c *Counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.Bytes.Add(int64(n))
	if c.Sum != nil && n > 0 {
		c.Sum.Add(xxhash.Sum64(p[:n]) ^ Spread(uint64(at)))
	}
	return n, err
}

// Spread makes numbers that are near to each other differ in all bits.
func Spread(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return x ^ x>>32
}

// EachFile calls do for files from up to to, so many at once. It returns the error of
// the first file that has one.
func EachFile(from, to, atOnce int, do func(i int) error) error {
	errs := make([]error, to)
	var next, failed atomic.Int64
	next.Store(int64(from))
	failed.Store(int64(to))
	var wg sync.WaitGroup
	for range min(atOnce, to-from) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < failed.Load(); i = next.Add(1) - 1 {
				if errs[i] = panics.Await(func() error { return do(int(i)) }); errs[i] != nil {
					for at := failed.Load(); i < at && !failed.CompareAndSwap(at, i); at = failed.Load() {
					}
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// OpenRegular opens a regular file. Other kinds of files are not opened: a
// pipe would wait for its other end, and none supports random access.
func OpenRegular(ctx context.Context, name string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		what := "not a regular file but " + kindOf(info.Mode()) + "; write it to a file first"
		if info.IsDir() {
			what = "a directory, not a file"
		}
		return nil, nil, InFile(name, "", fmt.Errorf("%w: it is %s", ErrUnsupported, what))
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
	atomicfile.NoteFile(ctx, name, info)
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

// joined is several files, whose bytes are read as if one came after the other.
type joined struct {
	files []BlobPart
	Ends  []int64
}

// openJoined opens a file and those beside it.
func openJoined(ctx context.Context, from *Origin) (*Blob, error) {
	j := &joined{}
	b := &Blob{ReaderAt: j, Beside: j}
	for _, name := range append([]string{from.Path}, from.Beside...) {
		f, err := OpenPartOf(ctx, from, name)
		if err != nil {
			j.Close()
			return nil, err
		}
		b.add(f)
		j.files, j.Ends = append(j.files, f), append(j.Ends, b.Size)
	}
	return b, nil
}

// ReadAt reads from the file that has the byte, and continues in the next.
func (j *joined) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		i, _ := slices.BinarySearch(j.Ends, at+1)
		if at < 0 || i == len(j.Ends) {
			return n, io.EOF
		}
		begin := int64(0)
		if i > 0 {
			begin = j.Ends[i-1]
		}
		part := p[n:min(int64(len(p)), int64(n)+j.Ends[i]-at)]
		k, err := j.files[i].ReadAt(part, at-begin)
		n, at = n+k, at+int64(k)
		if k < len(part) {
			return n, err
		}
	}
	return n, nil
}

func (j *joined) Close() error {
	var errs []error
	for _, f := range j.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
