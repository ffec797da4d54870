// Command libforay is a C library: graph algorithms on Arrow data. foray.h is its header, and
// docs/libforay.md its guide.
//
//	libforay/build build/libforay
//
// foray.c has the functions of the header, and main.go what they call. process.c restores what loading
// the library changes in the process. run.go goes from streams
// to a stream. options.go reads the options, and algorithms.go lists the algorithms.
package main

// #include <stdlib.h>
// #include "foray.h"
//
// int forayRequested(const foray_cancel *cancel);
// void forayRestore(void);
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/cdata"
)

func main() {}

// init gives the process back what the runtime of Go has changed and needs not (process.c).
func init() { C.forayRestore() }

// cancelEvery is how often a run looks at its foray_cancel.
const cancelEvery = 5 * time.Millisecond

//export forayRun
func forayRun(algorithm *C.char, edges, vertices *C.struct_ArrowArrayStream, options *C.char,
	result *C.struct_ArrowArrayStream, cancel *C.foray_cancel, message **C.char) C.int {
	if message != nil {
		*message = nil
	}
	if result != nil {
		*result = C.struct_ArrowArrayStream{}
	}
	err := guarded(func() error { return call(algorithm, edges, vertices, options, result, cancel) })
	if err != nil && message != nil {
		*message = C.CString(errorText(err))
	}
	return status(err)
}

// guarded returns the error of f. A panic is one, since it must not continue into C.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error, please report it: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// call is forayRun with an error of Go.
func call(algorithm *C.char, edges, vertices *C.struct_ArrowArrayStream, options *C.char,
	result *C.struct_ArrowArrayStream, cancel *C.foray_cancel) error {
	in, err := takeStreams(edges, vertices)
	defer in.release()
	switch {
	case err != nil:
		return err
	case algorithm == nil:
		return invalidf("the name of the algorithm is NULL")
	case result == nil:
		return invalidf("result is NULL; give the address of a struct ArrowArrayStream")
	}
	var text string
	if options != nil {
		text = C.GoString(options)
	}
	ctx, stop := canceledBy(context.Background(), func() bool { return C.forayRequested(cancel) != 0 })
	defer stop()
	r, err := run(ctx, C.GoString(algorithm), in, text)
	if err != nil {
		return err
	}
	defer r.Release()
	return cdata.ExportStream(context.Background(), r, unsafe.Pointer(result))
}

// takeStreams takes over both streams. The caller releases the input, also after an error.
func takeStreams(edges, vertices *C.struct_ArrowArrayStream) (in input, err error) {
	take := func(name string, s *C.struct_ArrowArrayStream) (array.RecordReader, error) {
		r, err := cdata.ImportStream(unsafe.Pointer(s))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	}
	if vertices != nil {
		in.vertices, err = take("vertices", vertices)
	}
	if edges == nil {
		return in, errors.Join(invalidf("edges is NULL; give a struct ArrowArrayStream"), err)
	}
	var failed error
	in.edges, failed = take("edges", edges)
	return in, errors.Join(failed, err)
}

// canceledBy returns a context that is canceled soon after requested reports true. stop ends the watch.
func canceledBy(ctx context.Context, requested func() bool) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	if requested() {
		cancel()
		return ctx, cancel
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(cancelEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if requested() {
					cancel()
				}
			}
		}
	}()
	return ctx, func() {
		cancel()
		<-ended // the caller may free what requested looks at
	}
}

// invalid are the errors of arguments, options and input.
var invalid = []error{
	graph.ErrOptions, graph.ErrNoVertex, graph.ErrIDType, graph.ErrIDRange, graph.ErrEmpty, graph.ErrWeights, graph.ErrNoWeights,
	graph.ErrMalformed, graph.ErrTooManyVertices, arrow.ErrColumn, arrow.ErrColumnType, arrow.ErrNull, arrow.ErrDamaged, arrow.ErrResult,
	cdata.ErrMalformed, cdata.ErrReleased, device.ErrUnknown, sssp.ErrOverflow,
}

// status returns the foray_status of an error.
func status(err error) C.int {
	is := func(list ...error) bool {
		for _, e := range list {
			if errors.Is(err, e) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return C.FORAY_OK
	case is(cdata.ErrStream):
		return C.FORAY_STREAM
	case is(context.Canceled):
		return C.FORAY_CANCELED
	case is(device.ErrMemory):
		return C.FORAY_MEMORY
	case is(invalid...):
		return C.FORAY_INVALID
	case is(errors.ErrUnsupported, device.ErrNotSupported):
		return C.FORAY_UNSUPPORTED
	}
	return C.FORAY_FAILED
}
