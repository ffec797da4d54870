// This file tests what shells complete.

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletes(t *testing.T) {
	csv := write(t, "a.csv", "user,follows,since\n1,2,3\n")
	people := write(t, "v.csv", "key,name\n1,x\n2,y\n")
	prepared := filepath.Join(t.TempDir(), "k.foray")
	foray(t, 0, "convert", karate, prepared)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"bfs", karate, "--src", ""}, []string{"src\n", "dst\n"}},
		{[]string{"bfs", karate, "--src", "src,"}, []string{"src,dst\n"}},
		{[]string{"bfs", csv, "--dst", ""}, []string{"user\n", "follows\n", "since\n"}},
		{[]string{"sssp", csv, "--weight", "s"}, []string{"since\n"}},
		{[]string{"info", karate, "--column", ""}, []string{"src\n", "dst\n"}},
		{[]string{"append", prepared, csv, "--src", ""}, []string{"user\n"}},
		{[]string{"cc", karate, "--vertices", people, "--vertex-id", ""}, []string{"key\n", "name\n"}},
		{[]string{"bfs", karate, "--device", ""}, []string{"auto\n", "host\n"}},
		{[]string{"bench", "paper", "--device", "h"}, []string{"host\n"}},
		{[]string{"bench", karate, "--algo", "bfs,p"}, []string{"bfs,pagerank\n"}},
		{[]string{"bfs", karate, "--algo", ""}, []string{"auto\nbfs\ndobfs\n"}},
		{[]string{"run", karate, "--do", "cc,"}, []string{"cc,bfs\n", "cc,pagerank\n"}},
		{[]string{"bench", "paper", "--scale", ""}, []string{"small\nmedium\npaper\n"}},
		{[]string{"bfs", "/no/such.parquet", "--src", ""}, []string{":"}},
		{[]string{"completion", ""}, []string{"bash\nzsh\n"}},
		{[]string{"help", ""}, []string{"bfs\n", "exit-codes\n"}},
	} {
		out, errs := foray(t, 0, append([]string{"__complete"}, c.args...)...)
		contains(t, out, c.want...)
		if errs != "" {
			t.Errorf("%q beside the completions of %s", errs, c.args)
		}
	}
	// Flags are described in a line, without the marks of help.
	for _, cmd := range commands(t) {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		out, _ := foray(t, 0, append(append([]string{"__complete"}, strings.Fields(cmd.CommandPath())[1:]...), "--")...)
		for line := range strings.Lines(out) {
			if strings.ContainsAny(line, "`") || len(line) > 130 {
				t.Errorf("%s: %s", cmd.CommandPath(), line)
			}
		}
	}
	out, _ := foray(t, 0, "__complete", "bfs", "--s")
	contains(t, out, "--s3-region\tregion of the store (default AWS_REGION, AWS_DEFAULT_REGION, the configuration file, or us-east-1)\n", "--source\tvertex to start from (default: the largest degree)\n", "--snapshot\ttables of Iceberg and Delta Lake: the SNAPSHOT to read")
}
