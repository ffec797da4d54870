// Command generate makes functors written in Go ready to run, as foray generate does. It
// needs no packages but those of the library, so that a module which embeds Foray can run it
// without depending on the command line's:
//
//	//go:generate go run github.com/foray-graph/foray/cmd/generate
//
// It reads the Go package in each folder given, or in this one, and writes
// foray_functors.go there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/foray-graph/foray/internal/functor/ahead"
	"github.com/foray-graph/foray/internal/functor/generate"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail if a file isn't what would be written")
	dump := flag.Bool("dump", false, "write no file; print what the methods were translated to")
	aot := flag.Bool("aot", false, "also run the tests and compile the kernels that they launch, with ptxas, into foray_kernels.bin")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: generate [-check | -dump | -aot] [DIR...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := together(*check, *dump, *aot)
	if err == nil {
		err = generate.Run(ctx, flag.Args(), *check, *dump, os.Stdout)
	}
	if err == nil && *aot {
		err = ahead.Run(ctx, flag.Args(), os.Stdout)
	}
	var sources generate.Errors
	var tests ahead.TestsError
	switch {
	case errors.As(err, &sources), errors.As(err, &tests): // lines, as compilers and tests print them
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// together returns an error for flags that exclude one another.
func together(check, dump, aot bool) error {
	switch {
	case check && dump:
		return errors.New("-check and -dump don't go together")
	case aot && (check || dump):
		return errors.New("-aot goes neither with -check nor with -dump")
	}
	return nil
}
