// This file holds the PATH -, standard input. What isn't said to be text is copied to a
// temporary file, since Parquet and Arrow files are read from their ends.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/ctxfile"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
)

// stdinMost is the maximum number of bytes of standard input that are copied, unless --limits pipe sets more.
const stdinMost = 8 << 30

// temporary is the directory of a run's temporary files.
type temporary struct {
	dir     string
	scratch *atomicfile.Scratch
	copy    *os.File // of standard input, which has no name
}

type temporaryKey struct{}

// withTemporary returns a context that has a place for temporary files.
func withTemporary(ctx context.Context) (context.Context, *temporary) {
	t := &temporary{}
	return context.WithValue(ctx, temporaryKey{}, t), t
}

// remove removes the files.
func (t *temporary) remove() error {
	if t.scratch == nil {
		return nil
	}
	err := t.scratch.Remove()
	if t.copy != nil {
		err = errors.Join(err, t.copy.Close())
	}
	return err
}

// shown is a message in which the copy of standard input is called what the user calls it.
func (t *temporary) shown(message string) string {
	if t.dir == "" {
		return message
	}
	for _, end := range stdinEnds {
		message = strings.ReplaceAll(message, filepath.Join(t.dir, "stdin"+end), "-")
	}
	return message
}

var stdinEnds = []string{".parquet", ".arrows", ".arrow", ".txt.gz", ".txt.zst", ".jsonl", ".txt"} // none before one that it begins

// stdinEnd returns how the name of a file ends that begins so.
func stdinEnd(begin []byte) string {
	switch {
	case bytes.HasPrefix(begin, []byte("PAR1")), bytes.HasPrefix(begin, []byte("PARE")):
		return ".parquet"
	case bytes.HasPrefix(begin, []byte("ARROW1")):
		return ".arrow"
	case bytes.HasPrefix(begin, []byte{0xff, 0xff, 0xff, 0xff}):
		return ".arrows"
	case bytes.HasPrefix(begin, []byte{0x1f, 0x8b}):
		return ".txt.gz"
	case bytes.HasPrefix(begin, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return ".txt.zst"
	case beginsObject(begin):
		return ".jsonl"
	}
	return ".txt"
}

// beginsObject reports whether an object of JSON begins so, perhaps with blanks around its bracket.
func beginsObject(begin []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\ufeff")), " \t\r\n"), []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n") // an object over several lines is no JSON line, which its reader says
	return ok && (len(rest) == 0 || rest[0] == '"')
}

// stdin returns the path by which standard input is read.
func (f *inputFlags) stdin(ctx context.Context) (string, error) {
	if f.inFormat.value != "auto" && !f.columnar() {
		return "/dev/stdin", nil // as it comes
	}
	t, ok := ctx.Value(temporaryKey{}).(*temporary)
	if !ok || t.dir != "" {
		return "", usagef("- is standard input, which can be read once")
	}
	var source io.Reader = os.Stdin
	if f, err := ctxfile.OpenFile(ctx, "/dev/stdin", os.O_RDONLY, 0); err == nil { // it can be opened: it isn't a socket, for example
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			atomicfile.NoteFile(ctx, "-", info)
		}
		source = f
	}
	var begin [8]byte
	n, err := io.ReadFull(source, begin[:])
	switch {
	case errors.Is(err, io.EOF):
		return "", errors.New("-: standard input is empty")
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return "", fmt.Errorf("-: %w", err)
	}
	if t.scratch, err = atomicfile.NewScratch(os.TempDir(), "foray-stdin-"); err != nil {
		return "", err
	}
	t.dir = t.scratch.Path
	file, err := os.OpenFile(filepath.Join(t.dir, "copy"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	defer file.Close()
	// It has no name while it is written to either: a process that is killed leaves nothing that takes room.
	var path string
	if path, t.copy, err = t.scratch.Hide(file.Name(), "stdin"+stdinEnd(begin[:n])); err != nil {
		return "", err
	}
	most := int64(f.limits.pipe)
	if most == 0 {
		most = stdinMost
	}
	in := io.MultiReader(bytes.NewReader(begin[:n]), source)
	for copied := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := io.CopyN(file, in, min(1<<20, most+1-copied))
		copied += n
		switch {
		case copied > most:
			return "", limit.Error("--limits pipe=SIZE", text.Bytes(uint64(most)), "-: standard input has more than %s, and is copied to %s", text.Bytes(uint64(most)), os.TempDir())
		case err == io.EOF:
			return path, file.Close()
		case err != nil:
			return "", fmt.Errorf("-: copying standard input to %s: %w", os.TempDir(), err)
		}
	}
}
