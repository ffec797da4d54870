// This file holds the comparison of versions and settings at the start.

package comm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// Setting is something that must be the same on all ranks, such as an option of
// a search.
type Setting struct{ Name, Value string }

// ErrDiffers means that ranks differ in their version or in a setting.
var ErrDiffers = errors.New("ranks differ")

// introduction is the description of a rank that it sends to the others.
type introduction struct {
	Version  string
	Settings []Setting
}

// Handshake compares Foray's version and the settings of all ranks. If any
// differ, every rank returns the same *Error, which wraps ErrDiffers and names
// the rank and what differs, and the communicator has failed.
func Handshake(ctx context.Context, c Comm, settings []Setting) error {
	return shake(ctx, c, introduction{buildinfo.Version(), settings})
}

// Introduce encodes the description of this rank, for Compare.
func Introduce(settings []Setting) ([]byte, error) {
	return json.Marshal(introduction{buildinfo.Version(), settings})
}

// Compare compares the introductions of the ranks. It returns nil, or an *Error
// that names the first rank that differs from rank 0; all ranks return the same.
func Compare(texts [][]byte) error {
	if e := compare(texts); e != nil {
		return e
	}
	return nil
}

func shake(ctx context.Context, c Comm, own introduction) error {
	text, err := json.Marshal(own)
	if err != nil {
		c.Abort(err)
		return err
	}
	out := make([][]byte, c.Size())
	for r := range out {
		out[r] = text
	}
	in, err := c.Exchange(ctx, out)
	if err != nil {
		return err
	}
	if e := compare(in); e != nil {
		c.Abort(e)
		return e
	}
	return nil
}

func compare(texts [][]byte) *Error {
	var first introduction
	for r, text := range texts {
		var other introduction
		what := ""
		if err := json.Unmarshal(text, &other); err != nil {
			what = fmt.Sprintf("what it says of itself can't be read: %v", err)
		} else if r == 0 {
			first = other
		} else {
			what = difference(first, other)
		}
		if what != "" {
			return &Error{Rank: r, Call: "the handshake", Err: fmt.Errorf("%w: %s", ErrDiffers, what)}
		}
	}
	return nil
}

// difference describes in which setting a rank differs from rank 0; "" if they are the same.
func difference(first, other introduction) string {
	if first.Version != other.Version {
		return fmt.Sprintf("it runs version %s, rank 0 version %s; install the same everywhere", other.Version, first.Version)
	}
	for i := range max(len(first.Settings), len(other.Settings)) {
		switch {
		case i >= len(other.Settings):
			s := first.Settings[i]
			return fmt.Sprintf("it has no %s, rank 0 has %s", s.Name, s.Value)
		case i >= len(first.Settings):
			s := other.Settings[i]
			return fmt.Sprintf("it has %s %s, rank 0 has none", s.Name, s.Value)
		}
		a, b := first.Settings[i], other.Settings[i]
		if a.Name != b.Name {
			return fmt.Sprintf("it has %s %s where rank 0 has %s %s", b.Name, b.Value, a.Name, a.Value)
		}
		if a.Value != b.Value {
			return fmt.Sprintf("it has %s %s, rank 0 has %s", b.Name, b.Value, a.Value)
		}
	}
	return ""
}
