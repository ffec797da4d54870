// This file holds the generate command.

package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/internal/functor/generate"
)

func (a *app) generateCommand() *cobra.Command {
	var check, dump bool
	cmd := &cobra.Command{
		Use:   "generate [DIR...]",
		Short: "Compile functors written in Go",
		Long: `Reads the Go package in each DIR, or in this directory, and writes
foray_functors.go there: for each struct marked //foray:functor a constructor,
the loops that run it on the host, and its PTX for GPUs. The package need not
compile before. If a functor uses Go that GPUs can't run, the error names the
line and an alternative.

It needs the go command and the package's module, but no network, CUDA toolkit
or C compiler. Commit the file, and let go generate write it:

  //go:generate go run github.com/foray-graph/foray/cmd/generate`,
		Example: `  foray generate
  foray generate ./paths ./ranks
  foray generate --check`,
		GroupID: groupOther,
		Args:    cobra.ArbitraryArgs,
	}
	g := newGroup("Generating")
	g.flags.BoolVar(&check, "check", false, "write nothing; fail if a file isn't what would be written")
	g.flags.BoolVar(&dump, "dump", false, "write no file; print what the methods were translated to")
	setFlags(cmd, g)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check && dump {
			return usagef("--check and --dump don't go together")
		}
		if slices.Contains(args, "") {
			return usagef("a DIR is empty")
		}
		return generate.Run(cmd.Context(), args, check, dump, a.data)
	}
	return cmd
}
