package tableformat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAgree: what the key of an object says, the same file in a directory says too.
func TestAgree(t *testing.T) {
	for key, want := range map[string]Kind{
		"_delta_log/00000000000000000000.json": Delta, "a/b/_delta_log/x": Delta, "_delta_log": "", "x_delta_log/y": "",
		".hoodie/hoodie.properties": Hudi, "a/.hoodie/": Hudi, "a/.hoodie_partition_metadata": "",
		"metadata/v1.metadata.json": Iceberg, "a/metadata/00001-x.gz.metadata.json": Iceberg, "a/metadata/v3.metadata.json.gz": Iceberg,
		"a/metadata/version-hint.text": Iceberg, "a/metadata/x/v1.metadata.json": "", "a/metadata/snap-1.avro": "", "metadata.json": "",
		"a/metadata/.v1.metadata.json.crc": "", "v1.metadata.json": "", "a/_delta_log/b/metadata/v1.metadata.json": Delta,
	} {
		root, kind := OfKey(key)
		if kind != want || kind != "" && !strings.HasPrefix(key, root) {
			t.Errorf("%s: %q in %q, want %q", key, kind, root, want)
		}
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if key[len(key)-1] == '/' {
			file += "/marker"
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := new(Finder).At(filepath.Join(dir, root)); got != want {
			t.Errorf("%s: the directory is %q, want %q", key, got, want)
		}
	}
}

func TestAbove(t *testing.T) {
	for dir, want := range map[string][]string{
		"": nil, "/": nil, "a/": {""}, "a/b/c/": {"a/b/", "a/", ""}, "a": {""},
		"1/2/3/4/5/6/7/8/9/x/": {"1/2/3/4/5/6/7/8/9/", "1/2/3/4/5/6/7/8/", "1/2/3/4/5/6/7/", "1/2/3/4/5/6/", "1/2/3/4/5/", "1/2/3/4/", "1/2/3/", "1/2/"},
	} {
		if got := Above(dir); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
