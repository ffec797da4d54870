// This file holds the record of images: for each image a hash of all inputs of the compiler,
// and a hash of the image.

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"sort"
	"strings"

	"github.com/foray-graph/foray/internal/testing/emulator"
)

// recordName is the record's file, below the root.
const recordName = "internal/tools/fatbin/inputs.sum"

// inputs hashes the preprocessed text of an image for every GPU, all commands that nvcc gives to the programs
// that compile it, and what packs it.
func (im image) inputs(version string) (string, error) {
	dir, err := os.MkdirTemp("", "foray-inputs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", version, packer())
	all, _ := im.commands(dir)
	for _, args := range all {
		cmd := exec.Command("nvcc", append([]string{"--dryrun"}, args...)...)
		cmd.Dir = im.root
		said, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%s: %w\n%s", cmd, err, said)
		}
		steps, texts := commands(string(said))
		if len(texts) == 0 || len(texts) == len(steps) {
			return "", fmt.Errorf("%s: it doesn't tell how it preprocesses and compiles\n%s", cmd, said)
		}
		for _, s := range steps {
			fmt.Fprintln(h, steady(s, im.root, dir))
		}
		text := filepath.Join(dir, "text")
		for _, t := range texts {
			// The command is for a shell. Its last words are -o and a file.
			to := strings.LastIndex(t, " -o ")
			if to < 0 {
				return "", fmt.Errorf("%s: a preprocessor without a file: %s", cmd, t)
			}
			pre := exec.Command("sh", "-c", t[:to]+` -o "$1"`, "sh", text)
			pre.Dir, pre.Env = im.root, environment(string(said))
			if said, err := pre.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%s: %s: %w\n%s", im.source, t, err, said)
			}
			b, err := os.ReadFile(text)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%d\n", len(b))
			h.Write(b)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// commands returns the commands that nvcc would run, and those among them that preprocess.
func commands(said string) (steps, texts []string) {
	for _, line := range strings.Split(said, "\n") {
		line, ok := strings.CutPrefix(line, "#$ ")
		if !ok || variable.MatchString(line) {
			continue
		}
		steps = append(steps, line)
		if strings.HasPrefix(line, "gcc ") && strings.Contains(line, " -E ") {
			texts = append(texts, line)
		}
	}
	return steps, texts
}

// environment is the environment of the programs that nvcc runs: its PATH begins with a special folder, where
// Debian has the gcc that nvcc uses.
func environment(said string) []string {
	env := os.Environ()
	for _, line := range strings.Split(said, "\n") {
		if line, ok := strings.CutPrefix(line, "#$ "); ok && strings.HasPrefix(line, "PATH=") {
			env = append(env, line)
		}
	}
	return env
}

var (
	variable  = regexp.MustCompile(`^\w+=`)
	temporary = regexp.MustCompile(`[^" =]*tmpxft_[0-9a-f]+_[0-9a-f]+-\d+_`)
)

// steady replaces the parts of a command that vary: folders and process numbers.
func steady(command, root, dir string) string {
	command = strings.NewReplacer(dir, "OUT", root, "ROOT").Replace(command)
	return temporary.ReplaceAllString(command, "TMP-")
}

// packer is the module and version of the library that packs images.
func packer() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, d := range b.Deps {
			if d.Path == "github.com/klauspost/compress" {
				return d.Path + " " + d.Version + " " + d.Sum
			}
		}
	}
	return ""
}

// A noted image has a hash of its inputs and a hash of the image.
type noted struct{ inputs, image string }

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// record reads the recorded hashes of all images. The file may be missing.
func record(root string) (map[string]noted, error) {
	b, err := os.ReadFile(filepath.Join(root, recordName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string]noted{}
	for _, line := range strings.Split(string(b), "\n") {
		if f := strings.Fields(line); len(f) == 3 { // others, as a merge may leave them, are ignored
			all[f[0]] = noted{f[1], f[2]}
		}
	}
	return all, nil
}

// note records the inputs of an image. Several programs may call it at once.
func note(im image, inputs string, made []byte) error {
	unlock, err := emulator.Lock(filepath.Join(os.TempDir(), "foray-fatbin-"+hash([]byte(im.root))[:16]+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	all, err := record(im.root)
	if err != nil {
		return err
	}
	all[im.file] = noted{inputs, hash(made)}
	var lines []string
	for file, n := range all {
		if _, err := os.Stat(filepath.Join(im.root, file)); err == nil {
			lines = append(lines, file+" "+n.inputs+" "+n.image+"\n")
		}
	}
	sort.Strings(lines)
	return os.WriteFile(filepath.Join(im.root, recordName), []byte(strings.Join(lines, "")), 0o666)
}
