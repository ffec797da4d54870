// This file holds the version command.

package main

import (
	"encoding/json"
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

// versionReport is what the version command prints, as --json has it.
type versionReport struct {
	Version  string            `json:"version"`
	Commit   string            `json:"commit,omitempty"`
	Date     string            `json:"date,omitempty"`
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Devices  []string          `json:"devices"`
	Reads    []string          `json:"reads"`
	Modules  map[string]string `json:"modules"`
}

func reportVersion() versionReport {
	r := versionReport{Version: buildinfo.Version(), Commit: buildinfo.Commit(), Date: buildinfo.Date(), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Devices: linkedDevices(),
		Reads:   []string{"parquet", "arrow", "csv", "json lines", "edge lists", "mtx", "dimacs", "metis", "gap", "graphar", "iceberg", "delta", "s3"},
		Modules: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			r.Modules[m.Path] = m.Version
		}
	}
	return r
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON, modules bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: "Prints the version, the commit that it was built from, Go's version, the\n" +
			"platform, and what is linked. The date is that of the commit.",
		Example: "  foray version\n  foray version --modules\n  foray version --json",
		GroupID: groupOther,
		Args:    needArgs(0, 0, "version takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := reportVersion()
			if asJSON {
				e := json.NewEncoder(a.stdout)
				e.SetIndent("", "  ")
				return e.Encode(r)
			}
			fmt.Fprintln(a.stdout, version())
			for _, row := range [][2]string{{"commit", r.Commit}, {"date", r.Date}, {"devices", strings.Join(r.Devices, ", ")}, {"reads", strings.Join(r.Reads, ", ")}} {
				if row[1] != "" {
					fmt.Fprintf(a.stdout, "%-8s %s\n", row[0], row[1])
				}
			}
			if !modules {
				_, err := fmt.Fprintf(a.stdout, "%-8s %d, which --modules lists\n", "modules", len(r.Modules))
				return err
			}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, m := range info.Deps {
					if _, err := fmt.Fprintf(a.stdout, "%-8s %s %s\n", "module", m.Path, m.Version); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&modules, "modules", false, "list the Go modules that are linked")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	setFlags(cmd)
	return cmd
}
