// This file holds the description of a call that ranks exchange before it begins.

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
)

var opNames = [...]string{"nothing", "Sum", "Max", "Or", "Exchange", "Barrier", "Close"}

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
	length int    // of the slice that Sum, Max and Or are given
}

func (c call) String() string {
	switch c.op {
	case opSum, opMax:
		return fmt.Sprintf("%v of %d numbers (call %d)", c.op, c.length, c.seq+1)
	case opOr:
		return fmt.Sprintf("%v of %d words (call %d)", c.op, c.length, c.seq+1)
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
