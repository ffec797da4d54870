// This file holds the flags of searches over processes, and which others go with them.

package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
)

// clusterFlags are those that are for several processes alone.
type clusterFlags struct {
	threshold threshold
	unique    bool
	local     localAllToAll
	onHosts   string // why the search is there, where it might have been on GPUs
}

func (f *clusterFlags) group() flagGroup {
	g := newGroup(titleProcesses)
	f.threshold = engine.Auto
	g.flags.Var(&f.threshold, "threshold", "every process stores the vertices with more than `N` out-neighbors; auto chooses by the graph and the free memory")
	g.flags.BoolVar(&f.unique, "unique", true, "drop duplicate vertices from messages to other processes; --unique=false sends them")
	g.flags.Var(&f.local, "local-all-to-all", "processes of a machine exchange vertices among themselves first, then send fewer, larger messages to other machines; =`N`: each N consecutive processes share a machine")
	g.flags.Lookup("local-all-to-all").NoOptDefVal = "auto"
	return g
}

// localAllToAll is a flag that may be given a number.
type localAllToAll struct {
	on   bool
	each int // processes on a machine; 0 finds out
}

func (l *localAllToAll) Type() string { return "N" }
func (l *localAllToAll) String() string {
	switch {
	case !l.on:
		return "off"
	case l.each == 0:
		return "auto"
	}
	return strconv.Itoa(l.each)
}
func (l *localAllToAll) Set(s string) error {
	n := 0
	if s != "auto" && s != "off" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("want a number of processes, 1 or more, auto or off")
		}
	}
	*l = localAllToAll{s != "off", n}
	return nil
}

// threshold is a flag that takes a number or auto.
type threshold int64

func (t *threshold) Type() string { return "N" }
func (t *threshold) String() string {
	if *t == engine.Auto {
		return "auto"
	}
	return strconv.FormatInt(int64(*t), 10)
}
func (t *threshold) Set(s string) error {
	if s == "auto" {
		*t = engine.Auto
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("want a number, 0 or more, or auto")
	}
	*t = threshold(n)
	return nil
}

// overProcesses are the flags of bfs that have a meaning over processes.
var overProcesses = strings.Fields("source target depth-limit hops parents validate all-levels algo device devices " +
	"quiet verbose json s3-endpoint s3-region s3-profile output format compression reached-only sort vertex-column threshold unique local-all-to-all " +
	"src dst where snapshot as-of edges vertices vertex-id vertex-snapshot vertex-as-of directed ids nulls input-format union-by-name memory-limit follow-links allow-outside limits workers help")

// ownFlags may differ between processes.
var ownFlags = strings.Fields("workers memory-limit")

// checkCluster refuses flags that have no meaning over processes.
func (f *bfsFlags) checkCluster(cmd *cobra.Command, args []string) error {
	var err error
	cmd.Flags().Visit(func(x *pflag.Flag) {
		if err == nil && !slices.Contains(overProcesses, x.Name) {
			err = usagef("--%s is not for a search over processes; leave it out, or search in one process", x.Name)
		}
	})
	if err == nil {
		err = f.wantsEqual(args)
	}
	switch {
	case err != nil:
		return err
	case cmd.Flags().Changed("depth-limit") && cmd.Flags().Changed("hops"):
		return usagef("--depth-limit and --hops are the same; give one of them")
	case !slices.Contains([]string{"auto", host.Name, cudaKind}, f.deviceName()):
		return usagef("--device %s: in a search over processes each process uses the GPU that its launcher assigns; --device is %s, %s or auto", f.deviceName(), host.Name, cudaKind)
	case f.local.on && f.deviceName() == cudaKind:
		return usagef("--local-all-to-all is for a search on hosts: on GPUs NCCL chooses the way between machines; leave it out, or search with --device %s", host.Name)
	case f.ids.value != "auto" && f.ids.value != "dense":
		return usagef("--ids %s is for text, which a search over processes doesn't read", f.ids.value)
	case f.algo.value == "dobfs" && f.directed:
		return usagef("--algo dobfs pulls, which a search over processes does only in undirected graphs; leave it out")
	case f.output == "-":
		return usagef("-o -: each process writes a separate file; name a directory with -o")
	case inStore(f.output):
		return usagef("-o %s: a search over processes writes a directory of this machine or of a file system that all share; copy that to the store", f.output)
	case slices.Contains(args, "-"):
		return usagef("-: of several processes only one has standard input; name a file")
	case f.output == "" && (f.reachedOnly || f.format != "" || f.compression != "" || f.byID() || f.vertexColumn != ""):
		return usagef("--reached-only, --format, --compression, --sort and --vertex-column need -o: the directory to write")
	case f.output == "":
		return nil
	}
	if f.format == "" { // the name of a directory needn't say
		if f.format = f.tableFormat(); !slices.Contains(tableFormats, f.format) {
			f.format = "parquet"
		}
	}
	if !slices.Contains(tableFormats, f.format) {
		return usagef("--format %s: there are %s", f.format, orList(tableFormats))
	}
	if c := codecs(f.format); f.compression != "" && !slices.Contains(c, f.compression) {
		return usagef("--compression %s: %s takes %s", f.compression, f.format, orList(c))
	}
	return nil
}

// wantsEqual is the error of a flag's value that became a path, since it isn't joined to the flag by =.
func (f *bfsFlags) wantsEqual(args []string) error {
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil {
			continue
		}
		if l := (localAllToAll{}); f.local == (localAllToAll{on: true}) && l.Set(arg) == nil {
			return usagef("%s: no such file; write --local-all-to-all=%s if it is meant for that", arg, arg)
		}
	}
	return nil
}

// settings are what all processes must have alike.
func settings(cmd *cobra.Command, args []string) []comm.Setting {
	list := []comm.Setting{{Name: "PATH", Value: strings.Join(args, " ")}}
	cmd.Flags().VisitAll(func(x *pflag.Flag) {
		if !slices.Contains(ownFlags, x.Name) {
			list = append(list, comm.Setting{Name: "--" + x.Name, Value: x.Value.String()})
		}
	})
	return list
}
