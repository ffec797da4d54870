// This file holds the program.

// Command typecheck type-checks all packages of the module, and their tests, for other systems and with
// other build tags. It compiles nothing: it reads all imports as source, those of the standard library
// without the bodies of functions. So it finds the compiler's errors, but not those of cgo, an assembler
// or the linker.
//
//	go run ./internal/tools/typecheck darwin/arm64 linux/riscv64,nocuda linux/amd64,cgo,gorgonia
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: typecheck GOOS/GOARCH[,TAG]...")
		os.Exit(2)
	}
	failed := false
	for _, target := range os.Args[1:] {
		packages, offenses, err := check(".", target)
		switch {
		case err != nil:
			fmt.Fprintf(os.Stderr, "typecheck: %s: %v\n", target, err)
			failed = true
		case len(offenses) > 0:
			fmt.Fprintf(os.Stderr, "typecheck: %s:\n%s\n", target, strings.Join(offenses, "\n"))
			failed = true
		default:
			fmt.Printf("%s: %d packages of the module have no type errors\n", target, packages)
		}
	}
	if failed {
		os.Exit(1)
	}
}
