// This file holds the checks of the bfs command's flags.

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// check refuses flags that don't go together, before anything is read.
func (f *bfsFlags) check(cmd *cobra.Command, paths []string) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	switch {
	case given("threshold") || given("unique") || given("local-all-to-all"):
		return usagef("--threshold, --unique and --local-all-to-all are for a search over processes: start them by mpirun -n N foray bfs ..., or by torchrun")
	case f.algo.value == "dobfs" && f.strategy.value != "auto":
		return usagef("--strategy is for --algo bfs")
	case f.algo.value == "bfs" && (given("alpha") || given("beta")):
		return usagef("--alpha and --beta are for --algo dobfs")
	case f.strategy.value != "auto" && (given("alpha") || given("beta")):
		return usagef("--strategy is for bfs, --alpha and --beta are for dobfs")
	case given("output") && f.output == "", given("plot") && f.plot == "":
		return usagef("the name of a file to write is empty; omit -o or --plot to write none")
	case f.reachedOnly && f.output == "":
		return usagef("--reached-only needs -o: the file to write")
	}
	if err := f.seedFlags.check(given, &f.outputFlags, "algo", "strategy", "alpha", "beta", "plot", "all-levels"); err != nil {
		return err
	}
	other := ""
	if f.paths {
		other = "--paths"
	}
	if err := f.checkRows(other); err != nil {
		return err
	}
	if given("depth-limit") && given("hops") {
		return usagef("--depth-limit and --hops are the same; give one of them")
	}
	f.inputFlags.seeds = f.sourcesFrom != "" || f.targetsFrom != ""
	if err := f.checkTable(given("partition-by")); err != nil {
		return err
	}
	if err := f.searchFlags.check(); err != nil {
		return err
	}
	if err := f.checkInside(f.seedFlags.paths(paths), &f.outputFlags); err != nil {
		return err
	}
	if err := f.checkInside(paths, &outputFlags{output: f.plot}); err != nil {
		return err
	}
	if err := checkPlot(f.plot); err != nil {
		return err
	}
	if sameOutput(f.output, f.plot) {
		return usagef("-o and --plot: %s and %s are the same file; name two", f.output, f.plot)
	}
	return f.outputFlags.check(cmd.Context())
}

// checkTable refuses flags of the table that don't go together.
func (f *bfsFlags) checkTable(partitioned bool) error {
	switch {
	case f.paths && len(f.targets) == 0 && f.targetsFrom == "":
		return usagef("--paths needs --target: the vertices that the paths lead to")
	case f.paths && f.output == "":
		return usagef("--paths needs -o; -o - prints them")
	case f.paths && partitioned:
		return usagef("--partition-by is not for --paths")
	case f.properties != "" && (f.output == "" || f.paths):
		return usagef("--properties needs -o, and is not for --paths")
	case f.keepsEdgeIDs() && !f.paths:
		return usagef("--edge-ids and --edge-id are for --paths")
	case f.overwrite && !partitioned:
		return usagef("--overwrite is for --partition-by; files are always replaced")
	case !partitioned:
	case f.output == "":
		return usagef("--partition-by needs -o: the directory to write")
	case f.output == "-":
		return usagef("--partition-by writes a directory, not to standard output; name one with -o")
	case !f.mayPartition():
		return usagef("--partition-by %s: choose depth, parent, vertex (vertex_1 and so on where ids are several columns), kind, or one of --properties", f.partitionBy)
	case strings.HasPrefix(f.partitionBy, "parent") && !f.parents && !slices.Contains(strings.Split(f.properties, ","), f.partitionBy):
		return usagef("--partition-by %s needs --parents", f.partitionBy)
	}
	f.parents = f.parents || f.paths
	return nil
}

// mayPartition reports whether a result may have the column of --partition-by;
// which parts ids have isn't known yet.
func (f *bfsFlags) mayPartition() bool {
	name := f.partitionBy
	return name == "depth" || name == "parent" || name == "vertex" || name == "kind" || strings.HasPrefix(name, "vertex_") ||
		strings.HasPrefix(name, "parent_") || name != "" && slices.Contains(strings.Split(f.properties, ","), name)
}
