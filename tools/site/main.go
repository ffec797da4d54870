// Command site writes the documents of the repository as a site: a folder of HTML that a browser
// opens without a server and without a network. docs/README.md is the sidebar.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the repository")
	out := flag.String("o", "", "the folder to write, which is new or empty")
	flag.Parse()
	if err := run(*root, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(root, out string, rest []string) error {
	if out == "" || len(rest) > 0 {
		return errors.New("name the folder to write, and nothing else: -o DIR")
	}
	files, err := build(os.DirFS(root))
	if err != nil {
		return err
	}
	switch old, err := os.ReadDir(out); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(old) > 0:
		return fmt.Errorf("%s is not empty: remove it, or name another folder", out)
	}
	for name, data := range files {
		to := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%d files: open %s\n", len(files), filepath.Join(out, "index.html"))
	return nil
}
