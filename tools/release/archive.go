// This file holds archives, Debian and RPM packages, the bill of materials, and checksums.

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// entry is a file of an archive.
type entry struct {
	name, from string
	mode       int64
}

// beside lists the files of an archive except the binary.
func (r *release) beside() ([]entry, error) {
	entries := []entry{
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		{"NOTICE", filepath.Join(r.root, "cmd/foray/NOTICE"), 0o644},
		{"README.md", filepath.Join(r.root, "README.md"), 0o644},
		{"CHANGELOG.md", filepath.Join(r.root, "CHANGELOG.md"), 0o644},
	}
	for _, dir := range []string{"completions", "man"} {
		found, err := os.ReadDir(filepath.Join(r.out, "work", dir))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			entries = append(entries, entry{path.Join(dir, f.Name()), filepath.Join(r.out, "work", dir, f.Name()), 0o644})
		}
	}
	return entries, nil
}

// archive packs a binary: a .zip for Windows, else a .tar.gz.
func (r *release) archive(t target, binary string) error {
	entries, err := r.beside()
	if err != nil {
		return err
	}
	entries = append(entries, entry{t.binary(), binary, 0o755})
	base := fmt.Sprintf("foray_%s_%s", r.version, t.name())
	var packed bytes.Buffer
	if t.os == "windows" {
		if err := r.zip(&packed, base, entries); err != nil {
			return err
		}
		return r.write(base+".zip", packed.Bytes())
	}
	if err := r.tarGz(&packed, base, entries); err != nil {
		return err
	}
	return r.write(base+".tar.gz", packed.Bytes())
}

func (r *release) tarGz(to *bytes.Buffer, base string, entries []entry) error {
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: base + "/" + e.name, Mode: e.mode, Size: int64(len(data)), ModTime: r.commit.time, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (r *release) zip(to *bytes.Buffer, base string, entries []entry) error {
	w := zip.NewWriter(to)
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: base + "/" + e.name, Method: zip.Deflate, Modified: r.commit.time}
		h.SetMode(os.FileMode(e.mode))
		f, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return w.Close()
}

// packages makes a .deb and a .rpm of each binary for Linux that has GPUs.
func (r *release) packages(context.Context) error {
	for _, t := range r.targets {
		if t.os != "linux" || t.static {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			info, err := r.packageInfo(t)
			if err != nil {
				return err
			}
			packager, err := nfpm.Get(format)
			if err != nil {
				return err
			}
			info = nfpm.WithDefaults(info)
			if err := nfpm.PrepareForPackager(info, format); err != nil {
				return err
			}
			var packed bytes.Buffer
			if err := packager.Package(info, &packed); err != nil {
				return err
			}
			if err := r.write(packager.ConventionalFileName(info), packed.Bytes()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) packageInfo(t target) (*nfpm.Info, error) {
	info := &nfpm.Info{
		Name: "foray", Arch: t.arch, Platform: "linux", Version: r.version, VersionSchema: "semver", Section: "science", Priority: "optional",
		Maintainer: "Foray maintainers <maintainers@users.noreply.github.com>", Homepage: "https://github.com/foray-graph/foray", License: "Apache-2.0",
		Description: "Graph analytics over Parquet and Arrow files\nForay searches graphs, and ranks and groups their vertices,\non the processors of a machine and on NVIDIA GPUs.",
		MTime:       r.commit.time,
	}
	info.RPM.BuildHost = "foray"
	info.RPM.Summary = "Graph analytics over Parquet and Arrow files"
	info.Deb.Compression = "gzip"
	info.RPM.Compression = "gzip"
	entries, err := r.beside()
	if err != nil {
		return nil, err
	}
	entries = append(entries, entry{"foray", filepath.Join(r.out, "work", t.name(), t.binary()), 0o755})
	for _, e := range entries {
		to := ""
		switch dir, name := path.Split(e.name); {
		case e.name == "foray":
			to = "/usr/bin/foray"
		case dir == "man/":
			to = "/usr/share/man/man1/" + name
		case name == "foray.bash":
			to = "/usr/share/bash-completion/completions/foray"
		case name == "_foray":
			to = "/usr/share/zsh/vendor-completions/_foray"
		case name == "foray.fish":
			to = "/usr/share/fish/vendor_completions.d/foray.fish"
		case name == "LICENSE":
			to = "/usr/share/doc/foray/copyright"
		case name == "NOTICE", name == "CHANGELOG.md":
			to = "/usr/share/doc/foray/" + name
		default:
			continue
		}
		info.Contents = append(info.Contents, &files.Content{Source: e.from, Destination: to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: os.FileMode(e.mode), MTime: r.commit.time}})
	}
	return info, nil
}

// bill writes the bill of materials of a binary (CycloneDX): the Go modules that it links, as the linker recorded them.
func (r *release) bill(t target, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	purl := func(path, version string) string { return "pkg:golang/" + path + "@" + version }
	b := cdx.NewBOM()
	b.Metadata = &cdx.Metadata{Timestamp: r.commit.time.Format("2006-01-02T15:04:05Z"), Component: &cdx.Component{
		BOMRef: purl(info.Main.Path, "v"+r.version), Type: cdx.ComponentTypeApplication, Name: "foray", Version: "v" + r.version,
		PackageURL: purl(info.Main.Path, "v"+r.version), Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}}
	components := []cdx.Component{{BOMRef: purl("std", info.GoVersion), Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: purl("std", strings.TrimPrefix(info.GoVersion, "go"))}}
	refs := []string{components[0].BOMRef}
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		c := cdx.Component{BOMRef: purl(m.Path, m.Version), Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: purl(m.Path, m.Version)}
		if m.Sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		}
		components, refs = append(components, c), append(refs, c.BOMRef)
	}
	b.Components = &components
	b.Dependencies = &[]cdx.Dependency{{Ref: b.Metadata.Component.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(b); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("foray_%s_%s.cdx.json", r.version, t.name()), out.Bytes())
}

// checksums writes the SHA-256 of every file, as sha256sum -c takes them, and removes what is no file of the release.
func (r *release) checksums() error {
	slices.Sort(r.made)
	var lines strings.Builder
	for _, name := range r.made {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), name)
	}
	if err := os.RemoveAll(filepath.Join(r.out, "work")); err != nil {
		return err
	}
	return r.write("checksums.txt", []byte(lines.String()))
}
