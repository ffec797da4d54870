// This file holds the version command.

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// version describes the build.
func version() string {
	return fmt.Sprintf("foray %s, %s, %s/%s", buildinfo.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "version",
		Short:                 "Print the version",
		Long:                  "Prints the version, the commit that it was built from, Go's version and the\nplatform.",
		Example:               "  foray version",
		GroupID:               groupOther,
		DisableFlagsInUseLine: true,
		Args:                  needArgs(0, 0, "version takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.result = versionResult{head("version"), runtime.Version(), runtime.GOOS, runtime.GOARCH}
			_, err := fmt.Fprintln(a.stdout, version())
			return err
		},
	}
	setFlags(cmd)
	return cmd
}
