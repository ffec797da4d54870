// This file holds the settings of S3-compatible stores: flags, the environment, and a configuration file, in this
// order. The clients of all packages read the environment, so flags and the file are put there for the run.

package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
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
// origins has the variables that it set, each with what the user wrote instead, for strings.NewReplacer.
func setStores(flags *pflag.FlagSet, needed bool) (restore func(), origins []string, err error) {
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
	var stored map[string]configured
	if needed {
		if stored, err = readConfig(); err != nil {
			return restore, nil, err
		}
	}
	from := func(s *storeSetting, value, origin string) {
		change(s.variables[0], value)
		for _, name := range s.variables { // the longer one first
			origins = append(origins, name, origin)
		}
	}
	for i := range storeSettings {
		s := &storeSettings[i]
		given := ""
		for _, name := range s.variables {
			given += os.Getenv(name)
		}
		switch flag := flags.Lookup("s3-" + s.name); {
		case flag != nil && flag.Changed && flag.Value.String() == "":
			return restore, nil, usagef("--s3-%s is empty; leave it out", s.name)
		case flag != nil && flag.Changed:
			from(s, flag.Value.String(), "--s3-"+s.name)
			if s.name == "profile" {
				for _, name := range secretVariables {
					change(name, "")
				}
			}
		case given == "" && stored[s.name].value != "":
			from(s, stored[s.name].value, fmt.Sprintf("%s in %s", s.name, stored[s.name].place))
		}
	}
	return restore, origins, nil
}
