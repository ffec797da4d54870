// This file holds the version command.

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// version describes the build in a line.
func version() string {
	return fmt.Sprintf("foray %s, %s, %s/%s", buildinfo.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// linkedModules returns the modules that the linker recorded, in order.
func linkedModules() []*debug.Module {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Deps
	}
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	modules := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: "Prints the version, the commit that it was built from, Go's version, the\n" +
			"platform, and what is linked. The date is the commit's.",
		Example: "  foray version\n  foray version --modules\n  foray version --json",
		GroupID: groupOther,
		Args:    needArgs(0, 0, "version takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			linked := linkedModules()
			r := versionResult{resultHead: head("version"), Commit: buildinfo.Commit(), Date: buildinfo.Date(), Go: runtime.Version(),
				OS: runtime.GOOS, Arch: runtime.GOARCH, Devices: linkedDevices(), Modules: []moduleResult{}}
			for _, m := range linked {
				r.Modules = append(r.Modules, moduleResult{m.Path, m.Version})
			}
			a.result = r
			fmt.Fprintln(a.stdout, version())
			for _, row := range [][2]string{{"commit", r.Commit}, {"date", r.Date}, {"devices", strings.Join(r.Devices, ", ")}} {
				if row[1] != "" {
					fmt.Fprintf(a.stdout, "%-8s %s\n", row[0], row[1])
				}
			}
			if !modules {
				_, err := fmt.Fprintf(a.stdout, "%-8s %d, which --modules lists\n", "modules", len(linked))
				return err
			}
			for _, m := range linked {
				if _, err := fmt.Fprintf(a.stdout, "%-8s %s %s\n", "module", m.Path, m.Version); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&modules, "modules", false, "list the Go modules that are linked")
	setFlags(cmd)
	return cmd
}
