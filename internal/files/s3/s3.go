// This file declares what a client of object stores does.

package s3

import (
	"context"
	"io"
	"time"

	"github.com/foray-graph/foray/internal/linked"
)

// Linked is the client, which package client registers.
var Linked = linked.Part[func(Options) Client]{Name: "the S3 client", Import: "github.com/foray-graph/foray/io/s3"}

// New returns a client with these options. It does no input or output. In a program that doesn't
// link the client, every call of it returns an error that names the package to import.
func New(o Options) Client {
	client, err := Linked.Get()
	if err != nil {
		return missing{}
	}
	return client(o)
}

// Client talks to one store. It is made without looking anywhere; the first request looks for
// what the options leave open. It is safe for concurrent use.
type Client interface {
	// List returns the objects that a path stands for, sorted by key: the object of that very
	// key; else all below it, as in a directory; or what matches a pattern as package pathglob
	// has them, together with what is below matches. Empty objects whose keys end in a slash
	// stand for directories and are left out. If there is nothing the error is an ErrNotFound.
	List(ctx context.Context, path string) ([]Object, error)
	// ListSeen is List that shows all keys it comes by to seen, also those that it doesn't
	// return. The listing ends where seen returns false; what it returns is of no use then.
	ListSeen(ctx context.Context, path string, seen func(key string) bool) ([]Object, error)
	// Stat returns the object of that very key.
	Stat(ctx context.Context, path string) (Object, error)
	// FirstKeys returns the first n keys of a bucket that begin with a prefix, fewer if there
	// aren't so many. n is at most what one request gets, 1,000.
	FirstKeys(ctx context.Context, bucket, prefix string, n int) ([]string, error)
	// Open returns a reader of an object of List or Stat. It asks nothing of the store. ctx
	// ends all reading.
	Open(ctx context.Context, o Object) (Reader, error)
	// Create begins writing an object, CreateGroup several that appear together; CheckWrite
	// reports why an object of that path can't be written.
	Create(ctx context.Context, path, contentType string) (Writer, error)
	CreateGroup(ctx context.Context, path string, mayReplace func([]Object) error) (Group, error)
	CheckWrite(ctx context.Context, path string) error
	// Stats returns the counts so far.
	Stats() Stats
	// Close closes connections that are idle. The client can still be used.
	Close()
}

// Reader reads an object as it was when it was listed; if it isn't that any more, reading is
// an ErrChanged. It holds nothing that has to be closed. It is safe for concurrent use.
type Reader interface {
	io.ReaderAt
	// ReadAtContext is ReadAt with another context, which ends the reading in addition to Open's.
	ReadAtContext(ctx context.Context, p []byte, off int64) (int, error)
	Size() int64 // of the object, in bytes
	Object() Object
	// Fill reads len(p) bytes from off on into p by several requests at once. done, if not
	// nil, is called for each piece that is there. After an error p is anything.
	Fill(ctx context.Context, p []byte, off int64, done func(lo, hi int) error) error
	// ReadRanges returns the bytes of the ranges, one slice for each.
	ReadRanges(ctx context.Context, ranges []Range) ([][]byte, error)
	// Prefetch begins to fetch the ranges. ctx ends it and all reading. The caller closes it.
	Prefetch(ctx context.Context, ranges []Range, o PrefetchOptions) (Prefetch, error)
}

// Prefetch is a reader of an object whose ranges are fetched before they are read.
type Prefetch interface {
	io.ReaderAt
	Size() int64 // of the object, in bytes
	// Close ends all requests and waits for that. Reading fails from then on.
	Close()
}

// Writer is an object that is being written. Nothing is at its key before Commit; what was
// there stays until then. Use it from one goroutine at a time, and end it with Commit or Abort.
type Writer interface {
	io.Writer
	Path() string // that was given to Create
	Size() int64  // bytes that were written so far
	// Commit makes the object, and returns once the store has it; see Group for those of one.
	Commit() error
	// Abort drops what was written. After Commit or Abort it does nothing.
	Abort()
	// Explain returns err, which came up while the object was written, as an *Error.
	Explain(err error) error
}

// Group is objects below a prefix that are written one after another and appear together, as
// far as a store can do that. Use it from one goroutine at a time, and end it with Commit or
// Abort.
type Group interface {
	// Mark is a random name of the group, which the names of its objects contain.
	Mark() string
	// Probe asks the store whether objects may be written below the prefix.
	Probe() error
	// Create begins the next object, CreateFirst the one that appears before all others.
	Create(name, contentType string) (Writer, error)
	CreateFirst(name, contentType string) (Writer, error)
	// Commit makes all objects appear, and removes those that they replace.
	Commit() error
	// Abort discards all written objects; Left describes what could not be removed.
	Abort()
	Left() string
	// Explain returns err as an *Error that names the prefix and a remedy.
	Explain(err error) error
}

// Options are what a Client is told and doesn't have to find. The zero value
// takes all from the environment and files, and the numbers from tuning.go.
type Options struct {
	// Endpoint is the store's address, http://host:port or https://host. Else
	// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, endpoint_url in ~/.aws/config, or
	// AWS. Buckets are names of hosts at AWS and Google, and paths elsewhere.
	Endpoint string
	// Region is the region to begin with; one that the store names for a
	// bucket is taken from then on. Else AWS_REGION, AWS_DEFAULT_REGION, region
	// in ~/.aws/config, or us-east-1.
	Region string
	// AccessKey, SecretKey and SessionToken are credentials. Else
	// AWS_ACCESS_KEY_ID and so on, the profile in ~/.aws/credentials or
	// ~/.aws/config, the role of the container or instance, or none.
	AccessKey, SecretKey, SessionToken string
	// Anonymous asks for no credentials at all. So does AWS_NO_SIGN_REQUEST
	// where it is true, yes, on or 1 and the options have none.
	Anonymous bool
	// Profile is the section in those files. Else AWS_PROFILE, or default.
	Profile string

	// Attempts is how often a request is sent at most, at least 1.
	Attempts int
	// Backoff is the longest wait before the second attempt. It doubles.
	Backoff time.Duration
	// Stall is how long a request may go without a byte coming or going.
	Stall time.Duration
	// MinRate is how many bytes a second an object has to come with, measured over
	// each Stall of waiting; negative for any.
	MinRate int64
	// MaxObjects is how many objects a listing may have.
	MaxObjects int
	// InFlight is how many ranges a ReadRanges or Prefetch fetches at once.
	InFlight int
	// MergeGap is the largest gap in bytes between ranges fetched as one;
	// negative for none.
	MergeGap int64
	// PieceSize is the longest range of one request, in bytes.
	PieceSize int64
	// PartSize is the size of an upload's first parts in bytes, at least
	// 5 MiB. Uploads take up to four times that in memory.
	PartSize int64
	// Getenv is where the environment is read. Else os.Getenv, which minio-go
	// asks in any case about the service of a container or a web identity.
	Getenv func(string) string
}

// Object is an object as it was listed.
type Object struct {
	Path string // s3://bucket/key
	// Below is the part of the key below the prefix that was asked for. For
	// a match of a pattern it is the last name that the pattern stands for, and
	// what is below that; for an object that was named, it is empty. What has
	// a name in it that begins with a dot or an underscore is the caller's to
	// leave out.
	Below    string
	Size     int64  // bytes
	ETag     string // of the store's choosing, without quotes; empty where it has none
	Modified time.Time
}

// Stats are counts since a Client was made.
type Stats struct {
	Requests int64 // HTTP requests sent, each attempt
	Retries  int64 // attempts after the first
	Fetched  int64 // bytes of objects that came, those of failed attempts too
	Sent     int64 // bytes of objects that were sent, likewise
}

// Range is a part of an object in bytes.
type Range struct{ Offset, Length int64 }

// End is the offset behind it.
func (r Range) End() int64 { return r.Offset + r.Length }

// PrefetchOptions bound a Prefetch.
type PrefetchOptions struct {
	// Memory is how many bytes are held, those on their way included; 0 for
	// twice what InFlight requests fetch, 64 MiB unless they are set. Those who wait in ReadAt get their
	// piece beyond that if need be.
	Memory int64
	// InFlight is how many requests are sent ahead at once; 0 for the Client's.
	InFlight int
}

// missing is the client of a program that links none.
type missing struct{}

func (missing) error(op, path string) error {
	_, err := Linked.Get()
	return &Error{Op: op, Path: path, Err: err}
}

func (m missing) List(_ context.Context, path string) ([]Object, error) {
	return nil, m.error("list", path)
}

func (m missing) ListSeen(_ context.Context, path string, _ func(string) bool) ([]Object, error) {
	return nil, m.error("list", path)
}

func (m missing) Stat(_ context.Context, path string) (Object, error) {
	return Object{}, m.error("read", path)
}

func (m missing) FirstKeys(_ context.Context, bucket, prefix string, _ int) ([]string, error) {
	return nil, m.error("list", Join(bucket, prefix))
}

func (m missing) Open(_ context.Context, o Object) (Reader, error) {
	return nil, m.error("read", o.Path)
}

func (m missing) Create(_ context.Context, path, _ string) (Writer, error) {
	return nil, m.error("write", path)
}

func (m missing) CreateGroup(_ context.Context, path string, _ func([]Object) error) (Group, error) {
	return nil, m.error("write", path)
}

func (m missing) CheckWrite(_ context.Context, path string) error { return m.error("write", path) }
func (missing) Stats() Stats                                      { return Stats{} }
func (missing) Close()                                            {}
