// This file holds the program.

// Command notice writes NOTICE and cmd/foray/NOTICE: the licenses of all modules of which
// the public packages, or the command, link something, on any system that they are built
// for. It takes them from the module cache.
//
//	go run ./internal/tools/notice        # write both
//	go run ./internal/tools/notice -check # only report whether they would change
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "say whether NOTICE and cmd/foray/NOTICE are as they would be written, and don't write them")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

// run works in the repository's root.
func run(check bool) error {
	for _, l := range lists {
		modules, err := linked(".", l.packages)
		if err != nil {
			return err
		}
		text, err := notice(l.about, modules)
		if err != nil {
			return err
		}
		if !check {
			if err := os.WriteFile(l.file, text, 0o644); err != nil {
				return err
			}
			continue
		}
		committed, err := os.ReadFile(l.file)
		if err != nil {
			return err
		}
		if !bytes.Equal(committed, text) {
			return fmt.Errorf("%s isn't what the modules' licenses are: go run ./internal/tools/notice", l.file)
		}
	}
	return nil
}
