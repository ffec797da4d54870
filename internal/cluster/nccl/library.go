//go:build linux && (amd64 || arm64) && !nocuda

// This file opens NCCL's library at run time and looks up its functions.

package nccl

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function is a function of NCCL.
type function int

const (
	fnGetVersion function = iota
	fnGetUniqueID
	fnInitRank
	fnGetAsyncError
	fnAbort
	fnFinalize
	fnDestroy
	fnErrorString
	fnLastError
	fnGroupStart
	fnGroupEnd
	fnAllReduce
	fnAllGather
	fnSend
	fnRecv
	functionCount
)

var functions = [functionCount]string{
	fnGetVersion:    "ncclGetVersion",
	fnGetUniqueID:   "ncclGetUniqueId",
	fnInitRank:      "ncclCommInitRankScalable",
	fnGetAsyncError: "ncclCommGetAsyncError",
	fnAbort:         "ncclCommAbort",
	fnFinalize:      "ncclCommFinalize",
	fnDestroy:       "ncclCommDestroy",
	fnErrorString:   "ncclGetErrorString",
	fnLastError:     "ncclGetLastError",
	fnGroupStart:    "ncclGroupStart",
	fnGroupEnd:      "ncclGroupEnd",
	fnAllReduce:     "ncclAllReduce",
	fnAllGather:     "ncclAllGather",
	fnSend:          "ncclSend",
	fnRecv:          "ncclRecv",
}

// version is NCCL's: 10000 times the major number plus 100 times the minor one.
type version int32

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }

// minVersion is the first with ncclCommInitRankScalable. Older ones have
// ncclCommInitRankConfig, but that takes the id of 128 bytes by value, which a call without cgo
// can't pass.
const minVersion version = 22300

// code is an ncclResult_t.
type code int32

const (
	success      code = 0
	invalidUsage code = 5
	remoteError  code = 6
	inProgress   code = 7
)

// Numbers of nccl.h.
const (
	typeUint8  = 1
	typeUint64 = 5
	reduceSum  = 0
	reduceMax  = 2
	idBytes    = 128
)

// uniqueID is an ncclUniqueId.
type uniqueID [idBytes]byte

// config is ncclConfig_t as NCCL 2.17 to 2.24 have it; later versions take it too.
type config struct {
	size                                       uint64
	magic, version                             uint32
	blocking, clusterSize, leastCTAs, mostCTAs int32
	netName                                    uintptr
	splitShare                                 int32
	_                                          int32
}

const (
	configMagic = 0xcafebeef
	undefined   = math.MinInt32 // NCCL_CONFIG_UNDEF_INT
)

// library is NCCL's library.
type library struct {
	path    string
	version version
	fn      [functionCount]uintptr
}

var opened struct {
	mu  sync.Mutex
	lib *library
}

// open opens the library that FORAY_NCCL names or the loader finds. It is never unloaded.
func open() (*library, error) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	if opened.lib != nil {
		return opened.lib, nil
	}
	path := os.Getenv("FORAY_NCCL")
	if path == "" {
		path = "libnccl.so.2"
	}
	if err := noMulticast(path); err != nil {
		return nil, err
	}
	l, err := openLibrary(path)
	if err == nil {
		opened.lib = l
	}
	return l, err
}

// openLibrary finds all required functions before any of them is called.
func openLibrary(path string) (*library, error) {
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("nccl: %w: no library: install NCCL %v or later (libnccl2), or set FORAY_NCCL to the file, such as .../site-packages/nvidia/nccl/lib/libnccl.so.2 where pip has put it: %w",
			ErrNotFound, minVersion, err)
	}
	l := &library{path: path}
	var missing []string
	for f, name := range functions {
		if l.fn[f], err = purego.Dlsym(lib, name); err != nil {
			missing = append(missing, name)
		}
	}
	if l.fn[fnGetVersion] != 0 {
		v := new(version)
		if c := l.do(fnGetVersion, uintptr(unsafe.Pointer(v))); c != success {
			return nil, l.failure(fnGetVersion, c, 0)
		}
		l.version = *v
	}
	switch {
	case l.version == 0:
		return nil, fmt.Errorf("nccl: %w: %s isn't NCCL: it has no ncclGetVersion", ErrNotFound, path)
	case missing != nil || l.version < minVersion:
		lacks := ""
		if missing != nil {
			lacks = " and lacks " + strings.Join(missing, ", ")
		}
		return nil, fmt.Errorf("nccl: %w: %s is version %v%s; this needs %v or later", ErrNotFound, path, l.version, lacks, minVersion)
	}
	return l, nil
}

// ErrNotFound: there is no NCCL here that this package can use.
var ErrNotFound = errors.New("NCCL isn't available")

// Error is a call of NCCL that failed.
type Error struct {
	Call string // such as ncclSend; empty if something else in NCCL failed later
	Code int    // ncclResult_t
	Text string // NCCL's own
}

func (e *Error) Error() string {
	call := e.Call
	if call == "" {
		call = "NCCL"
	}
	return fmt.Sprintf("%s: %s (ncclResult_t %d)", call, e.Text, e.Code)
}

// do makes a call. Objects that pointers among the arguments point to don't move meanwhile.
//
//go:uintptrescapes
func (l *library) do(f function, args ...uintptr) code {
	r, _, _ := purego.SyscallN(l.fn[f], args...)
	return code(int32(r))
}

// framed is do with arguments in a slice that doesn't move. It allocates nothing.
func (l *library) framed(f function, args []uintptr) code {
	r, _, _ := purego.SyscallN(l.fn[f], args...)
	return code(int32(r))
}

// failure makes an error of a code, with NCCL's text about the communicator.
func (l *library) failure(f function, c code, comm uintptr) *Error {
	e := &Error{Code: int(c)}
	if f < functionCount {
		e.Call = functions[f]
	}
	text, _, _ := purego.SyscallN(l.fn[fnErrorString], uintptr(c))
	e.Text = goString(text)
	last, _, _ := purego.SyscallN(l.fn[fnLastError], comm)
	if more := strings.TrimSpace(goString(last)); more != "" {
		e.Text += ": " + more
	}
	return e
}

// newID makes the id of a communicator.
func (l *library) newID() (*uniqueID, error) {
	id := new(uniqueID)
	if c := l.do(fnGetUniqueID, uintptr(unsafe.Pointer(id))); c != success {
		return nil, l.failure(fnGetUniqueID, c, 0)
	}
	return id, nil
}

// initRank connects a rank, within a group; the device's context is current.
func (l *library) initRank(out *uintptr, size, rank int, id *uniqueID) code {
	c := &config{
		magic: configMagic, version: uint32(minVersion), blocking: 1,
		clusterSize: undefined, leastCTAs: undefined, mostCTAs: undefined, splitShare: undefined,
	}
	c.size = uint64(unsafe.Sizeof(*c))
	return l.do(fnInitRank, uintptr(unsafe.Pointer(out)), uintptr(size), uintptr(rank), 1, uintptr(unsafe.Pointer(id)), uintptr(unsafe.Pointer(c)))
}

// asyncError is the state of a communicator.
func (l *library) asyncError(comm uintptr) code {
	state := new(code)
	if c := l.do(fnGetAsyncError, comm, uintptr(unsafe.Pointer(state))); c != success {
		return c
	}
	return *state
}

func cString(s string) []byte { return append([]byte(s), 0) }

// goString copies a string of C's.
func goString(p uintptr) string {
	if p == 0 {
		return ""
	}
	var text []byte
	for i := 0; ; i++ {
		c := *(*byte)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&p)), i))
		if c == 0 {
			return string(bytes.ToValidUTF8(text, nil))
		}
		text = append(text, c)
	}
}
