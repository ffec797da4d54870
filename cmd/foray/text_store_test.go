package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// TestTextInStores: text of every format, also compressed, is read from a store as
// from a file; patterns of them too.
func TestTextInStores(t *testing.T) {
	testlong.Project(t)
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	dir := t.TempDir()
	put := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f.Put("lake", "in/"+name, data)
		return filepath.Join(dir, name)
	}
	for _, name := range []string{"a.csv", "a.tsv.gz", "a.el.zst"} {
		foray(t, 0, "convert", karate, filepath.Join(dir, name))
	}
	foray(t, 0, "gen", "kron6", "-o", filepath.Join(dir, "a.sg"))
	foray(t, 0, "gen", "kron6", "--weights", "1:9", "-o", filepath.Join(dir, "b.wsg"))
	for name, text := range map[string]string{"c.mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n", "d.gr": "p sp 3 2\na 1 2 5\na 2 3 7\n",
		"e.csv": "written by a program\nsrc,dst\n1,2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	result := func(args ...string) string {
		out, _ := foray(t, 0, append(append([]string{"bfs"}, args...), "-o", "-")...)
		return out
	}
	for _, name := range []string{"a.csv", "a.tsv.gz", "a.el.zst", "a.sg", "b.wsg", "c.mtx", "d.gr"} {
		local := put(name)
		for _, more := range [][]string{nil, {"--two-pass"}} {
			if got, want := result(append(more, "s3://lake/in/"+name)...), result(append(more, local)...); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
	local := put("e.csv")
	if got, want := result("s3://lake/in/e.csv", "--skip-lines", "1"), result(local, "--skip-lines", "1"); got != want || !strings.Contains(want, "\n1,0") {
		t.Errorf("%s, want %s", got, want)
	}
	f.Put("lake", "all/1.csv", []byte("src,dst\n1,2\n"))
	f.Put("lake", "all/2.csv", []byte("src,dst\n2,3\n"))
	f.Put("lake", "all/_3.csv", []byte("src,dst\n3,4\n"))
	if out, _ := foray(t, 0, "info", "s3://lake/all/*.csv"); !strings.Contains(out, "edges          2,") {
		t.Error(out)
	}
	_, errs := foray(t, 1, "info", "s3://lake/all/none.csv")
	contains(t, errs, "s3://lake/all/none.csv", "no such object")
	_, errs = foray(t, 1, "info", "s3://lake/none/*.csv")
	contains(t, errs, "no object matches")
	// It changes between the first answer and the next one.
	f.Put("lake", "big.csv", []byte("src,dst\n"+strings.Repeat("1,2\n", 5<<20)))
	f.SetFault(func(r tests3.Request) tests3.Fault {
		if r.Op == tests3.Get && r.N > 2 {
			f.Put("lake", "big.csv", []byte("src,dst\n1,2\n"))
		}
		return tests3.Fault{}
	})
	_, errs = foray(t, 1, "info", "s3://lake/big.csv")
	contains(t, errs, "s3://lake/big.csv", "it was changed or removed after it was listed")
}

// TestAddresses: file:// addresses are paths wherever one stands, and others say what to do.
func TestAddresses(t *testing.T) {
	path := absolute(karate)
	dir := t.TempDir()
	lake := filepath.Join(dir, "a b")
	if err := os.Mkdir(lake, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lake, "x.parquet"), []byte(read(t, karate)), 0o666); err != nil {
		t.Fatal(err)
	}
	escaped := "file://localhost" + strings.ReplaceAll(lake, " ", "%20")
	for _, args := range [][]string{{"info", "file://" + path}, {"info", escaped}, {"info", escaped + "/*.parquet"}, {"bfs", karate, "-o", "file://" + lake + "/r.csv"},
		{"info", karate, "--edges", escaped + ";src=src"}, {"info", karate, "--vertices", escaped, "--vertex-id", "src"}, {"convert", "file://" + path, "file://" + dir + "/y.foray"}, {"info", "file://" + dir + "/y.foray"}} {
		foray(t, 0, args...)
	}
	for _, args := range [][]string{{"info", "gs://b/k"}, {"bfs", "az://b/k"}, {"convert", karate, "https://h/x.parquet"}, {"run", "http://h/x.csv", "--do", "cc", "-o", "-"}, {"convert", "file://" + lake + "/x.parquet", filepath.Join(lake, "x.parquet")}} {
		_, errs := foray(t, 2, args...)
		if !strings.Contains(errs, "aren't read; ") && !strings.Contains(errs, "is an input") {
			t.Errorf("%s: %s", args, errs)
		}
	}
	_, errs := foray(t, 2, "cc", karate, "-o", "abfss://b/k.csv")
	contains(t, errs, "-o: results are not written to abfss:// addresses, but to files and S3-compatible stores (s3://BUCKET/KEY)")
	_, errs = foray(t, 2, "cc", karate, "-o", "gs://b/k.csv")
	contains(t, errs, "AWS_ENDPOINT_URL=https://storage.googleapis.com", "write s3://b/k.csv")
}
