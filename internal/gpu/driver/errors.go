// This file holds the errors: the driver's codes, their meaning for a caller,
// and the call that returned them.

package driver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/text"
)

// Errors to test for with errors.Is. Those that package device has too wrap its own.
var (
	// ErrNotSupported: the machine, the driver, the device or the build can't
	// do this; the message names which of them.
	ErrNotSupported = text.Named("not supported", device.ErrNotSupported)
	// ErrOutOfMemory: the device or the host has no memory left.
	ErrOutOfMemory = text.Named("out of memory", device.ErrMemory)
	// ErrClosed: the context, stream, event, module or memory was closed
	// before.
	ErrClosed = text.Named("closed", device.ErrClosed)
	// ErrInUse: the context still holds memory, streams, events or modules.
	ErrInUse = errors.New("in use")
	// ErrNotPermitted: the system forbids it.
	ErrNotPermitted = errors.New("not permitted")
	// ErrNotFound: no function, global or device of that name.
	ErrNotFound = errors.New("not found")
	// ErrInvalid: an argument that can't be meant.
	ErrInvalid = errors.New("invalid")
	// ErrTooLarge: the launch needs more registers, shared memory, threads or
	// blocks at once than the device has.
	ErrTooLarge = errors.New("launch too large")
	// ErrBroken: the context can't be used any more.
	ErrBroken = errors.New("context broken")
)

// Code is the driver's result of a call, CUresult in its documentation.
type Code uint32

// The codes that this package acts upon.
const (
	codeOK            Code = 0
	codeInvalidValue  Code = 1
	codeOutOfMemory   Code = 2
	codeStub          Code = 34
	codeNoDevice      Code = 100
	codeNoImage       Code = 209
	codePTXVersion    Code = 222
	codeNotReady      Code = 600
	codePeerEnabled   Code = 704
	codePeerOff       Code = 705
	codeNotSupported  Code = 801
	codeUnknown       Code = 999
	codeDeinitialized Code = 4
)

// sentinel returns the error that errors.Is finds for a code, or nil.
func (c Code) sentinel() error {
	switch c {
	case codeOutOfMemory:
		return ErrOutOfMemory
	case codeStub, codeNoDevice, codeNotSupported, codeNoImage, codePTXVersion,
		217, // peer access unsupported
		221, // no compiler for PTX
		223, // compiling PTX is turned off
		804: // driver newer than the device allows
		return ErrNotSupported
	case 800:
		return ErrNotPermitted
	case 500:
		return ErrNotFound
	case codeInvalidValue,
		101, // device
		200, // image
		218, // PTX
		400, // handle
		912: // cluster size
		return ErrInvalid
	case 701, 720: // out of resources, cooperative launch too large
		return ErrTooLarge
	case codeDeinitialized, 709: // context destroyed
		return ErrClosed
	}
	if c.breaks() {
		return ErrBroken
	}
	return nil
}

// breaks reports whether the code makes its context unusable.
func (c Code) breaks() bool {
	switch c {
	case 214, // uncorrectable ECC error
		220,           // uncorrectable NVLink error
		226,           // fault contained by the device
		700, 702, 710, // illegal address, launch timeout, assert
		714, 715, 716, 717, 718, 719, // stack, instruction, alignment, address space, pc, launch failed
		721, // tensor memory leak
		810, // MPS client ended
		911: // external device
		return true
	}
	return false
}

// Error is a call of the driver that failed.
type Error struct {
	Call   string // the driver's function, such as "cuMemAlloc"
	Code   Code
	Name   string // the driver's name for the code; empty if it has none
	Text   string // the driver's description of the code
	Asked  string // the call, in words
	Wanted uint64 // bytes; only where memory ran out
	Free   uint64 // bytes that the device had left then; 0 if unknown
	Log    string // the log of the driver's compiler, for a module
}

func (e *Error) Error() string { return "cuda: " + e.text() }

func (e *Error) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", e.Call)
	if e.Name == "" {
		fmt.Fprintf(&b, "error %d", uint32(e.Code))
	} else {
		fmt.Fprintf(&b, "%s (%d)", e.Name, uint32(e.Code))
	}
	if e.Text != "" {
		fmt.Fprintf(&b, ", %s", e.Text)
	}
	if e.Asked != "" {
		fmt.Fprintf(&b, ": %s", e.Asked)
	}
	if e.Log != "" {
		fmt.Fprintf(&b, ": %s", e.Log)
	}
	return b.String()
}

// Is makes errors.Is find the sentinel for the code, and the error of package device that it wraps.
func (e *Error) Is(target error) bool { return errors.Is(e.Code.sentinel(), target) }

// within is an Error inside a message that names the package already.
type within struct{ err *Error }

func (e within) Error() string { return e.err.text() }
func (e within) Unwrap() error { return e.err }

// BrokenError is the answer to every call on a context that an earlier error
// broke. It wraps that error and ErrBroken.
type BrokenError struct {
	Cause *Error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("cuda: context broken (close it and open another, or start the program again) by: %s", e.Cause.text())
}

// Is makes errors.Is find ErrBroken.
func (e *BrokenError) Is(target error) bool { return target == ErrBroken }

// Unwrap returns what broke the context.
func (e *BrokenError) Unwrap() error { return e.Cause }

// newError describes a failed call. The context need not be current.
func newError(d driver, call string, c Code, asked string) *Error {
	return &Error{Call: call, Code: c, Name: d.errorName(c), Text: d.errorText(c), Asked: asked}
}
