// This file tests which version and commit each kind of build reports.

package buildinfo

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	foray := func(v string) debug.Module { return debug.Module{Path: module, Version: v} }
	other := debug.Module{Path: "example.org/etl", Version: "v3.0.0"}
	dep, local := foray("v1.2.3"), foray("v1.2.3")
	local.Replace = &debug.Module{Path: "../../foray"}
	fork := foray("v1.2.3")
	fork.Replace = &debug.Module{Path: "example.org/foray", Version: "v1.2.4"}
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3":                            {Main: other, Deps: []*debug.Module{{Path: "a"}, &dep}},
		"v1.2.4":                            {Main: other, Deps: []*debug.Module{&fork}},
		"(devel)":                           {Main: other, Deps: []*debug.Module{&local}, Settings: vcs},
		"v2.0.0":                            {Main: foray("v2.0.0"), Settings: vcs},
		"(devel) 0123456789ab with changes": {Main: foray("(devel)"), Settings: vcs},
	} {
		if got := version(&info); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	of := debug.BuildInfo{Main: foray("(devel)"), Settings: vcs}
	if got := commit(&of); got != "0123456789abcdef+changes" {
		t.Errorf("commit %q", got)
	}
	for _, info := range []debug.BuildInfo{{Main: other, Settings: vcs}, {Main: foray("v1.0.0"), Settings: vcs[1:]}} {
		if got := commit(&info); got != "" {
			t.Errorf("commit %q of a build that names none", got)
		}
	}
	if Version() == "" {
		t.Error("no version")
	}
}
