// This file checks the pictures that documents show.

package doctest

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pictureBytes is how large a picture drawn by hand gets.
const pictureBytes = 6 << 10

// malformed returns why a picture is no XML; nil if it is.
func malformed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Every operator's picture is small, is XML, and is shown by a page beside it.
func TestPictures(t *testing.T) {
	pictures, err := filepath.Glob(filepath.Join(root, "docs", "operators", "*.svg"))
	if err != nil || len(pictures) == 0 {
		t.Fatal("no picture in docs/operators:", err)
	}
	for _, name := range pictures {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := malformed(string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(text) > pictureBytes {
			t.Errorf("%s has %d bytes, %d at most", name, len(text), pictureBytes)
		}
		page, err := os.ReadFile(strings.TrimSuffix(name, ".svg") + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "]("+filepath.Base(name)+")") {
			t.Errorf("the page beside %s doesn't show it", name)
		}
	}
	if malformed("<svg><g></svg>") == nil {
		t.Error("an element that doesn't end isn't found")
	}
}
