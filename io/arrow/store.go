// This file opens what is read: files, and objects of S3-compatible stores.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
	"github.com/foray-graph/foray/io/arrow/internal/pq"
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

// S3Options configure access to an S3-compatible store. Empty fields are taken from
// the environment and files that AWS's own tools read: AWS_ENDPOINT_URL_S3,
// AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
// AWS_SESSION_TOKEN, AWS_PROFILE, ~/.aws/credentials and ~/.aws/config, and the role
// of the container or instance. Without any credentials, or if AWS_NO_SIGN_REQUEST is
// true, requests are anonymous.
type S3Options struct {
	Endpoint                           string // http://host:port or https://host; AWS if there is none anywhere
	Region                             string
	AccessKey, SecretKey, SessionToken string
	Profile                            string
	Anonymous                          bool // without credentials, though there may be some
	Attempts                           int  // how often a request is sent at most; 0 for 6, over some seconds

	// MaxObjects is the most objects that a path may stand for; 0 means 1,000,000, more
	// is ErrLimit. MinRate is how many bytes a second an object has to come with, over
	// 30 seconds of waiting for it; 0 means 1,000, less than 0 any. A store that is
	// slower, time and again, is ErrStore.
	MaxObjects int
	MinRate    int64
}

func (o *S3Options) client() s3.Client {
	return s3.New(s3.Options{Endpoint: o.Endpoint, Region: o.Region, AccessKey: o.AccessKey, SecretKey: o.SecretKey,
		SessionToken: o.SessionToken, Profile: o.Profile, Anonymous: o.Anonymous,
		Attempts: o.Attempts, MaxObjects: o.MaxObjects, MinRate: o.MinRate})
}

// store finds and opens files, and objects by a client that it makes when it
// needs one.
type store struct {
	o     S3Options
	links bool // Options.FollowLinks
	// outside is Options.AllowOutside.
	outside bool
	once    sync.Once
	client  s3.Client
	left    ignored // by discover
	finder  tableformat.Finder
	asked   map[string]bool // directories of stores that aren't tables

	where     *where.Expr  // of tables' rows that are read; nil for all
	rowsOnly  bool         // there is no condition: statistics of values are of no use
	keyed     []s3.Client  // with keys that catalogues gave
	lakes     []*lakeTable // that were found
	lakeBytes atomic.Int64 // read of the metadata of those on this machine
	metadata  *lake.Budget // of all of them
}

func (s *store) s3() s3.Client {
	s.once.Do(func() { s.client = s.o.client() })
	return s.client
}

// rest closes idle connections.
func (s *store) rest() {
	if s.client != nil {
		s.client.Close()
	}
	for _, c := range s.keyed {
		c.Close()
	}
}

// fetched returns how many bytes came from stores so far.
func (s *store) fetched() (n int64) {
	if s.client != nil {
		n = s.client.Stats().Fetched
	}
	for _, c := range s.keyed {
		n += c.Stats().Fetched
	}
	return n
}

// blob is an open file or object.
type blob struct {
	io.ReaderAt
	size   int64
	file   io.Closer // or
	object s3.Reader // an object
	beside *joined   // or several files

	memory int64 // of the size, what was made of CSV
	text   int64 // the size of that CSV
}

// add adds the sizes of a file.
func (b *blob) add(p blobPart) {
	b.size += p.size
	if p.text > 0 {
		b.memory, b.text = b.memory+p.size, b.text+p.text
	}
}

// Close closes the file.
func (b *blob) Close() error {
	if b.beside != nil {
		return b.beside.Close()
	}
	if b.file != nil {
		return b.file.Close()
	}
	return nil
}

// open opens what was found. ctx ends the reading of objects.
func (s *store) open(ctx context.Context, from *origin) (*blob, error) {
	if from.beside != nil {
		return openJoined(ctx, from)
	}
	if from.lake != nil && from.lake.file == nil {
		return &blob{ReaderAt: strings.NewReader("")}, nil
	}
	if from.lake != nil {
		if err := from.lake.table.fs.allow(from.path); err != nil {
			return nil, fileError(from.lake.table.Path, "", err)
		}
	}
	if from.object == nil && s3.Is(from.path) { // of a table, which lists nothing
		o, err := s.clientOf(from).Stat(ctx, from.path)
		if err != nil {
			return nil, fileError(from.path, "", from.lake.gone(from.path, fmt.Errorf("arrow: %w", err)))
		}
		from.object = &o
	}
	if from.object == nil {
		f, err := openPartOf(ctx, from, from.path)
		if err != nil {
			if from.lake != nil {
				err = fileError(from.path, "", from.lake.gone(from.path, err))
			}
			return nil, err
		}
		b := &blob{ReaderAt: f, file: f}
		b.add(f)
		return b, nil
	}
	r, err := s.clientOf(from).Open(ctx, *from.object)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return &blob{ReaderAt: r, size: r.Size(), object: r}, nil
}

// expandObjects returns the objects that a path stands for, as walk and glob
// return files.
func (s *store) expandObjects(ctx context.Context, p string, at lake.At) ([]origin, error) {
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
	var found []origin
	plain, other, left := 0, "", ""
	for i := range objects {
		o := &objects[i]
		dir, name := path.Split(o.Below)
		if hiddenBelow(o.Below) {
			continue
		}
		switch {
		case dir == "" && (name == "" || strings.ContainsAny(p, "*?[")), data(name): // named, or matched
		case path.Ext(name) != "":
			left = o.Path
			s.left.note(o.Path)
			continue
		default:
			is, err := s.beginsLikeData(ctx, o)
			if err != nil {
				return nil, err
			}
			if !is {
				other = o.Path
				s.left.note(o.Path)
				continue
			}
			plain++
		}
		found = append(found, origin{path: o.Path, object: o, named: namedOf(p, o)})
	}
	switch {
	case plain > 0 && other != "":
		return nil, fileError(p, "", fmt.Errorf("%w: of the objects without an extension some are Parquet or Arrow, but %s isn't; take it away, or name the objects themselves", ErrFormat, other))
	case len(found) > 0:
		return found, nil
	case left != "" || other != "":
		return nil, fileError(p, "", fmt.Errorf("%w: there are no objects that end in .parquet, .arrow, .feather, .ipc or .arrows, but others, such as %s; name objects themselves to have them read",
			ErrNoData, left+other))
	}
	return nil, fileError(p, "", fmt.Errorf("%w: there are no objects whose names don't begin with a dot or an underscore", ErrNoData))
}

// namedOf returns how many of the names in an object's path were named.
func namedOf(p string, o *s3.Object) int {
	if strings.ContainsAny(p, "*?[") {
		return rootOf(p)
	}
	return len(elements(strings.TrimSuffix(o.Path, o.Below)))
}

func hiddenBelow(below string) bool {
	for name := range strings.SplitSeq(below, "/") {
		if hidden(name) {
			return true
		}
	}
	return false
}

func (s *store) beginsLikeData(ctx context.Context, o *s3.Object) (bool, error) {
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

// newEnds fetches so many bytes of the beginning, and the end.
func newEnds(ctx context.Context, r s3.Reader, begin int64) (*ends, error) {
	e := &ends{r: r}
	head, tail := min(begin, r.Size()), min(tailBytes, r.Size())
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
		e.near = make([]byte, min(max(n, nearBytes), max(0, e.r.Size()-at)))
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

// fetcher reads a block of an object: what the filter compares is fetched at
// once, and the rest when the first of it is wanted.
type fetcher struct {
	ctx    context.Context
	r      s3.Reader
	ranges [2][]s3.Range
	ahead  [2]s3.Prefetch
}

func (f *fetcher) add(late bool, e pq.Extent) {
	i := 0
	if late {
		i = 1
	}
	f.ranges[i] = append(f.ranges[i], s3.Range{Offset: e.At, Length: e.Size})
}

func (f *fetcher) ReadAt(p []byte, at int64) (int, error) {
	for i, ranges := range f.ranges {
		for _, r := range ranges {
			if at < r.Offset || at >= r.Offset+r.Length {
				continue
			}
			if f.ahead[i] == nil {
				var err error
				if f.ahead[i], err = f.r.Prefetch(f.ctx, ranges, s3.PrefetchOptions{}); err != nil {
					return 0, err
				}
			}
			return f.ahead[i].ReadAt(p, at)
		}
	}
	return f.r.ReadAt(p, at)
}

// close ends what is on its way.
func (f *fetcher) close() {
	for i := range f.ahead {
		if f.ahead[i] != nil {
			f.ahead[i].Close()
		}
		f.ahead[i], f.ranges[i] = nil, nil
	}
}

// changed says that a file isn't what it was.
func changed(was, is int64) error {
	return fmt.Errorf("%w: it had %d bytes and has %d; run it again, once nobody writes to it", ErrChanged, was, is)
}

// object is an object that is being written.
type object struct {
	s3.Writer
	client s3.Client
}

// contentTypes are the content types of uploaded objects.
var contentTypes = map[writeFormat]string{
	formatParquet: "application/vnd.apache.parquet",
	formatFile:    "application/vnd.apache.arrow.file",
	formatStream:  "application/vnd.apache.arrow.stream",
	formatCSV:     "text/csv; charset=utf-8",
	formatJSON:    "application/x-ndjson",
}

func createObject(ctx context.Context, s *writeSpec) (output, error) {
	c := s.S3.client()
	w, err := c.Create(ctx, s.path, contentTypes[s.format])
	if err != nil {
		c.Close()
		return nil, err
	}
	return &object{w, c}, nil
}

// Commit makes the object appear.
func (o *object) Commit() error {
	defer o.client.Close()
	return o.Writer.Commit()
}

// Abort drops what was sent.
func (o *object) Abort() {
	o.Writer.Abort()
	o.client.Close()
}
