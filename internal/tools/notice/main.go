// This file holds the program.

// Command notice writes NOTICE: the licences of all modules of which package
// cmd/foray links something, on any system that it is built for. It takes them
// from the module cache.
//
//	go run ./internal/tools/notice        # write NOTICE
//	go run ./internal/tools/notice -check # only say whether it would change
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "say whether NOTICE is as it would be written, and don't write it")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

// run works in the repository's root.
func run(check bool) error {
	modules, err := linked(".")
	if err != nil {
		return err
	}
	text, err := notice(modules)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile("NOTICE", text, 0o644)
	}
	committed, err := os.ReadFile("NOTICE")
	if err != nil {
		return err
	}
	if !bytes.Equal(committed, text) {
		return fmt.Errorf("NOTICE isn't what the modules' licences are: go run ./internal/tools/notice")
	}
	return nil
}
