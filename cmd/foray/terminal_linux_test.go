// This file tests what comes out of a terminal.

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDataOnTerminal: data is shown on a terminal, which doesn't obey it.
func TestDataOnTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs pseudo-terminals (/dev/ptmx): ", err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("needs pseudo-terminals (/dev/ptmx): ", err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs pseudo-terminals (/dev/ptmx): ", err)
	}
	defer screen.Close()
	in := write(t, "e.csv", "src,dst\n\x1b]0;owned\a,b\n\u009b31m,\u202eb\n")
	path := screen.Name()
	for _, args := range [][]string{{"bfs", in, "-o", "-"}, {"bfs", in, "-o", path}, {"bfs", in, "-o", path, "--format", "jsonl"}, {"convert", in, path, "--format", "csv"}, {"cc", in, "-o", path}} {
		var out, errs bytes.Buffer
		stdout := io.Writer(&out)
		if args[3] == "-" {
			stdout = screen
		}
		if status := run(args, stdout, &errs); status != 0 {
			t.Fatalf("%s: %s", args, errs.String())
		}
		if _, err := screen.WriteString("end\n"); err != nil {
			t.Fatal(err)
		}
		var got []byte
		for buf := make([]byte, 4096); !bytes.Contains(got, []byte("end")); {
			n, err := master.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, buf[:n]...)
		}
		s := string(got)
		if strings.ContainsAny(s+errs.String(), "\x1b\a\u009b\u202e") || !strings.Contains(s, `1b]0;owned`) || !strings.Contains(s, `u009b31m`) || !strings.Contains(s, `u202eb`) {
			t.Errorf("%s: %q", args, s)
		}
	}
}

// TestControlCharactersInMessages: ids, columns and paths that a terminal would obey
// are escaped in errors, notes and tables.
func TestControlCharactersInMessages(t *testing.T) {
	const bad = "\x1b]0;owned\a\u009b31m\u202ex"
	in := write(t, "e.csv", "src,dst,"+bad+"\n"+bad+",b,1\n")
	parquet := filepath.Join(t.TempDir(), "e.parquet")
	for _, args := range [][]string{
		{"info", in}, {"bfs", in}, {"bfs", in, "--source", bad + "y"}, {"info", bad}, {"info", "gen:" + bad}, {"info", in, "--src", bad + "z"},
		{"convert", in, parquet}, {"info", parquet, "--where", bad}, {"info", parquet, "--src", bad}, {bad}, {"info", in, "--" + bad}, {"info", in, "--ids", bad},
		{"run", in, "--do", bad}, {"info", "s3://" + bad}, {"info", in, "--limits", bad}, {"cc", in}, {"convert", in, bad + ".x"},
	} {
		var out, errs bytes.Buffer
		run(args, &out, &errs)
		if s := out.String() + errs.String(); strings.ContainsAny(s, "\x1b\a\u009b\u202e") || s == "" {
			t.Errorf("%q: %q", args, s)
		}
	}
}
