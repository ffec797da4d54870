// This file holds what is said on standard error of a graph that isn't likely the
// one that was meant.

package main

import (
	"fmt"
)

// tellDoubts says what of an input that was read may be other than it was meant.
func (a *app) tellDoubts(in *input) error {
	if in.saysDirected && !in.o.Directed && !in.flags.given("directed") {
		if _, err := fmt.Fprintf(a.stderr, "foray: %s says directed: true, and edges are taken to lead both ways; --directed lets them lead one way, --directed=false leaves this out\n", in.name); err != nil {
			return err
		}
	}
	return nil
}
