// This file tests the settings of stores.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestStoreSettings: a flag comes before the environment, which comes before the file.
func TestStoreSettings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	file := func(content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, "foray"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "foray", "config.toml"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append([]string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"}, secretVariables...) {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hidden")
	file("# of the lake\n[s3]\nendpoint = \"http://file:1\"\nregion = 'r-file'\nprofile = p-file\n")
	check := func(want map[string]string, args ...string) {
		t.Helper()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		addStores(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		restore, err := setStores(flags, true)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if got := os.Getenv(name); got != value {
				t.Errorf("%v: %s is %q, want %q", args, name, got, value)
			}
		}
		restore()
		if got := os.Getenv("AWS_SECRET_ACCESS_KEY"); got != "hidden" || os.Getenv("AWS_PROFILE") != "" {
			t.Errorf("%v: the environment stays changed", args)
		}
	}
	check(map[string]string{"AWS_ENDPOINT_URL_S3": "http://file:1", "AWS_REGION": "r-file", "AWS_PROFILE": "p-file", "AWS_SECRET_ACCESS_KEY": "hidden"})
	t.Setenv("AWS_ENDPOINT_URL", "http://env:1")
	t.Setenv("AWS_DEFAULT_REGION", "r-env")
	check(map[string]string{"AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "", "AWS_PROFILE": "p-file"})
	check(map[string]string{"AWS_ENDPOINT_URL_S3": "http://flag:1", "AWS_REGION": "r-flag", "AWS_PROFILE": "p-flag", "AWS_SECRET_ACCESS_KEY": ""},
		"--s3-endpoint", "http://flag:1", "--s3-region", "r-flag", "--s3-profile", "p-flag")

	// The command takes them.
	file("[s3]\nendpoint = http://file:1\n")
	_, errs := foray(t, 1, "info", "s3://lake/a.parquet", "--s3-endpoint", "ftp://x", "--s3-region", "r")
	contains(t, errs, `is "ftp://x": write it as http://host:port`)
	_, errs = foray(t, 2, "info", "s3://lake/a.parquet", "--s3-endpoint", "")
	contains(t, errs, "--s3-endpoint is empty")
	for content, want := range map[string]string{
		"[s3]\nsecret_access_key = x1y2\n": "config.toml: secret_access_key is a secret, which this file must not have; remove it, and set AWS_ACCESS_KEY_ID",
		"[s3]\nregoin = x\n":               "config.toml: [s3] has no setting regoin; there are endpoint, region and profile in [s3]",
		"[s3\n":                            "config.toml: a line is neither",
		"[s3]\nAKIALINE\n":                 "config.toml: a line is neither",
	} {
		file(content)
		_, errs := foray(t, 1, "info", "s3://lake/a.parquet")
		contains(t, errs, want)
		if strings.Contains(errs, "x1y2") || strings.Contains(errs, "AKIALINE") {
			t.Errorf("a secret is printed: %s", errs)
		}
		foray(t, 0, "info", karate) // needs no store
		foray(t, 0, "help", "stores")
	}
}

func TestVerboseHidesSecrets(t *testing.T) {
	_, errs := foray(t, 1, "info", "iceberg://user:hunter2@127.0.0.1:1/ns/t", "-v")
	if strings.Contains(errs, "hunter2") || !strings.Contains(errs, "msg=command") {
		t.Errorf("%s", errs)
	}
}
