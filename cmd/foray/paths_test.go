package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// TestPaths: the k shortest paths of pairs, all shortest ones, searches by coordinates, and what is refused.
func TestPaths(t *testing.T) {
	in := write(t, "ways.csv", "src,dst,minutes\na,b,10\na,c,20\nb,d,10\nc,d,5\na,d,40\nx,y,1\n")
	out, told := foray(t, 0, "paths", in, "-s", "a", "-t", "d", "-k", "3", "--weighted", "--weight", "minutes", "-o", "-", "--validate")
	if out != "source,target,number,depth,distance,path\na,d,1,2,20,a;b;d\na,d,2,2,25,a;c;d\na,d,3,1,40,a;d\n" {
		t.Error(out)
	}
	contains(t, told, "paths      3 paths of 1 pair", "first      length 20: a -> b -> d", "valid ")
	out, told = foray(t, 0, "paths", in, "-s", "a", "-s", "b", "-t", "c", "-t", "x", "--shortest", "-o", "-", "--validate")
	if out != "source,target,number,depth,path\na,c,1,1,a;c\nb,c,1,2,b;a;c\nb,c,2,2,b;d;c\n" {
		t.Error(out)
	}
	contains(t, told, "paths      3 paths of 4 pairs; 2 without a path")
	out, told = foray(t, 0, "paths", in, "--pairs", write(t, "p.csv", "src,dst\nd,a\ny,y\n"), "-k", "9", "--limit", "1", "-o", "-")
	if out != "source,target,number,depth,path\nd,a,1,1,d;a\ny,y,1,0,y\n" {
		t.Error(out)
	}
	contains(t, told, "2 paths of 2 pairs")
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64
	places := table(t, "places.parquet", []arrow.Field{{Name: "id", Type: text}, {Name: "x", Type: number}, {Name: "y", Type: number}, {Name: "name", Type: text}},
		[]string{"a", "0", "0", "A"}, []string{"b", "5", "1", "B"}, []string{"c", "0", "9", "C"}, []string{"d", "5", "5", "D"}, []string{"x", "1", "1", "X"}, []string{"y", "1", "2", "Y"})
	located := filepath.Join(t.TempDir(), "ways.foray")
	foray(t, 0, "convert", in, located, "--weights", "--weight", "minutes", "--vertices", places, "--vertex-id", "id", "--vertex-columns", "x,y,name")
	out, told = foray(t, 0, "paths", located, "-s", "a", "-t", "d", "-k", "2", "--weighted", "--coordinates", "x,y", "-o", "-", "--validate")
	if out != "source,target,number,depth,distance,path\na,d,1,2,20,a;b;d\na,d,2,2,25,a;c;d\n" {
		t.Error(out)
	}
	contains(t, told, "scale      0.781")
	_, told = foray(t, 1, "paths", located, "--weighted", "--coordinates", "x,y", "--scale", "2")
	contains(t, told, "--scale is 2", "the edge from", "is only 0.78")
	_, told = foray(t, 1, "paths", located, "--coordinates", "x,name")
	contains(t, told, `column "name" has no numbers`)
	out, _ = foray(t, 0, "run", in, "--do", "paths -k 2 --source a --target d", "--do", "paths --samples 3 --seed 4")
	contains(t, out, "2 paths of 1 pair", "of 3 pairs")
	for args, want := range map[string]string{
		"--source a":                          "--source and --target go together",
		"--source a --target b --samples 3":   "--samples chooses the pairs",
		"--samples 0":                         "--samples is 0",
		"--top 0":                             "--top is 0",
		"--scale 2":                           "--metric and --scale are for --coordinates",
		"--coordinates x,y --scale -1":        "--scale is -1",
		"--pairs p.csv --source a --target b": "--pairs names both ends",
		"--weight minutes":                    "--weight names the weights that --weighted takes",
		"--sort id -o x.csv":                  "not for paths",
	} {
		_, told := foray(t, 2, append([]string{"paths", in}, strings.Fields(args)...)...)
		contains(t, told, want)
	}
	_, told = foray(t, 1, "paths", in, "--coordinates", "x,y")
	contains(t, told, "--coordinates: ")
	_, told = foray(t, 2, "paths", in, "--coordinates", "x")
	contains(t, told, "name two columns")
}
