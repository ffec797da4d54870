// This file tests what comes out of a terminal.

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDataOnTerminal: data is shown on a terminal, which doesn't obey it.
func TestDataOnTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	defer screen.Close()
	in := write(t, "e.csv", "src,dst\n\x1b]0;owned\a,b\n")
	var errs bytes.Buffer
	if status := run([]string{"bfs", in, "-o", "-"}, screen, &errs); status != 0 {
		t.Fatal(errs.String())
	}
	var got []byte
	for buf := make([]byte, 4096); !bytes.Contains(got, []byte("b,")); {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, buf[:n]...)
	}
	if s := string(got); strings.ContainsAny(s, "\x1b\a") || !strings.Contains(s, `\x1b]0;owned\x07`) {
		t.Errorf("%q", s)
	}
}
