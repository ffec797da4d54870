// This file holds the version command.

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version says what was built of what.
func version() string {
	module, commit := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" {
			module = v
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = ", commit " + s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += " with changes"
			}
		}
	}
	return fmt.Sprintf("foray %s%s, %s, %s/%s", module, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
			_, err := fmt.Fprintln(a.stdout, version())
			return err
		},
	}
	setFlags(cmd)
	return cmd
}
