// This file holds Version, Commit and Date.

// Package buildinfo returns the version of Foray that is linked into the program, and its commit.
package buildinfo

import (
	"runtime/debug"
	"sync"
)

// module is Foray's path, as programs that import it have it.
const module = "github.com/foray-graph/foray"

// A release sets these by the linker's flag -X (tools/release): its version, such as "v0.1.0", the commit, and the
// time of the commit as RFC 3339 has it, by which two builds of a commit are the same.
var release, revision, date string

// Version returns the version of Foray's module, as Go's module system has it:
// "v1.2.3", a pseudo-version, or, for builds in a clone, "(devel)" with the commit,
// if known.
var Version = sync.OnceValue(func() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return version(info)
})

func version(info *debug.BuildInfo) string {
	for _, m := range info.Deps {
		if m.Path != module {
			continue
		}
		for m.Replace != nil {
			m = m.Replace
		}
		if m.Version == "" {
			return "(devel)"
		}
		return m.Version
	}
	if info.Main.Path != module {
		return "(devel)"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	v := "(devel)"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			v += " " + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			v += " with changes"
		}
	}
	return v
}

// Commit returns the commit of a build in a clone, with "+changes" if files had changed since, or nothing if it isn't known.
var Commit = sync.OnceValue(func() string {
	if revision != "" {
		return revision
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commit(info)
})

func commit(info *debug.BuildInfo) string {
	if info.Main.Path != module {
		return "" // the settings are of the program's module
	}
	id, changes := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			id = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if id == "" {
		return ""
	}
	return id + changes
}

// Date returns the time of the commit, as RFC 3339 has it, or nothing if it isn't known.
var Date = sync.OnceValue(func() string {
	if date != "" {
		return date
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == module {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				return s.Value
			}
		}
	}
	return ""
})
