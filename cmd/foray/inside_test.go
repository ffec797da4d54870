// This file tests that commands don't write over what they read.

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// TestReplacedInput: convert and bfs neither replace what they read nor write where
// the next run would read it.
func TestReplacedInput(t *testing.T) {
	dir := t.TempDir()
	club, data := absolute(karate), []byte(read(t, karate))
	t.Chdir(dir)
	for _, d := range []string{"lake/sub", "other"} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one.parquet", "lake/a.parquet", "lake/sub/b.parquet", "other/c.parquet"} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"link.parquet": "one.parquet", "into.parquet": "lake/a.parquet", "lake/out.parquet": "../other/c.parquet", "ln": "lake"} {
		if err := os.Symlink(to, from); err != nil {
			testlong.Without(t, "needs symbolic links", err)
		}
	}
	if err := os.Link("one.parquet", "hard.parquet"); err != nil {
		testlong.Without(t, "needs hard links", err)
	}
	foray(t, 0, "convert", club, "g.foray")
	foray(t, 0, "convert", club, "x.el")
	if err := os.Rename("x.el", "x.svg"); err != nil {
		t.Fatal(err)
	}
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	f.Put("lake", "in/a.parquet", data)
	if err := os.CopyFS("club", os.DirFS(filepath.Join(filepath.Dir(club), "karate.graphar"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("club/vertex/member/of_name/chunk0", "chunk.parquet"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	for _, args := range []string{
		"convert one.parquet one.parquet", "convert ./one.parquet D/one.parquet", "convert one.parquet link.parquet", "convert link.parquet one.parquet",
		"convert one.parquet hard.parquet", "convert K one.parquet one.parquet", "convert one.* one.parquet", "convert g.foray g.foray",
		"convert lake into.parquet", "convert lake other/c.parquet", "convert lake/* lake/sub/c.parquet", "convert s3://lake/in/a.parquet s3://lake/in/a.parquet",
		"convert K one.parquet --edges one.parquet;src=src",
		"bfs one.parquet -o one.parquet", "bfs link.parquet -o one.parquet", "bfs K one.parquet -o hard.parquet", "bfs g.foray -o g.foray --format parquet",
		"bfs K --edges one.parquet;src=src -o one.parquet", "bfs K --vertices one.parquet --vertex-id src -o one.parquet",
		"bfs x.svg --input-format text --plot x.svg", "bfs x.svg --input-format text -o x.svg --format csv",
		"bfs s3://lake/in/a.parquet -o s3://lake/in/a.parquet", "bfs lake -o lake/r.parquet", "bfs lake/ -o lake/sub/r.arrow", "bfs ln -o lake/r.parquet",
		"bfs lake -o ln/r.parquet", "bfs lake -o into.parquet", "bfs lake/*.parquet -o lake/r.parquet", "bfs lake/* -o lake/sub/r.parquet",
		"bfs s3://lake/in/ -o s3://lake/in/r.parquet", "bfs s3://lake/in/* -o s3://lake/in/r.parquet",
		"bfs lake -o lake/out --partition-by depth", "bfs lake -o ln/sub/out --partition-by depth", "bfs lake -o lake --partition-by depth",
		"bfs lake/* -o lake/out --partition-by depth", "bfs lake/*/depth=[1-9]/*.parquet lake -o lake/out --partition-by depth",
		"bfs s3://lake/in/ -o s3://lake/in/out --partition-by depth", "bfs s3://lake/in -o s3://lake/in/ --partition-by depth",
		"bfs K --edges lake;src=src -o lake/r.parquet",
		"bfs club/it.graph.yml -o club/member.vertex.yml --format csv", "bfs club/*.graph.yml -o club/vertex/member/id_more/chunk1 --format parquet",
		"bfs club/member_knows_member.edge.yml -o ADJ/adj_list/part0/chunk1 --format parquet", "bfs club/it.graph.yml -o ADJ/offset/chunk0 --format parquet",
		"bfs club/it.graph.yml -o chunk.parquet", "bfs club/it.graph.yml -o ADJ/vertex_count --format csv", "bfs club/it.graph.yml -o club/vertex/member/vertex_count --format csv",
		"bfs club/it.graph.yml -o ADJ/edge_count0 --format csv", "bfs club/it.graph.yml -o ADJ/adj_list/part0/chunk7 --format parquet",
		"convert club/it.graph.yml ADJ/adj_list/part0/chunk0 --format parquet", "bfs K --vertices x.svg --plot x.svg",
	} {
		_, errs := foray(t, 2, strings.Fields(strings.NewReplacer("D/", dir+"/", "K", club, "ADJ", "club/edge/member_knows_member/ordered_by_source").Replace(args))...)
		if !strings.Contains(errs, "which is read: reading that again would read the output") || !strings.Contains(errs, "; write it elsewhere") {
			t.Errorf("%s: %s", args, errs)
		}
	}
	for _, args := range []string{"bfs club/it.graph.yml -o club/vertex/member/id_more/r.parquet", "bfs club/it.graph.yml -o club/chunk1 --format parquet"} {
		_, errs := foray(t, 2, strings.Fields(args)...)
		contains(t, errs, "it lies in the table club: a table's directory is for its own files; write it elsewhere")
	}
	_, errs := foray(t, 2, "bfs", club, "--edges", "lake", "-o", "lake", "--partition-by", "depth", "--overwrite")
	contains(t, errs, "--overwrite: lake is read")
	if n := len(f.Requests()); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("%s, before it was %s", after, before)
	}
	// Outputs that aren't read again are allowed there.
	for _, args := range []string{
		"bfs lake/* --follow-links -o lake/sub/r.csv", "bfs lake --follow-links -o lake/r.csv", "bfs lake --follow-links -o lake/_r.parquet", "bfs lake --follow-links -o lake/csv --partition-by depth --format csv", "bfs lake --follow-links -o lake/_out --partition-by depth",
		"bfs one.parquet -o two.parquet", "bfs lake --follow-links -o lake2.parquet --plot lake/x.svg", "bfs lake/*.parquet --follow-links -o lake/sub/r.parquet",
		"bfs s3://lake/in/ -o s3://lake/inner.parquet", "bfs s3://lake/in/a.parquet -o s3://lake/in/b.parquet", "bfs s3://lake/in/a.parquet -o s3://lake/in/out --partition-by depth",
		"bfs gen:urand5 -o gen.parquet", "bfs one.parquet -o /dev/null --format csv",
	} {
		foray(t, 0, append(strings.Fields(args), "--order", "given")...)
	}
}

// tree lists what is below a directory, with contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(name) != "ln" {
			all.WriteString(name + " " + fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, name)))) + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestSameOutputs: -o and --plot aren't one file, whose second writer would replace
// what the first one wrote.
func TestSameOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("d/e", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("old.svg", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"ln": "d", "to-old.svg": "old.svg", "d/again.svg": "../to-old.svg"} {
		if err := os.Symlink(to, from); err != nil {
			testlong.Without(t, "needs symbolic links", err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"-o x.svg --plot x.svg", "-o ./x.svg --plot x.svg", "-o d/../x.svg --plot x.svg", "-o x.svg --plot D/x.svg", "-o d/x.svg --plot ln/x.svg",
		"-o old.svg --plot to-old.svg", "-o to-old.svg --plot old.svg", "-o d/again.svg --plot ln/../old.svg", "-o d/again.svg --plot to-old.svg",
	} {
		_, errs := foray(t, 2, strings.Fields("bfs gen:path:3 --format csv "+strings.ReplaceAll(args, "D/", dir+"/"))...)
		contains(t, errs, "-o and --plot", "are the same file")
	}
	if left, err := filepath.Glob("x*.svg"); err != nil || len(left) > 0 || read(t, "old.svg") != "" {
		t.Errorf("left behind: %s %v, old.svg: %s", left, err, read(t, "old.svg"))
	}
	for _, args := range []string{"-o x.svg --plot d/x.svg", "-o - --plot y.svg", "-o x.csv --plot x.svg"} {
		foray(t, 0, strings.Fields("bfs gen:path:3 --format csv "+args)...)
	}
}
