package bench

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const rivalHead = "system,version,graph,algorithm,machine,date,ms,gteps,source,note\n"

// TestReadRivals: columns may be in any order, and those that may be empty may be missing; everything else that is wrong is one
// line with its number.
func TestReadRivals(t *testing.T) {
	got, err := ReadRivals(strings.NewReader("\ufeffms,system,source,graph,algorithm,date,machine\r\n16.4 18 16,GAP,\"here, there\",kron20, bfs   --parents ,2026-11-21,two cores\r\n"))
	if err != nil || len(got) != 1 || got[0].MedianMS() != 16.4 || got[0].Name() != "GAP" || got[0].Algorithm != "bfs --parents" || got[0].Source != "here, there" {
		t.Errorf("%+v, %v", got, err)
	}
	row := "GAP,,kron20,bfs,m,2026-11-21,16.4,,s,\n"
	for text, says := range map[string]string{
		"":                           "it is empty",
		"\n\n":                       "it is empty",
		rivalHead:                    "names columns, and has no figures",
		"system,graph\nGAP,kron20\n": "line 1: the column algorithm is missing",
		strings.Replace(rivalHead, "gteps", "gtesp", 1) + row:                `line 1: no column has the name "gtesp"; want system,`,
		strings.Replace(rivalHead, "gteps", "ms", 1) + row:                   "line 1: the column ms is there twice",
		rivalHead + row + "GAP,,kron20\n":                                    "line 3: 3 fields, and line 1 names 10 columns",
		rivalHead + strings.Replace(row, "16.4", "fast", 1):                  `line 2: ms is "fast"`,
		rivalHead + strings.Replace(row, "16.4", "-1", 1):                    `line 2: ms is "-1"`,
		rivalHead + strings.Replace(row, "16.4", "0", 1):                     `line 2: ms is "0"`,
		rivalHead + strings.Replace(row, "16.4", "NaN", 1):                   `line 2: ms is "NaN"`,
		rivalHead + strings.Replace(row, "16.4", "Inf", 1):                   `line 2: ms is "Inf"`,
		rivalHead + strings.Replace(row, "16.4", "1 x", 1):                   `line 2: ms is "x"`,
		rivalHead + strings.Replace(row, "16.4", "", 1):                      "line 2: ms is empty",
		rivalHead + strings.Replace(row, ",,s", ",-2,s", 1):                  `line 2: gteps is "-2"`,
		rivalHead + strings.Replace(row, "-21", "-31", 1):                    `line 2: date is "2026-11-31"`,
		rivalHead + "\n" + row + row:                                         "line 4: GAP has this figure on line 3 already",
		rivalHead + strings.Replace(row, "GAP", "G\x01P", 1):                 "line 2: field 1 has bytes that are no text",
		rivalHead + strings.Replace(row, "GAP", "G\xffP", 1):                 "line 2: field 1 has bytes that are no text",
		rivalHead + strings.Replace(row, "GAP", "G\"AP", 1):                  "line 2: a quote begins or ends within a field",
		rivalHead + strings.Replace(row, "GAP", strings.Repeat("G", 999), 1): "line 2: field 1 has 999 bytes",
		rivalHead + strings.Repeat("\n", 17<<20):                             "more than 16",
	} {
		_, err := ReadRivals(strings.NewReader(text))
		if !errors.Is(err, ErrRivals) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.99q: %v, want %s", text, err, says)
		}
	}
}

// TestLayBeside: a figure is comparable if ours computes as much, of the same graph by any name.
func TestLayBeside(t *testing.T) {
	rivals, err := ReadRivals(strings.NewReader(rivalHead +
		"GAP,1,kron20,bfs --parents,m,2026-11-21,20,,s,\nGunrock,,kron20,bfs,m,2026-11-21,10,,s,\nGAP,1,kron20,pagerank --tolerance 1e-4,m,2026-11-21,10,,s,\nGAP,1,kron21,bfs,m,2026-11-21,10,,s,\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ graph, algorithm, want string }{
		{"gen:kron20", "dobfs", "Gunrock 2; bfs --parents"},
		{"data/kron20.sg", "bfs/hybrid --parents", "GAP 1 4, Gunrock 2; "},
		{"kron20", "pagerank", "; pagerank --tolerance 1e-4"},
		{"kron20", "pagerank --tolerance 1e-4 --weighted", "GAP 1 2; "},
		{"gen:kron20:seed=3", "bfs", "; "},
		{"kron20", "cc", "; "},
	} {
		list, others := LayBeside(rivals, c.graph, c.algorithm, 5)
		var got []string
		for _, b := range list {
			got = append(got, fmt.Sprint(b.Rival.Name(), " ", b.Ratio))
		}
		if s := strings.Join(got, ", ") + "; " + strings.Join(others, ", "); s != c.want {
			t.Errorf("%s by %s: %q, want %q", c.graph, c.algorithm, s, c.want)
		}
	}
	r := &Report{Graph: Graph{Name: "gen:kron20"}, Parents: true, Results: []Result{{Algorithm: "dobfs", MedianMS: 5}}}
	if others := r.LayBeside(rivals); len(others) != 0 || len(r.Rivals) != 2 || r.Rivals[0].Algorithm != "dobfs" {
		t.Errorf("%+v, %q", r.Rivals, others)
	}
}

// TestRivalsFile: every figure of rivals.csv stands in the section that its source names.
func TestRivalsFile(t *testing.T) {
	f, err := os.Open("rivals.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rivals, err := ReadRivals(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rivals {
		file, anchor, _ := strings.Cut(r.Source, "#")
		text, err := os.ReadFile("../" + file)
		if err != nil {
			t.Fatal(err)
		}
		section := sectionOf(string(text), anchor)
		if section == "" {
			t.Errorf("%s has no section %s", file, anchor)
		}
		section = strings.ReplaceAll(section, ",", "") // of thousands
		figures := append([]float64{r.GTEPS}, r.MS...)
		for _, x := range figures {
			found := x == 0
			for _, n := range number.FindAllString(section, -1) {
				v, err := strconv.ParseFloat(n, 64)
				found = found || err == nil && v == x
			}
			if !found {
				t.Errorf("%s has no %v, which rivals.csv takes from there for %s of %s by %s", r.Source, x, r.Algorithm, r.Graph, r.Name())
			}
		}
	}
}

var number = regexp.MustCompile(`\d+(\.\d+)?`)

// sectionOf returns what stands under a heading, as links of Markdown name it, up to the next heading of its level or above.
func sectionOf(text, anchor string) string {
	var section []string
	level := 0
	for _, l := range strings.Split(text, "\n") {
		if hashes := len(l) - len(strings.TrimLeft(l, "#")); hashes > 0 {
			if level > 0 && hashes <= level {
				break
			}
			name := strings.ToLower(strings.Trim(l, "# "))
			name = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(name, "")
			if strings.ReplaceAll(name, " ", "-") == anchor {
				level = hashes
			}
		}
		if level > 0 {
			section = append(section, l)
		}
	}
	return strings.Join(section, "\n")
}

// TestQuartiles: quartiles are in proportion between two values.
func TestQuartiles(t *testing.T) {
	for _, c := range []struct {
		values       []float64
		first, third float64
	}{{nil, 0, 0}, {[]float64{3}, 3, 3}, {[]float64{5, 1}, 2, 4}, {[]float64{5, 1, 3, 2, 4}, 2, 4}, {[]float64{4, 3, 2, 1}, 1.75, 3.25}} {
		if first, third := Quartiles(c.values); first != c.first || third != c.third {
			t.Errorf("%v: %v and %v, want %v and %v", c.values, first, third, c.first, c.third)
		}
	}
}

// FuzzReadRivals: a table that is read can be compared; everything else is one line.
func FuzzReadRivals(f *testing.F) {
	f.Add(rivalHead + "GAP,1,kron20,bfs --parents,m,2026-11-21,20 21,9,s,n\n")
	f.Add("ms,system,source,graph,algorithm,date,machine\n1,a,b,c,dobfs/x,2026-11-21,\"d\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		rivals, err := ReadRivals(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrRivals) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, r := range rivals[:min(len(rivals), 9)] {
			list, _ := LayBeside(rivals, r.Graph, r.Algorithm, 2)
			if r.Task() == "" || r.Name() == "" || !(r.MedianMS() > 0) || len(list) == 0 || !(list[0].Ratio > 0) {
				t.Fatalf("%+v: %+v", r, list)
			}
		}
	})
}
