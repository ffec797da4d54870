// This file holds the description of a call that ranks exchange before it begins, and exports what other packages
// need to make communicators.

package comm

import "fmt"

// op is a collective call.
type op uint32

const (
	opNone op = iota
	opSum
	opMax
	opOr
	opExchange
	opBarrier
	opClose
	opFirst
)

var opNames = [...]string{"nothing", "Sum", "Max", "Or", "Exchange", "Barrier", "Close", "First"}

func (o op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("an unknown call (%d)", uint32(o))
}

// call is a call of one rank.
type call struct {
	op     op
	seq    uint64 // how many calls the rank made before
	length int    // of the slice that Sum, Max and Or are given; the ranks that First connects
}

func (c call) String() string {
	switch c.op {
	case opSum, opMax:
		return fmt.Sprintf("%v of %d numbers (call %d)", c.op, c.length, c.seq+1)
	case opOr:
		return fmt.Sprintf("%v of %d words (call %d)", c.op, c.length, c.seq+1)
	}
	if c.op == opFirst {
		return fmt.Sprintf("First of %d ranks (call %d)", c.length, c.seq+1)
	}
	return fmt.Sprintf("%v (call %d)", c.op, c.seq+1)
}

// mismatch returns the error of the first rank whose call differs from call than,
// or nil. All ranks compare with rank 0, and find the same error.
func mismatch(calls []call, than int) *Error {
	for r, c := range calls {
		if c != calls[than] {
			return &Error{Rank: r, Call: c.String(), Err: fmt.Errorf("%w: rank %d is in %v", ErrMismatch, than, calls[than])}
		}
	}
	return nil
}

// wrongLists is the error of an Exchange that wasn't given a list for each rank.
func wrongLists(got, size int) error {
	return fmt.Errorf("Exchange needs a list for each of %d ranks and was given %d", size, got)
}

// Op is the operation of a call.
type Op = op

// The calls of a Comm.
const (
	OpSum      = opSum
	OpMax      = opMax
	OpOr       = opOr
	OpExchange = opExchange
	OpBarrier  = opBarrier
	OpClose    = opClose
)

// Call is a call of one rank; two are equal if ranks may make them together.
type Call = call

// CallOf returns the call that follows seq others; length is the length of the slice for Sum, Max or Or.
func CallOf(o Op, seq uint64, length int) Call { return call{o, seq, length} }

// Op returns the call's operation.
func (c call) Op() Op { return c.op }

// Words encodes a call for another rank's CallIn.
func (c call) Words() [3]uint64 { return [3]uint64{uint64(c.op), c.seq, uint64(c.length)} }

// CallIn is the call with those words.
func CallIn(w [3]uint64) Call { return call{op(w[0]), w[1], int(w[2])} }

// Mismatch is the error of the first rank that doesn't do what rank 0 does, or nil. All ranks find
// the same.
func Mismatch(calls []Call) *Error { return mismatch(calls, 0) }

// Combine reduces one rank's words into another's, by OpSum, OpMax or OpOr.
func Combine(o Op, into, words []uint64) { combine(o, into, words) }

// WrongLists is the error of an Exchange that wasn't given a list for each rank.
func WrongLists(got, size int) error { return wrongLists(got, size) }
