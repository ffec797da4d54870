package main

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// TestSimilar: the most similar vertices, pairs of tables, weights, and what is refused.
func TestSimilar(t *testing.T) {
	in := write(t, "bought.csv", "src,dst,stars\na,x,5\na,y,1\nb,x,4\nb,y,1\nc,y,2\nc,z,5\nc,z,1\n")
	out, told := foray(t, 0, "similar", in, "--source", "a", "--source", "c", "-o", "-", "--validate")
	if out != "vertex,neighbor,score\na,b,1\na,c,0.3333333333333333\nc,a,0.3333333333333333\nc,b,0.3333333333333333\n" {
		t.Error(out)
	}
	contains(t, told, "similar    4 pairs of 2 sources, by jaccard", "highest    a and b (1)", "valid ")
	seeds := write(t, "seeds.txt", "c\n")
	out, _ = foray(t, 0, "similar", in, "--sources-from", seeds, "-k", "1", "--measure", "overlap", "-o", "-")
	if out != "vertex,neighbor,score\nc,a,0.5\n" {
		t.Error(out)
	}
	text := arrow.BinaryTypes.String
	pairs := []string{write(t, "pairs.csv", "src,dst\na,b\na,a\nx,z\na,x\n"),
		table(t, "pairs.parquet", []arrow.Field{{Name: "src", Type: text}, {Name: "dst", Type: text}}, []string{"a", "b"}, []string{"a", "a"}, []string{"x", "z"}, []string{"a", "x"})}
	for _, path := range pairs {
		out, told = foray(t, 0, "similar", in, "--pairs", path, "--measure", "cosine", "-o", "-", "--validate")
		if out != "vertex,neighbor,score\na,b,1\na,a,1\nx,z,0\na,x,0\n" {
			t.Error(out)
		}
		contains(t, told, "similar    4 pairs, by cosine", "valid      scores are as defined")
	}
	out, _ = foray(t, 0, "similar", in, "--pairs", pairs[0]+";columns=dst,src", "--measure", "cosine", "--weighted", "--weight", "stars", "-o", "-")
	if !strings.HasPrefix(out, "vertex,neighbor,score\nb,a,0.99") || !strings.Contains(out, "\na,a,1\n") && !strings.Contains(out, "\na,a,0.9999999") {
		t.Error(out)
	}
	once, _ := foray(t, 0, "similar", in, "--source", "c", "--sources-from", seeds, "-k", "1", "-o", "-")
	if strings.Count(once, "\n") != 2 {
		t.Errorf("a source in two flags: %s", once)
	}
	plain, _ := foray(t, 0, "similar", karate, "--pairs", write(t, "plain.csv", "1,34\n2,3\n"), "-o", "-")
	named, _ := foray(t, 0, "similar", karate, "--pairs", write(t, "named.csv", "src,dst\n1,34\n2,3\n"), "-o", "-")
	if plain != named || strings.Count(plain, "\n") != 3 {
		t.Errorf("pairs without a header: %s, with one %s", plain, named)
	}
	_, told = foray(t, 1, "similar", in, "--pairs", write(t, "gap.csv", "src,dst\na,\n"))
	contains(t, told, `in column dst: ""`)
	_, told = foray(t, 1, "similar", in, "--sources-from", write(t, "none.txt", ""))
	contains(t, told, "none.txt has no id")
	one, _ := foray(t, 0, "similar", karate, "--samples", "3", "--seed", "4", "-o", "-")
	two, _ := foray(t, 0, "similar", karate, "--samples", "3", "--seed", "4", "--order", "degree", "-o", "-")
	if one != two || strings.Count(one, "\n") != 31 {
		t.Errorf("%s, by degree %s", one, two)
	}
	out, _ = foray(t, 0, "run", in, "--do", "similar", "--do", "similar --measure adamic-adar -k 2")
	contains(t, out, "by jaccard", "by adamic-adar")
	for args, want := range map[string]string{
		"--top 0":                         "--top is 0",
		"--weighted":                      "--weighted is for --measure cosine",
		"--samples 0":                     "--samples is 0",
		"--samples 2 --source a":          "--samples chooses the vertices",
		"--seed 3":                        "--seed is for --samples",
		"--pairs p.csv --source a":        "--pairs names both vertices",
		"--pairs p.csv;x=3":               "isn't columns=A,B",
		"--pairs ;x=3":                    "begins with the PATH",
		"--measure x":                     "want jaccard, overlap, cosine or adamic-adar",
		"--weight stars":                  "--weight names the weights that --weighted takes",
		"--sort id -o x.csv":              "--sort and --vertex-column are for rows of vertices, not for pairs of vertices",
		"--partition-by vertex -o x.csv":  "--partition-by and --properties are for rows of vertices, not for pairs of vertices",
		"--sources-from seeds.txt;col=12": "isn't column=NAME",
	} {
		_, told := foray(t, 2, append([]string{"similar", in}, strings.Fields(args)...)...)
		contains(t, told, want)
	}
	_, told = foray(t, 1, "similar", in, "--measure", "cosine", "--weighted", "--weight", "stars", "--directed")
	contains(t, told, "--weighted needs an undirected graph without self-loops: leave out --directed")
	for path, want := range map[string]string{
		write(t, "unknown.csv", "src,dst\na,q\n"): "the graph lacks 1 of 1 id in column dst: q",
		write(t, "short.csv", "src,other\na,b\n"): `the header has no column "dst"`,
		"absent.csv": "absent.csv",
	} {
		_, told := foray(t, 1, "similar", in, "--pairs", path)
		contains(t, told, want)
	}
}
