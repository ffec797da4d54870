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
	file("# of the lake\n[s3]\nendpoint = \"http://file:1\"\nregion = 'r-file'\nprofile = \"p-file\"\n")
	check := func(want map[string]string, args ...string) {
		t.Helper()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		addStores(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		restore, _, err := setStores(flags, true)
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

	// The command takes them. An error names the place that a wrong one comes from.
	config := filepath.Join(dir, "foray", "config.toml")
	file("[s3]\nendpoint = \"http://file:1\"\n")
	_, errs := foray(t, 1, "info", "s3://lake/a.parquet", "--s3-endpoint", "ftp://x", "--s3-region", "r")
	contains(t, errs, `--s3-endpoint is "ftp://x": write it as http://host:port`)
	_, errs = foray(t, 2, "info", "s3://lake/a.parquet", "--s3-endpoint", "")
	contains(t, errs, "--s3-endpoint is empty")
	_, errs = foray(t, 1, "info", "s3://lake/a.parquet", "--s3-profile", "none")
	contains(t, errs, `there is no profile "none"`, "check --s3-profile")
	t.Setenv("AWS_ENDPOINT_URL", "ftp://y")
	_, errs = foray(t, 1, "info", "s3://lake/a.parquet")
	contains(t, errs, `AWS_ENDPOINT_URL is "ftp://y"`)
	t.Setenv("AWS_ENDPOINT_URL", "")
	file("# the lake\n\n[s3]\nendpoint = \"ftp://x\"\n")
	_, errs = foray(t, 1, "info", "s3://lake/a.parquet")
	contains(t, errs, "endpoint in "+config+`:4 is "ftp://x": write it as http://host:port`)
	if strings.Contains(errs, "AWS_") {
		t.Errorf("a variable that nobody set: %s", errs)
	}
}

// TestConfig: the configuration file is TOML, and what is wrong in it is an error with its line and without values.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "foray", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{
		"[s3]\nendpoint = \"http://a:1\" # of the lake\nregion = 'r'\n", "\xef\xbb\xbf# BOM\r\n[ s3 ]\r\n\"endpoint\" = \"http://a:1\"\r\nregion = \"\"\"r\"\"\"",
		"s3.endpoint = \"http://a:1\"\ns3.region = \"\\u0072\"\n", "s3 = { endpoint = \"http://a:1\", region = \"r\" }\n", "[s3]\nregion = \"r\"\n\nendpoint = 'http://a:1'",
	} {
		got, err := parseConfig(path, []byte(content))
		if err != nil || len(got) != 2 || got["endpoint"].value != "http://a:1" || got["region"].value != "r" {
			t.Errorf("%q: %v, %v", content, got, err)
		}
	}
	for _, content := range []string{"", "\n", "# nothing\n", "[s3]\n"} {
		if got, err := parseConfig(path, []byte(content)); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", content, got, err)
		}
	}
	const noTOML = `the line isn't TOML; want a table such as [s3], NAME = "VALUE", or a comment that begins with #`
	const known = "; there are endpoint, region and profile in [s3]"
	for content, want := range map[string]string{
		"[s3]\nsecret_access_key = 'x1y2'\n": ":2: s3.secret_access_key is a secret, which this file must not have; remove it, and set AWS_ACCESS_KEY_ID",
		"[lake]\n":                           ":1: there is no table [lake]; there is [s3]",
		"\n[S3]\n":                           ":2: there is no table [S3]; there is [s3]",
		"[s3]\nregoin = 'x1y2'\n":            ":2: there is no setting s3.regoin" + known + `; did you mean "region"?`,
		"region = 'x1y2'\n":                  ":1: there is no setting region" + known,
		"s3.a.b = 1\n":                       ":1: there is no setting s3.a.b" + known,
		"s3 = 'x1y2'":                        ":1: there is no setting s3" + known,
		"[s3]\nregion = 'x1y2'\n\nregion = 'x1y2'\n":     ":4: s3.region is there already, in line 2; leave one of them out",
		"[s3]\nregion = 'x1y2'\n[s3]\nendpoint = 'x1y2'": ":3: [s3] is there already, in line 1; write its settings in one place",
		"s3.region = 'x1y2'\n[s3]\n":                     ":2: [s3] is there already, in line 1",
		"s3 = {region = 'x1y2'}\ns3.endpoint = 'x1y2'":   ":2: [s3] is there already, in line 1",
		"s3.endpoint = 'x1y2'\ns3 = {region = 'x1y2'}":   ":2: [s3] is there already, in line 1",
		"s3 = {region = 'x1y2', region = 'x1y2'}":        ":1: s3.region is there already, in line 1",
		"[[s3]]\nregion = 'x1y2'":                        ":1: [[s3]] is a list of tables; there is one table, [s3]",
		"[s3]\nregion = 7\n":                             `:2: s3.region is no text; write region = "REGION"`,
		"[s3]\nprofile = true\n":                         `:2: s3.profile is no text; write profile = "NAME"`,
		"[s3]\nendpoint = ['x1y2']\n":                    `:2: s3.endpoint is no text; write endpoint = "URL"`,
		"[s3]\nendpoint = \"\"\n":                        ":2: s3.endpoint is empty; leave it out",
		"[s3":                                            ":1: " + noTOML,
		"[s3]\n\nx1y2\n":                                 ":3: " + noTOML,
		"[s3]\nregion = x1y2\n":                          ":2: " + noTOML,
		"[s3]\nregion = \"x1y2\n":                        ":2: " + noTOML,
		"[s3]\nregion = 'x1y2' profile = 'x1y2'\n":       ":2: " + noTOML,
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, errs := foray(t, 1, "info", "s3://lake/a.parquet")
		if !strings.HasPrefix(errs, "foray: "+path+want) || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "x1y2") {
			t.Errorf("%q:\n%swant %s", content, errs, want)
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
