// Package device defines devices: memory, streams of work, timing. The host's CPU is one
// device (package device/host), an NVIDIA GPU another.
//
// The guide is [docs/gpus.md].
//
// Open opens a device, on which graph.Graph.On places a graph. A package that
// implements a device registers a Driver, and Open picks one. The
// algorithms and operators import the drivers that they have kernels for, so a
// program that imports one of them need not register anything.
//
// A nil context is an error that wraps graph.ErrOptions.
//
// [docs/gpus.md]: https://github.com/foray-graph/foray/blob/main/docs/gpus.md
package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// Kind names a family of devices, as Open takes it: "host", "cuda".
type Kind string

// Host is the kind of the CPU.
const Host Kind = "host"

// Errors to test for with errors.Is.
var (
	// ErrNotSupported: this kind of device can't be used here; the message
	// gives the reason (not built in, no driver, no device).
	ErrNotSupported = errors.New("device not supported here")
	// ErrMemory: a request takes more memory than a GPU or the host has free, or than an option
	// allows, such as graph.Options.MemoryLimit. The message gives the sizes.
	ErrMemory = errors.New("not enough memory")
	// ErrClosed: use of a closed object: a device or stream, and, from the packages
	// above, a placed graph, frontier, operator or result. Closing twice, or
	// closing nil, is not an error and does nothing.
	ErrClosed = errors.New("closed")
	// ErrSize: a size that no memory has.
	ErrSize = errors.New("impossible size")
	// ErrUnknown: a name that isn't a device's.
	ErrUnknown = errors.New("unknown device")
)

// Info describes a device.
type Info struct {
	Kind        Kind
	Name        string // as Open takes it: "host", "cuda:0"
	Model       string // the maker's name
	Units       int    // host: workers; GPU: multiprocessors
	MemoryTotal uint64 // bytes; 0 if unknown
	MemoryFree  uint64 // bytes; 0 if unknown
	Driver      string // version of the driver; empty on the host
}

// Device stores graphs and frontiers and runs operators. Its methods are safe for
// concurrent use.
type Device interface {
	Info() Info
	// Alloc returns zeroed memory of that many bytes. The caller owns and frees
	// it.
	Alloc(bytes uint64) (Memory, error)
	// NewStream returns a stream, in which operators run in the order in which they were
	// enqueued. When ctx is done they stop early, and the stream's Sync and its operators
	// return the context's error. One goroutine uses a stream at a time; a search has its own.
	// The caller closes it.
	NewStream(ctx context.Context) (Stream, error)
	// Close frees what the device holds. Streams, memory, placed graphs and graphs that
	// were built there must be gone. Alloc and NewStream fail with ErrClosed afterwards.
	Close() error
}

// Memory is a piece of a device's memory.
type Memory interface {
	// Host returns the memory itself if the host can address it, else nil.
	Host() []byte
	// Pointer is the device's address of the first byte.
	Pointer() uintptr
	// Close frees the memory. It is called once.
	Close() error
}

// Stream is a sequence of operators on a device. On the host operators are
// done when the call returns; on a GPU they are enqueued, and errors surface
// at the next Sync.
type Stream interface {
	Device() Device
	// Sync waits until all enqueued work is done.
	Sync() error
	// Record marks a point in the stream for timing.
	Record() (Event, error)
	// Close waits and frees the stream. Its operators, Sync and Record fail with
	// ErrClosed afterwards; closing again does nothing.
	Close() error
}

// Event is a point in a stream. The caller that recorded it closes it.
type Event interface {
	// Since returns the seconds from an earlier event of the same stream to
	// this one. It waits until both have been reached.
	Since(earlier Event) (seconds float64, err error)
	// Close frees the event.
	Close() error
}

// Driver opens the devices of one kind.
type Driver struct {
	Kind Kind
	// Rank orders the kinds for "auto": the highest that has a device wins.
	Rank int
	// Probe lists the devices, or returns ErrNotSupported with the reason why there are none.
	Probe func() ([]Info, error)
	// Open opens device i of those that Probe lists.
	Open func(i int) (Device, error)
	// Join makes one device of several that Open opened. The device owns and closes them, even
	// if Join fails. Join is nil if the driver doesn't support that.
	Join func(devs []Device) (Device, error)
}

var (
	mu      sync.Mutex
	drivers = map[Kind]Driver{}
)

// Register makes a driver known to Open. It is called by packages that
// implement devices; registering a kind again replaces it.
func Register(d Driver) {
	mu.Lock()
	defer mu.Unlock()
	drivers[d.Kind] = d
}

func ranked() []Driver {
	mu.Lock()
	defer mu.Unlock()
	ds := make([]Driver, 0, len(drivers))
	for _, d := range drivers {
		ds = append(ds, d)
	}
	sort.Slice(ds, func(i, j int) bool {
		if ds[i].Rank != ds[j].Rank {
			return ds[i].Rank > ds[j].Rank
		}
		return ds[i].Kind < ds[j].Kind
	})
	return ds
}

// Open opens a device by name: "auto" (the best that opens, the host last), "host", or a kind
// with or without a number ("cuda", "cuda:1"). The empty name is "auto". A named kind never
// falls back to another one. The caller closes the device. The error is ErrUnknown for a name
// that isn't a device, ErrNotSupported for one that can't be used here, or the driver's.
//
// "auto" tries the first device of each kind. One that is there but can't be opened, such as a
// GPU whose driver fails, is skipped silently: Info of the device names the one that was
// chosen. Name a kind to require it, and to get the error if it can't be opened.
//
// Several GPUs of one machine are one device: "cuda:0,cuda:1", or "all" for all GPUs (a single
// one is opened as such). A graph that is placed there is divided into shards, one per GPU.
// With "all" a small graph is placed on the first GPU only, which is faster; see
// graph.Graph.On. GPUs without access to each other's memory are ErrNotSupported.
func Open(name string) (Device, error) {
	if name == "all" {
		return openAll()
	}
	if strings.Contains(name, ",") {
		return openSeveral(name, strings.Split(name, ","))
	}
	if name == "" || name == "auto" {
		var errs []error
		for _, d := range ranked() {
			infos, err := d.Probe()
			if err != nil || len(infos) == 0 {
				errs = append(errs, err)
				continue
			}
			dev, err := d.Open(0)
			if err == nil {
				return dev, nil
			}
			errs = append(errs, err)
		}
		if err := errors.Join(errs...); err != nil {
			return nil, fmt.Errorf("device auto: %w", err)
		}
		return nil, fmt.Errorf("device auto: %w: no driver is linked; import device/host", ErrNotSupported)
	}
	kind, number, numbered := strings.Cut(name, ":")
	i := 0
	if numbered {
		var err error
		if i, err = strconv.Atoi(number); err != nil || i < 0 {
			return nil, fmt.Errorf("device %q: %w: want a number after the colon, as in cuda:0", name, ErrUnknown)
		}
	}
	mu.Lock()
	d, ok := drivers[Kind(kind)]
	mu.Unlock()
	if !ok {
		if kind == "cuda" {
			return nil, fmt.Errorf("device %q: %w: no driver for it is linked; import device/gpu or an algorithm", name, ErrNotSupported)
		}
		return nil, fmt.Errorf("device %q: %w (auto, host, cuda, cuda:N, several as in cuda:0,cuda:1, all)", name, ErrUnknown)
	}
	infos, err := d.Probe()
	if err != nil {
		return nil, fmt.Errorf("device %q: %w", name, err)
	}
	if i >= len(infos) {
		are := "are"
		if len(infos) == 1 {
			are = "is"
		}
		return nil, fmt.Errorf("device %q: %w: there %s %d of that kind, counted from 0", name, ErrUnknown, are, len(infos))
	}
	return d.Open(i)
}

// openAll opens all devices of the best kind, other than the host, that has any.
func openAll() (Device, error) {
	var errs []error
	for _, d := range ranked() {
		infos, err := d.Probe()
		if d.Kind == Host || err != nil || len(infos) == 0 {
			errs = append(errs, err)
			continue
		}
		names := make([]string, len(infos))
		for i, info := range infos {
			names[i] = info.Name
		}
		if len(names) == 1 {
			return Open(names[0])
		}
		dev, err := openSeveral("all", names)
		if a, ok := dev.(interface{ TakeAny() }); ok {
			a.TakeAny()
		}
		return dev, err
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("device all: %w", err)
	}
	return nil, fmt.Errorf("device all: %w: there is no GPU; take host", ErrNotSupported)
}

// openSeveral opens devices of one kind as one.
func openSeveral(name string, names []string) (Device, error) {
	var all []Device
	fail := func(err error) (Device, error) {
		for _, d := range all {
			err = errors.Join(err, d.Close())
		}
		return nil, err
	}
	kind, _, _ := strings.Cut(names[0], ":")
	mu.Lock()
	join := drivers[Kind(kind)].Join
	mu.Unlock()
	for i, one := range names {
		if k, _, numbered := strings.Cut(one, ":"); k != kind || !numbered || slices.Contains(names[:i], one) {
			return fail(fmt.Errorf("device %q: %w: want different GPUs, as in cuda:0,cuda:1", name, ErrUnknown))
		}
		d, err := Open(one)
		if err != nil {
			return fail(err)
		}
		all = append(all, d)
	}
	if join == nil {
		return fail(fmt.Errorf("device %q: %w: only GPUs can be joined", name, ErrNotSupported))
	}
	d, err := join(all)
	if err != nil {
		return nil, fmt.Errorf("device %q: %w", name, err)
	}
	return d, nil
}

// List returns the devices of all kinds, in the order in which "auto" tries
// the first of each. A kind that has none, or whose driver fails, is left out:
// Open returns the reason.
func List() []Info {
	var all []Info
	for _, d := range ranked() {
		if infos, err := d.Probe(); err == nil {
			all = append(all, infos...)
		}
	}
	return all
}
