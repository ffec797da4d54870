// This file tests that texts which are read together have their edges in the same columns.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestTextsAlike(t *testing.T) {
	dir := t.TempDir()
	n := 0
	for _, x := range []struct {
		a, b string // the texts
		args []string
		want string // the edges, or the error
	}{
		{a: "user,item\n1,2\n", b: "item,user\n4,3\n", want: "%s: unclear columns: its edges are in \"item\" and \"user\", and those of %s in \"user\" and \"item\"; name the columns of all texts in --src and --dst"},
		{a: "user,item\n1,2\n", b: "item,user\n4,3\n", args: []string{"--src", "user", "--dst", "item"}, want: "1,2\n3,4\n"},
		{a: "user,item\n1,2\n", b: "x,y\n3,4\n", args: []string{"--two-pass"}, want: "%s: unclear columns: its edges are in \"x\" and \"y\", and those of %s in \"user\" and \"item\""},
		{a: "src,dst\n1,2\n", b: "x,y\n3,4\n", want: "%s: unclear columns: its edges are in \"x\" and \"y\", and those of %s in \"src\" and \"dst\""},
		{a: "src,dst\n1,2\n", b: "x,y\n3,4\n", args: []string{"--src", "src", "--dst", "dst"}, want: "%s:1: --src names column \"src\", but the columns are \"x\", \"y\""},
		{a: "user,item\n1,2\n", b: "User,Item\n3,4\n", args: []string{"--two-pass"}, want: "1,2\n3,4\n"},
		{a: "src,dst\n1,2\n", b: "target,source\n4,3\n", want: "1,2\n3,4\n"}, // names tell
		{a: "user,item\n1,2\n", b: "3,4\n", want: "1,2\n3,4\n"},              // a list that was split
		{a: "dst,src\n2,1\n", b: "4,3\n", want: "%s: unclear columns: its edges are in columns 1 and 2, without a header, and those of %s in \"src\" and \"dst\""},
		{a: "1,2\n", b: "x,src,dst\n0,3,4\n", want: "%s: unclear columns: its edges are in \"src\" and \"dst\", and those of %s in columns 1 and 2, without a header; give all texts a header"},
		{a: "src,dst,a\n1,2,5\n", b: "src,dst,b\n3,4,6\n", want: "1,2\n3,4\n"},
		{a: "src,dst,a\n1,2,5\n", b: "src,dst,b\n3,4,6\n", args: []string{"--weights"}, want: "%s: unclear columns: its weights are in \"b\", and those of %s in \"a\"; name the column of all texts in --weight"},
		{a: "src,dst,weight\n1,2,5\n", b: "3,4,6\n", args: []string{"--weights"}, want: "1,2,5\n3,4,6\n"},
		{a: "src,dst\n1,2\n", b: "{\"item\":3,\"user\":4}\n", want: "%s: unclear columns: its edges are in \"item\" and \"user\", and those of %s in \"src\" and \"dst\""},
	} {
		n++
		a, b := filepath.Join(dir, fmt.Sprint(n, "a.csv")), filepath.Join(dir, fmt.Sprint(n, "b.csv"))
		if x.b[0] == '{' {
			b = filepath.Join(dir, fmt.Sprint(n, "b.jsonl"))
		}
		if err := os.WriteFile(a, []byte(x.a), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(b, []byte(x.b), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"convert", a, b, "-", "--directed"}, x.args...)
		if x.want[0] == '%' {
			_, errs := foray(t, 1, args...)
			want := fmt.Sprintf(x.want, b, a)
			if x.args != nil && x.args[0] == "--src" {
				want = fmt.Sprintf(x.want, b)
			}
			contains(t, errs, want)
			continue
		}
		if out, _ := foray(t, 0, args...); out != "src,dst\n"+x.want && out != "src,dst,weight\n"+x.want {
			t.Errorf("%q and %q %v: %q, want %q", x.a, x.b, x.args, out, x.want)
		}
	}
}
