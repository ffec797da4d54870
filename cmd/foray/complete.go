// This file holds what shells complete: names of columns in the given files, devices, algorithms, and words of flags.

package main

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
)

// complete registers what flags complete to if args request completions, as shells do, and reports whether they do.
// Otherwise it registers nothing, because Cobra keeps registered flags, and so their commands, as long as the process
// runs.
func complete(root *cobra.Command, args []string) bool {
	if len(args) == 0 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return false
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Usage = describeCompletion(root, f) })
	for list := root.Commands(); len(list) > 0; list = list[1:] {
		cmd := list[0]
		list = append(list, cmd.Commands()...)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			f.Usage = describeCompletion(cmd, f)
			if with := completionOf(cmd, f); with != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, with)
			}
		})
	}
	return true
}

// describeCompletion returns what shells show next to a flag: its line of the short help, or else the first part of its
// usage, without backquotes, which fits a line.
func describeCompletion(cmd *cobra.Command, f *pflag.Flag) string {
	if what := brief(cmd, f); what != "" {
		return what
	}
	_, usage := pflag.UnquoteUsage(f)
	usage, _, _ = strings.Cut(usage, "; ")
	const most = 100
	if len(usage) > most {
		usage = usage[:strings.LastIndexByte(usage[:most], ' ')] + " ..."
	}
	return usage
}

// completionOf returns how a flag's value is completed, or nil.
func completionOf(cmd *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	if e, ok := f.Value.(*enum); ok {
		return cobra.FixedCompletions(e.allowed, cobra.ShellCompDirectiveNoFileComp)
	}
	switch f.Name {
	case "src", "dst", "weight", "edge-id", "column":
		return completeColumns
	case "vertex-id", personalization:
		return completeVertexColumns
	case "device", "devices":
		return completeDevices
	case "algo":
		return completeList(append([]string{"auto", "bfs", "dobfs", "seq"}, namesOf(algorithms)...))
	case "do":
		return completeList(namesOf(runnable()))
	}
	return nil
}

// completeList completes names with commas between.
func completeList(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var list []string
		for _, name := range names {
			if !slices.Contains(strings.Split(before, ","), name) {
				list = append(list, before+name)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completeColumns completes names of columns of the given files.
func completeColumns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if cmd.Name() == "append" && len(args) > 1 {
		args = args[1:] // the first is the graph
	}
	return completeList(columnsOf(cmd.Context(), args))(cmd, args, typed)
}

// completeVertexColumns completes names of columns of the tables of --vertices.
func completeVertexColumns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	tables, err := cmd.Flags().GetStringArray("vertices")
	if err != nil {
		tables = nil
	}
	return completeList(columnsOf(cmd.Context(), tables))(cmd, args, typed)
}

// completeDevices completes the devices that there are.
func completeDevices(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	names := []string{"auto"}
	for _, d := range device.List() {
		names = append(names, d.Name)
	}
	return completeList(names)(cmd, args, typed)
}

// noColumn is a name that no column has.
const noColumn = "\u2400"

// columnsOf returns the names of the columns of the first path: those of a table that opens, or else those that
// the error about a missing column lists, which is what a user sees. It returns nothing if there are none.
func columnsOf(ctx context.Context, paths []string) (names []string) {
	if len(paths) == 0 || paths[0] == "-" || strings.Contains(paths[0], "://") { // a store may be slow, or another one by later flags
		return nil
	}
	if d, err := arrow.Open(ctx, paths[:1], arrow.Options{}); err == nil {
		for _, c := range d.Info().Columns {
			names = append(names, c.Name)
		}
		return names
	}
	var errs strings.Builder
	runContext(ctx, []string{"info", paths[0], "--src", noColumn}, io.Discard, &errs)
	_, list, _ := strings.Cut(errs.String(), "s are ") // "the columns are", or "members" of JSON
	for _, m := range regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(list, -1) {
		names = append(names, m[1])
	}
	return names
}
