// This file is what the commands do.

package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Run generates for folders, the present one if there are none. With check it only compares,
// with dump it prints what methods were translated to, and writes no file. It reports which files
// it removed.
func Run(ctx context.Context, dirs []string, check, dump bool, out io.Writer) error {
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var wrong Errors
	for _, dir := range dirs {
		if dir == "" {
			return errors.New("the name of a folder is empty")
		}
		err := one(ctx, dir, check, dump, out)
		var list Errors
		switch {
		case errors.As(err, &list):
			wrong = append(wrong, list...) // the other packages may have more
		case err != nil:
			return err
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

func one(ctx context.Context, dir string, check, dump bool, out io.Writer) error {
	switch {
	case check:
		return Check(ctx, dir)
	case dump:
		_, functors, err := Text(ctx, dir)
		for _, f := range functors {
			if _, err := fmt.Fprint(out, f); err != nil {
				return err
			}
		}
		return err
	}
	removed, err := write(ctx, dir)
	if err != nil || removed == "" {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: removed, since no struct is marked //foray:functor any more\n", removed)
	return err
}
