// This file holds the settings of S3-compatible stores: flags, the environment, and a configuration file, in this
// order. The clients of all packages read the environment, so flags and the file are put there for the run.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"gopkg.in/ini.v1"
)

// storeSetting is a setting of stores.
type storeSetting struct {
	name, value, usage string
	variables          []string // of the environment; the first one is set
}

var storeSettings = []storeSetting{
	{"endpoint", "URL", "address of the S3-compatible store, as in http://host:9000 (default AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the configuration file, or AWS)", []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}},
	{"region", "REGION", "region of the store (default AWS_REGION, AWS_DEFAULT_REGION, the configuration file, or us-east-1)", []string{"AWS_REGION", "AWS_DEFAULT_REGION"}},
	{"profile", "NAME", "profile of ~/.aws/credentials and ~/.aws/config, whose keys come before those in the environment (default AWS_PROFILE, the configuration file, or default)", []string{"AWS_PROFILE"}},
}

// secretVariables are the keys in the environment, which a profile of the command line comes before.
var secretVariables = []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN"}

// addStores adds the flags.
func addStores(all *pflag.FlagSet) {
	for _, s := range storeSettings {
		all.Var(&word{s.value, ""}, "s3-"+s.name, s.usage)
		_ = all.SetAnnotation("s3-"+s.name, groupKey, []string{titleStores})
	}
}

// setStores puts what flags and, if needed, the configuration file say into the environment, until restore is called.
func setStores(flags *pflag.FlagSet, needed bool) (restore func(), err error) {
	type old struct {
		name, value string
		set         bool
	}
	var before []old
	change := func(name, value string) {
		v, ok := os.LookupEnv(name)
		before = append(before, old{name, v, ok})
		if value == "" {
			os.Unsetenv(name)
		} else {
			os.Setenv(name, value)
		}
	}
	restore = func() {
		for _, o := range before {
			if o.set {
				os.Setenv(o.name, o.value)
			} else {
				os.Unsetenv(o.name)
			}
		}
	}
	var stored map[string]string
	if needed {
		if stored, err = configured(); err != nil {
			return restore, err
		}
	}
	for _, s := range storeSettings {
		given := ""
		for _, name := range s.variables {
			given += os.Getenv(name)
		}
		switch flag := flags.Lookup("s3-" + s.name); {
		case flag != nil && flag.Changed && flag.Value.String() == "":
			return restore, usagef("--s3-%s is empty; leave it out", s.name)
		case flag != nil && flag.Changed:
			change(s.variables[0], flag.Value.String())
			if s.name == "profile" {
				for _, name := range secretVariables {
					change(name, "")
				}
			}
		case given == "" && stored[s.name] != "":
			change(s.variables[0], stored[s.name])
		}
	}
	return restore, nil
}

// mostConfigured is how many bytes the configuration file has at most.
const mostConfigured = 1 << 16

// configPath returns the path of the configuration file, "" if the system has no place for it.
func configPath() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // as its specification has it
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "foray", "config.toml")
}

// configured returns the settings of the configuration file by their names.
func configured() (map[string]string, error) {
	path := configPath()
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostConfigured) {
		err = fmt.Errorf("%s isn't a file of at most %d bytes", path, mostConfigured)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration file: %w", err)
	}
	file, err := ini.LoadSources(ini.LoadOptions{}, text)
	if err != nil { // its text has the line, which may be a secret
		return nil, fmt.Errorf("%s: a line is neither a section such as [s3], a comment, nor NAME = \"VALUE\"", path)
	}
	settings := map[string]string{}
	for _, section := range file.Sections() {
		for _, key := range section.Keys() {
			if looksSecret(key.Name()) {
				return nil, fmt.Errorf("%s: %s is a secret, which this file must not have; remove it, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws/credentials", path, key.Name())
			}
			known := false
			for _, s := range storeSettings {
				known = known || section.Name() == "s3" && key.Name() == s.name
			}
			if !known {
				return nil, fmt.Errorf("%s: [%s] has no setting %s; there are endpoint, region and profile in [s3]", path, section.Name(), key.Name())
			}
			settings[key.Name()] = key.Value()
		}
	}
	return settings, nil
}

// looksSecret reports whether a setting names a key, a token or a password.
func looksSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"secret", "access_key", "accesskey", "token", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
