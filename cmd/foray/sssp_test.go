// This file holds tests of the sssp command.

package main

import (
	"strings"
	"testing"
)

// TestShortestPaths finds distances, parents and paths of a small directed graph.
func TestShortestPaths(t *testing.T) {
	path := write(t, "g.csv", "a,b,weight\nx,y,1.5\ny,z,2\nx,z,5\nq,r,1\n")
	for args, want := range map[string]string{
		"--source x":                            "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,3.5\n",
		"--source x --parents":                  "vertex,distance,parent\nq,,\nr,,\nx,0,x\ny,1.5,x\nz,3.5,y\n",
		"--source x --limit 2":                  "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,\n",
		"--source x --target y":                 "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,\n",
		"--source x --reached-only":             "vertex,distance\nx,0\ny,1.5\nz,3.5\n",
		"-s x -t z -t r --paths":                "target,depth,distance,path\nz,2,3.5,x;y;z\nr,-1,,\n",
		"-s x -s q -t r --paths":                "target,depth,distance,path\nr,1,1,q;r\n",
		"-s x --delta 0.1 --prepare":            "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,3.5\n",
		"-s x -t r -t z --paths --reached-only": "target,depth,distance,path\nz,2,3.5,x;y;z\n",
	} {
		stdout, stderr := foray(t, 0, strings.Fields("sssp "+path+" --directed --order given -o - --validate "+args)...)
		if stdout != want {
			t.Errorf("%s: %s\n%s", args, stdout, stderr)
		}
	}
}
