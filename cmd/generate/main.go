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

	"github.com/foray-graph/foray/internal/functor/generate"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail if a file isn't what would be written")
	dump := flag.Bool("dump", false, "write no file; print what the methods were translated to")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: generate [-check | -dump] [DIR...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := generate.Run(ctx, flag.Args(), *check, *dump, os.Stdout)
	if *check && *dump {
		err = errors.New("-check and -dump don't go together")
	}
	var sources generate.Errors
	switch {
	case errors.As(err, &sources): // a line each, as compilers print them
		fmt.Fprintln(os.Stderr, sources)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
