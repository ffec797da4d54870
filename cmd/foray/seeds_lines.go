// This file reads lists of an id a line.

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/foray-graph/foray/internal/text"
)

// readLines reads a list of an id a line.
func (c *seedText) readLines(ctx context.Context, f io.Reader) error {
	in := bufio.NewReaderSize(f, 1<<16)
	var line []byte
	for no := 1; ; no++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line = line[:0]
		var err error
		for more := true; more; {
			var part []byte
			part, err = in.ReadSlice('\n')
			line = append(line, part...)
			if more = errors.Is(err, bufio.ErrBufferFull); len(line) > maxSeedLine {
				return fmt.Errorf("%s:%d: the line is longer than %s; write an id a line", c.path, no, text.Bytes(maxSeedLine))
			}
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		if no == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		switch id := strings.TrimSpace(string(line)); {
		case id == "":
		case c.commented(line, id):
			c.l.comments++
		default:
			if err := c.row([]string{id}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// commented reports whether a line of a list is a comment: by default one that begins with #.
func (c *seedText) commented(line []byte, id string) bool {
	switch c.l.comment {
	case 0:
		return id[0] == '#'
	case noComment:
		return false
	}
	return line[0] == c.l.comment
}
