// This file is the program around random functors.

package loops

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"os"
	"strconv"
)

// Main runs functors, each with the number of tiles in the argument, and writes Records to
// the standard output.
func Main(all []Generated) {
	if err := run(all); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(all []Generated) error {
	cases, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	b := bufio.NewWriter(os.Stdout)
	out := gob.NewEncoder(b)
	for _, m := range all {
		for _, rec := range Run(m, cases) {
			if err := out.Encode(rec); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}
