//go:build linux && (amd64 || arm64) && !nocuda

// This file opens an MPI library at run time and looks up its functions.

package comm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function is a function of MPI.
type function int

const (
	fnInitThread function = iota
	fnInitialized
	fnFinalize
	fnAbort
	fnErrorString
	fnLibraryVersion
	fnCommRank
	fnCommSize
	fnCommDup
	fnCommSplit
	fnCommFree
	fnSetErrhandler
	fnSendInit
	fnRecvInit
	fnStartall
	fnIsend
	fnIrecv
	fnRecv
	fnIprobe
	fnTest
	fnTestall
	fnRequestStatus
	fnRequestFree
	fnIallreduce
	functionCount
)

var functions = [functionCount]string{
	fnInitThread:     "MPI_Init_thread",
	fnInitialized:    "MPI_Initialized",
	fnFinalize:       "MPI_Finalize",
	fnAbort:          "MPI_Abort",
	fnErrorString:    "MPI_Error_string",
	fnLibraryVersion: "MPI_Get_library_version",
	fnCommRank:       "MPI_Comm_rank",
	fnCommSize:       "MPI_Comm_size",
	fnCommDup:        "MPI_Comm_dup",
	fnCommSplit:      "MPI_Comm_split",
	fnCommFree:       "MPI_Comm_free",
	fnSetErrhandler:  "MPI_Comm_set_errhandler",
	fnSendInit:       "MPI_Send_init",
	fnRecvInit:       "MPI_Recv_init",
	fnStartall:       "MPI_Startall",
	fnIsend:          "MPI_Isend",
	fnIrecv:          "MPI_Irecv",
	fnRecv:           "MPI_Recv",
	fnIprobe:         "MPI_Iprobe",
	fnTest:           "MPI_Test",
	fnTestall:        "MPI_Testall",
	fnRequestStatus:  "MPI_Request_get_status",
	fnRequestFree:    "MPI_Request_free",
	fnIallreduce:     "MPI_Iallreduce",
}

// handle is an MPI_Comm, MPI_Datatype, MPI_Op, MPI_Errhandler or MPI_Request:
// in Open MPI an address, in MPICH an int.
type handle uintptr

// constants are the constants that the two libraries' mpi.h define differently.
type constants struct {
	addresses               bool // handles are addresses
	world                   handle
	bytes, words, signed    handle
	sum, max, or            handle
	returnErrors            handle
	ignoreStatus, anySource uintptr
	statusSource            int // in an MPI_Status, in bytes
}

// mpich has the numbers of MPICH's mpi.h, which the libraries that share its
// binary interface have too: Intel MPI, MVAPICH, Cray MPICH.
var mpich = constants{
	world:        0x44000000, // MPI_COMM_WORLD
	bytes:        0x4c00010d, // MPI_BYTE
	words:        0x4c00083e, // MPI_UINT64_T
	signed:       0x4c00083a, // MPI_INT64_T
	sum:          0x58000003, // MPI_SUM
	max:          0x58000001, // MPI_MAX
	or:           0x58000008, // MPI_BOR
	returnErrors: 0x54000001, // MPI_ERRORS_RETURN
	ignoreStatus: 1,          // MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
	anySource:    ^uintptr(1),
	statusSource: 8,
}

// openMPIConstants are the constants of Open MPI's mpi.h that aren't addresses.
var openMPIConstants = constants{addresses: true, anySource: ^uintptr(0)}

// Numbers that are the same in both.
const (
	threadFunneled = 1    // MPI_THREAD_FUNNELED
	longestText    = 8192 // more than MPI_MAX_LIBRARY_VERSION_STRING and MPI_MAX_ERROR_STRING
)

// library is an MPI library. All calls come from one thread.
type library struct {
	constants
	path string
	fn   [functionCount]uintptr
	args [8]uintptr

	// Results and small arguments of calls: the library is on the heap, which
	// doesn't move, and goroutines' stacks do.
	flag, count int32
	out         handle
	status      [4]uint64
	text        [longestText]byte
}

// openLibrary opens the first library that there is. It is never unloaded.
func openLibrary(names []string) (*library, error) {
	if path := os.Getenv("FORAY_MPI"); path != "" {
		names = []string{path}
	}
	var errs []error
	for _, name := range names {
		// RTLD_GLOBAL, since Open MPI's plugins look for its symbols among the program's.
		lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		return lookUp(name, lib)
	}
	return nil, fmt.Errorf("no MPI library: install Open MPI 4 or 5 or MPICH 3 or 4 (Debian: openmpi-bin or mpich), or set FORAY_MPI to its path: %w", errors.Join(errs...))
}

// lookUp finds all required functions before any of them is called.
func lookUp(path string, lib uintptr) (*library, error) {
	l := &library{path: path, constants: mpich}
	var missing []string
	for f, name := range functions {
		var err error
		if l.fn[f], err = purego.Dlsym(lib, name); err != nil {
			missing = append(missing, name)
		}
	}
	if world, err := purego.Dlsym(lib, "ompi_mpi_comm_world"); err == nil {
		l.constants = openMPIConstants
		l.world = handle(world)
		for name, at := range map[string]*handle{
			"ompi_mpi_byte": &l.bytes, "ompi_mpi_uint64_t": &l.words, "ompi_mpi_int64_t": &l.signed, "ompi_mpi_op_sum": &l.sum,
			"ompi_mpi_op_max": &l.max, "ompi_mpi_op_bor": &l.or, "ompi_mpi_errors_return": &l.returnErrors,
		} {
			address, err := purego.Dlsym(lib, name)
			if err != nil {
				missing = append(missing, name)
			}
			*at = handle(address)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("%s lacks %s; this needs an MPI library of version 3 of the standard or later", path, strings.Join(missing, ", "))
	}
	if !l.addresses {
		v, err := l.version()
		if err != nil {
			return nil, err
		}
		if !sharesMPICH(v) {
			return nil, fmt.Errorf("%s is neither Open MPI nor of MPICH's binary interface: %q", path, v)
		}
	}
	return l, nil
}

// sharesMPICH reports, by its version text, whether a library has the same handles as MPICH.
func sharesMPICH(version string) bool {
	for _, name := range []string{"MPICH", "MVAPICH", "Intel"} {
		if strings.Contains(version, name) {
			return true
		}
	}
	return false
}

// do makes a call. Memory that the arguments point to is on the heap, and the caller keeps it alive.
func (l *library) do(f function, args ...uintptr) error {
	n := copy(l.args[:], args)
	code, _, _ := purego.SyscallN(l.fn[f], l.args[:n]...)
	if code := int32(code); code != 0 {
		return fmt.Errorf("%s: %s", functions[f], l.errorText(code))
	}
	return nil
}

// errorText is MPI's text for an error.
func (l *library) errorText(code int32) string {
	failed, _, _ := purego.SyscallN(l.fn[fnErrorString], uintptr(code), pointer(&l.text), pointer(&l.count))
	if int32(failed) != 0 {
		return fmt.Sprintf("error %d", code)
	}
	return l.textOf()
}

func (l *library) textOf() string {
	return strings.TrimRight(string(l.text[:min(max(l.count, 0), longestText)]), "\x00\n")
}

func (l *library) version() (string, error) {
	if err := l.do(fnLibraryVersion, pointer(&l.text), pointer(&l.count)); err != nil {
		return "", err
	}
	return l.textOf(), nil
}

// pointer returns the address of an object that doesn't move.
func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// intOf calls a function that returns a number of a communicator.
func (l *library) intOf(f function, c handle) (int, error) {
	err := l.do(f, uintptr(c), pointer(&l.count))
	return int(l.count), err
}

// duplicate returns a communicator with the ranks of another, whose errors come
// back as codes.
func (l *library) duplicate(c handle) (handle, error) {
	l.out = 0
	if err := l.do(fnCommDup, uintptr(c), pointer(&l.out)); err != nil {
		return 0, err
	}
	d := l.out
	return d, l.do(fnSetErrhandler, uintptr(d), uintptr(l.returnErrors))
}

// split returns a communicator with the ranks that call it with the same color, in the same order.
func (l *library) split(c handle, color, rank int) (handle, error) {
	l.out = 0
	if err := l.do(fnCommSplit, uintptr(c), uintptr(color), uintptr(rank), pointer(&l.out)); err != nil {
		return 0, err
	}
	d := l.out
	return d, l.do(fnSetErrhandler, uintptr(d), uintptr(l.returnErrors))
}

// free gives a communicator back.
func (l *library) free(c handle) error {
	l.out = c
	return l.do(fnCommFree, pointer(&l.out))
}

// requests are requests side by side, as MPI_Testall takes them.
type requests struct {
	l     *library
	words []uint64
	n     int
}

// newRequests makes room for n requests.
func newRequests(l *library, n int) *requests {
	return &requests{l: l, words: make([]uint64, max(n, 1))}
}

// at is the address of a request.
func (r *requests) at(i int) uintptr {
	size := uintptr(4)
	if r.l.addresses {
		size = 8
	}
	return pointer(&r.words[0]) + uintptr(i)*size
}

// add makes a request: its address is the last argument of the function.
func (r *requests) add(f function, args ...uintptr) error {
	var all [8]uintptr
	n := copy(all[:], args)
	all[n] = r.at(r.n)
	r.n++
	return r.l.do(f, all[:n+1]...)
}

// done reports whether all are complete.
func (r *requests) done() (bool, error) {
	if r.n == 0 {
		return true, nil
	}
	if err := r.l.do(fnTestall, uintptr(r.n), r.at(0), pointer(&r.l.flag), r.l.ignoreStatus); err != nil {
		return false, err
	}
	return r.l.flag != 0, nil
}

// doneOne reports whether request i is complete, and doesn't free it.
func (r *requests) doneOne(i int) bool {
	var h uintptr
	if r.l.addresses {
		h = uintptr(r.words[i])
	} else {
		h = uintptr(uint32(r.words[i/2] >> (32 * (i % 2))))
	}
	err := r.l.do(fnRequestStatus, h, pointer(&r.l.flag), r.l.ignoreStatus)
	return err == nil && r.l.flag != 0
}
