package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// forPrograms are messages about options that no flag sets, or that the command replaces with its own message.
var forPrograms = []string{
	// Options that the command doesn't set.
	"Options.FS: ", "WriteOptions.Stdout: ", "Options.Part is", "Options.DeviceOnly", "Options.Device: ", "Options.Fold names", "Options.Fold has", "Options.Fold with", "Options.Combine is", "AppendOptions.Combine is", "S3Options.Anonymous", "WriteOptions.RowGroup",
	"Options.Vertices.Properties with records", "Options.Vertices has no Paths", "Options.Graph.Vertices asks for", "Options.Vertices is ", "set Options.Vertices to their number", "lower Options.Vertices",
	// Values that its flags don't let through, and combinations that it refuses.
	"Options.Order is", "Options.AsOf is set, but", "Options.Vertices.SkipUnknown is set", "search with Options.Parents",
	// Arrays of a result that the command asks for.
	"set Options.ByID", "to Options.Outputs", "set Options.Parents",
	// Options of operators, and of engines.
	"Options.From: ", "in Options.From;", "Options.Engine",
}

// TestMessagesNameFlags: a message of a library that names an option in Go names the flag on the command line.
func TestMessagesNameFlags(t *testing.T) {
	option := regexp.MustCompile(`Options\.[A-Z]|\(graph\.\w+`)
	var written func(e ast.Expr) string
	written = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			if e.Kind == token.STRING {
				s, _ := strconv.Unquote(e.Value)
				return s
			}
		case *ast.BinaryExpr:
			return written(e.X) + written(e.Y)
		}
		return ""
	}
	seen := 0
	for _, dir := range []string{"io", "graph", "algos", "internal/text", "internal/files", "operators", "traverse"} {
		err := filepath.WalkDir(filepath.Join("..", "..", filepath.FromSlash(dir)), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				if _, other := os.Stat(filepath.Join(path, "go.mod")); other == nil { // another module, which the command doesn't link
					return filepath.SkipDir
				}
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if !ok || written(e) == "" {
					return true
				}
				s := written(e)
				for _, known := range forPrograms {
					if strings.Contains(s, known) {
						return false
					}
				}
				seen++
				if got := oneLine(errors.New(s)); strings.Contains(got, " ") && option.MatchString(got) {
					t.Errorf("%v: the command says %q, which names an option in Go; errors.go puts such names in terms of flags", set.Position(e.Pos()), got)
				}
				return false
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 1000 {
		t.Errorf("only %d texts were looked at", seen)
	}
}

// TestRemediesAreFlags: remedies for Go programs become remedies of the command line.
func TestRemediesAreFlags(t *testing.T) {
	edges := write(t, "a.csv", "src,dst\n1,2\n2,3\n")
	_, errs := foray(t, 1, "bfs", edges, "--vertices", edges, "--source", "1")
	contains(t, errs, "name it in --vertex-id, or, if the line is a vertex, set --header false; the columns are")
	foray(t, 0, "bfs", edges, "--vertices", edges, "--source", "1", "--header", "false")

	weighted := write(t, "a.wel", "1 2 9007199254740993\n2 3 4\n")
	prepared := filepath.Join(t.TempDir(), "a.foray")
	foray(t, 0, "convert", weighted, prepared, "--weights", "--directed", "--reverse=false")
	for _, args := range [][]string{{"bc"}, {"lpa"}, {"louvain"}, {"leiden"}, {"degree"}, {"eigenvector"}, {"hits"}, {"katz"}, {"pagerank"}, {"cc", "--strong"}} {
		_, errs := foray(t, 1, append(args, prepared)...)
		contains(t, errs, "no reverse graph: ", "convert the edges again, without --reverse=false\n")
	}
	out, _ := foray(t, 0, "sssp", prepared, "--prepare")
	if strings.Contains(out, "Options") || strings.Contains(out, "graph.") {
		t.Errorf("sssp --prepare names options of Go:\n%s", out)
	}
	table := filepath.Join(t.TempDir(), "a.parquet")
	foray(t, 0, "convert", weighted, table, "--weights")
	_, errs = foray(t, 1, "convert", table, prepared, "--weights", "--edge-ids", "--two-pass")
	contains(t, errs, "--two-pass has no room for edge ids beside weights that need 64 bits; leave out --two-pass, or give --weight-type float32")
	// Whether rows by weight were searched is in the JSON too, for those who don't read the lines.
	heavy := write(t, "heavy.foray", "")
	foray(t, 0, "convert", "gen:kron12:weights=1:99", heavy, "--weights")
	for flag, by := range map[string]string{"--prepare": "true", "--prepare=never": "false", "--workers=2": "false"} {
		out, _ := foray(t, 0, "sssp", heavy, "--source", "1", flag, "--json", "--device", "host")
		contains(t, out, `"by_weight": `+by)
	}
}

// TestIDsOfTwoTypes: if inputs have ids of different types, the error names two inputs and a remedy.
func TestIDsOfTwoTypes(t *testing.T) {
	ids := func(name string, typ arrow.DataType) string {
		return table(t, name, []arrow.Field{{Name: "src", Type: typ}, {Name: "dst", Type: typ}}, []string{"1", "2"})
	}
	csv, el, words := write(t, "a.csv", "src,dst\n1,2\n"), write(t, "b.el", "1 2\n"), write(t, "w.csv", "src,dst\na,b\n")
	narrow, long, texts := ids("n.arrow", arrow.PrimitiveTypes.Uint32), ids("l.arrow", arrow.PrimitiveTypes.Uint64), ids("s.arrow", arrow.BinaryTypes.String)
	for _, c := range []struct {
		in     []string
		want   string
		remedy []string // flags with which it works
	}{
		{[]string{csv, el, narrow}, narrow + ": wrong id type: its ids are uint32, and those of " + csv + " int64; write " + narrow + " as text (foray convert), whose ids --ids reads as one type\n", nil},
		{[]string{csv, long}, long + ": wrong id type: its ids are uint64, and those of " + csv + " int64; --ids uint64 reads text like that\n", []string{"--ids", "uint64"}},
		{[]string{texts, csv}, texts + ": wrong id type: its ids are string, and those of " + csv + " int64; --ids string reads text like that\n", []string{"--ids", "string"}},
		{[]string{csv, words}, words + ": wrong id type: its ids are string, and those of " + csv + " int64; --ids string reads all of them as strings\n", []string{"--ids", "string"}},
	} {
		for _, args := range [][]string{{"info"}, {"bfs", "--two-pass"}, {"convert"}} {
			if args = append(args, c.in...); args[0] == "convert" {
				args = append(args, filepath.Join(t.TempDir(), "o.parquet"))
			}
			_, errs := foray(t, 1, args...)
			contains(t, errs, "foray: ", c.want)
			if c.remedy != nil {
				foray(t, 0, append(args, c.remedy...)...)
			}
		}
	}
}
