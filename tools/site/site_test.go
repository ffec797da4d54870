package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// repository is the site of this repository, made once.
var repository = sync.OnceValues(func() (map[string][]byte, error) { return build(os.DirFS("../..")) })

func ours(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// small is a repository with two documents, one linked source and a picture.
func small() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"README.md":      "# Home\n\n![a picture](docs/a.svg)\n\n## Twice\n\n## Twice\n\nSee [code](x/x.go) and [b](docs/b.md#the---b-flag).\n",
		"docs/README.md": "# Guides\n\n## Start\n\n- [Home](../README.md): one.\n- [B](b.md): two.\n",
		"docs/b.md":      "<!-- from: x/x.go -->\n```go\nfunc f() {} // \"<b>\"\n```\n\n### The `--b` flag\n\nzebra [up](../README.md#twice-1)\n\n| a |\n|---|\n| 1 |\n",
		"docs/a.svg":     "<svg/>",
		"x/x.go":         "package x // gnu\n",
		"x/README.md":    "Not a document.\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

var (
	reference = regexp.MustCompile(`\b(href|src)="([^"]*)"`)
	resource  = regexp.MustCompile(`<(script|img|link|iframe|object|embed|source|video|audio|style|base)\b[^>]*>`)
	external  = regexp.MustCompile(`(?i)^([a-z][a-z0-9+.-]*:|//)`)
	outside   = regexp.MustCompile(`(?i)https?://|url\([^#]|@import|\bfetch\(|XMLHttpRequest|importScripts|\bimport\(`)
	navigated = regexp.MustCompile(`(?s)<nav id="sidebar".*?</nav>`)
)

// follow returns the file and the anchor that a link of a page leads to.
func follow(from, link string) (file, id string) {
	to, id, _ := strings.Cut(html.UnescapeString(link), "#")
	if to == "" {
		return from, id
	}
	return path.Join(path.Dir(from), to), id
}

// broken returns the links of HTML that lead nowhere, and what a browser would load from elsewhere.
func broken(files map[string][]byte) (offenses []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := string(files[name])
		switch path.Ext(name) {
		case ".html":
			for _, tag := range resource.FindAllString(text, -1) {
				for _, m := range reference.FindAllStringSubmatch(tag, -1) {
					if external.MatchString(m[2]) && m[2] != "data:," {
						offenses = append(offenses, name+" loads "+m[2])
					}
				}
			}
			for _, m := range reference.FindAllStringSubmatch(text, -1) {
				if external.MatchString(m[2]) {
					continue
				}
				file, id := follow(name, m[2])
				to, ok := files[file]
				if !ok || id != "" && !bytes.Contains(to, []byte(`id="`+id+`"`)) {
					offenses = append(offenses, name+" links "+m[2])
				}
			}
		case ".css", ".js", ".svg":
			if name == "search-index.js" { // text of the pages
				continue
			}
			for _, m := range outside.FindAllString(strings.ReplaceAll(text, "http://www.w3.org/", ""), -1) {
				offenses = append(offenses, name+" has "+m)
			}
		}
	}
	return offenses
}

func TestLinks(t *testing.T) {
	for _, offense := range broken(ours(t)) {
		t.Error(offense)
	}
}

func TestLinksBroken(t *testing.T) {
	found := broken(map[string][]byte{
		"a/a.html":  []byte(`<h1 id="x"></h1><a href="#x"></a><a href="#y"></a><a href="../b.html#z"></a><a href="../c.html"></a><a href="https://e.org">`),
		"b.html":    []byte(`<h1 id="z"></h1><script src="https://e.org/s.js"></script><img src="//e.org/i.png"><link rel="icon" href="data:,">`),
		"style.css": []byte(`@import "x.css"; a { background: url(x.png) }`),
	})
	want := []string{"a/a.html links #y", "a/a.html links ../c.html", "b.html loads https://e.org/s.js", "b.html loads //e.org/i.png", "style.css has @import", "style.css has url(x"}
	if !slices.Equal(found, want) {
		t.Errorf("offenses %q, want %q", found, want)
	}
}

// reached returns the pages that the sidebar of a page leads to, and the sources that the last of them lists.
func reached(files map[string][]byte, from string) map[string]bool {
	all := map[string]bool{}
	add := func(name string, text []byte) {
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			file, _ := follow(name, m[2])
			all[file] = true
		}
	}
	add(from, navigated.Find(files[from]))
	add("sources.html", files["sources.html"])
	return all
}

func TestSidebar(t *testing.T) {
	files := ours(t)
	for _, from := range []string{"index.html", "docs/algorithms/cc.html"} {
		to := reached(files, from)
		if len(to) < 50 {
			t.Errorf("the sidebar of %s leads to %d pages", from, len(to))
		}
		for name := range files {
			if path.Ext(name) == ".html" && !to[name] {
				t.Errorf("the sidebar of %s does not lead to %s", from, name)
			}
		}
	}
}

func TestSmall(t *testing.T) {
	files, err := build(small())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"docs/a.svg", "docs/b.html", "docs/index.html", "index.html", "search-index.js", "site.js", "sources.html", "style.css", "x/x.go.html"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	for name, parts := range map[string][]string{
		"index.html": {`<title>Home · Foray</title>`, `<img src="docs/a.svg" alt="a picture"`, `<h2 id="twice">`, `<h2 id="twice-1">`, `href="docs/b.html#the---b-flag"`,
			`href="x/x.go.html">code`, `<a rel="prev" href="docs/index.html">`, `<a rel="next" href="docs/b.html">`, `<a href="index.html" aria-current="page">Home</a>`},
		"docs/b.html": {`<span class="k">func</span> f() {} <span class="c">// &#34;&lt;b&gt;&#34;</span>`, `href="../index.html#twice-1"`, `<div class="wide" tabindex="0"><table>`,
			`<li class="h3"><a href="#the---b-flag">The --b flag</a>`, `href="../style.css"`, `data-root="../"`},
		"x/x.go.html":  {`<h1>x/x.go</h1>`, `<span class="c">// gnu</span>`},
		"sources.html": {`<a href="x/x.go.html">x/x.go</a>`},
	} {
		for _, part := range parts {
			if !strings.Contains(string(files[name]), part) {
				t.Errorf("%s lacks %s:\n%s", name, part, files[name])
			}
		}
	}
	if strings.Contains(string(files["docs/b.html"]), "from: x/x.go") {
		t.Error("docs/b.html has the comment of its Markdown")
	}
}

// TestFaults checks that one build names every fault.
func TestFaults(t *testing.T) {
	files := small()
	add := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	add("docs/deep/new.md", "# New\n\n[a](none.md) [b](../b.md#none) ![c](https://e.org/c.png)\n\n<b>bold</b>\n")
	add("SECURITY.md", "# Security\n")
	add("docs/README.md", "# Guides\n\n## Start\n\n- [Home](../README.md): one.\n- [B](b.md): two.\n- [B](b.md): again.\n- [Gone](gone.md): three.\n")
	_, err := build(files)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`docs/deep/new.md is missing from the sidebar: add a line such as "- [New](deep/new.md): what it is about" to docs/README.md`,
		`SECURITY.md is missing from the sidebar: add a line such as "- [Security](../SECURITY.md): what it is about"`,
		"docs/README.md lists docs/b.md twice",
		"docs/README.md lists docs/gone.md, which is not a document",
		"docs/deep/new.md: a link that leads nowhere: none.md",
		"docs/deep/new.md: a link to a heading that is not there: ../b.md#none",
		"docs/deep/new.md: the picture https://e.org/c.png is not a file of the repository",
		`docs/deep/new.md: HTML in Markdown, "<b>"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nlacks %s", err, want)
		}
	}
}

func TestSidebarFaults(t *testing.T) {
	for text, want := range map[string]string{
		"# G\n\n- [A](a.md)\n":           "docs/README.md:3: a page above the first chapter",
		"# G\n\n## C\n\n  - [A](a.md)\n": "docs/README.md:5: an indented page below no other",
	} {
		if _, err := sidebar(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	if _, err := build(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "docs/README.md is missing") {
		t.Errorf("without an index: %v", err)
	}
	if _, err := build(fstest.MapFS{"docs/README.md": {Data: []byte("# G\n")}}); err == nil || !strings.Contains(err.Error(), "docs/README.md has no chapters") {
		t.Errorf("without chapters: %v", err)
	}
}

// searched is what the search loads.
type searched struct {
	Pages    []found
	Sections []section
}

func readIndex(t *testing.T, files map[string][]byte) (all searched) {
	t.Helper()
	text, ok := bytes.CutPrefix(files["search-index.js"], []byte("window.siteIndex = "))
	if err := json.Unmarshal(bytes.TrimSuffix(text, []byte(";\n")), &all); !ok || err != nil {
		t.Fatalf("the index of the search: %v: %.80s", err, files["search-index.js"])
	}
	return all
}

func TestSearchIndex(t *testing.T) {
	files := ours(t)
	all := readIndex(t, files)
	for _, s := range all.Sections {
		if s.Anchor != "" && !bytes.Contains(files[all.Pages[s.Page].File], []byte(`id="`+s.Anchor+`"`)) {
			t.Errorf("%s has no heading %s", all.Pages[s.Page].File, s.Anchor)
		}
	}
	for word, file := range map[string]string{"--partition-by": "docs/search.html", "betweenness": "docs/algorithms/bc.html", "torchrun": "docs/cluster.html"} {
		if !slices.ContainsFunc(all.Sections, func(s section) bool {
			return all.Pages[s.Page].File == file && strings.Contains(strings.ToLower(s.Text), word)
		}) {
			t.Errorf("the index has no %q of %s", word, file)
		}
	}
	few, err := build(small())
	if err != nil {
		t.Fatal(err)
	}
	want := section{Page: 2, Heading: "The --b flag", Anchor: "the---b-flag", Text: "zebra up a 1"}
	if got := readIndex(t, few).Sections; !slices.Contains(got, want) {
		t.Errorf("sections %+v, want %+v among them", got, want)
	}
}

// TestSearch runs the search's script.
func TestSearch(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node on the PATH:", err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	if err := run("../..", dir, nil); err != nil {
		t.Fatal(err)
	}
	queries := []string{"betweenness", "Widest paths", "several GPUs", "iceberg tables delta", "no such word in a guide"}
	want := []string{"docs/algorithms/bc.html#", "docs/compose.html#ten-minutes-widest-paths", "docs/gpus.html#several-gpus", "docs/tables.html#", ""}
	asked, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", fmt.Sprintf(`global.window = {};
		require("./search-index.js");
		const { find, excerpt } = require("./site.js");
		console.log(JSON.stringify(%s.map(query => {
			const best = find(window.siteIndex, query)[0];
			return best ? best.page.f + "#" + best.section.a : "";
		}).concat(excerpt("x".repeat(100) + "word", "word"))));`, asked))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want = append(want, "…"+strings.Repeat("x", 60)+"word")
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestUnbroken: words of code with hyphens and slashes stay on one line unless they are long.
func TestUnbroken(t *testing.T) {
	long := strings.Repeat("long-", 7)
	for code, want := range map[string]string{
		"plain":             "plain",
		"--source ID":       `<span class="w">--source</span> ID`,
		"-o <a-b>\nlinux/x": `<span class="w">-o</span> <span class="w">&lt;a-b&gt;</span> <span class="w">linux/x</span>`,
		long:                long,
		" -a":               ` <span class="w">-a</span>`,
	} {
		if got := unbroken(code); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
}

// TestPhone lays out all pages in a browser, on a screen of 400 pixels: none is wider, no word of code is torn up,
// and tables that are wider scroll in their own box.
func TestPhone(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium on the PATH:", err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	if err := run("../..", dir, nil); err != nil {
		t.Fatal(err)
	}
	var pages []string
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(dir, path); strings.HasSuffix(name, ".html") {
			pages = append(pages, filepath.ToSlash(name))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(pages)
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`<iframe id="f" style="width: 400px; height: 800px; border: 0"></iframe><pre id="out"></pre><script>
		const pages = %s, faults = [];
		let at = 0, scrolling = 0;
		f.onload = () => {
			const d = f.contentDocument;
			if (d.documentElement.scrollWidth > 400) faults.push(pages[at] + " is " + d.documentElement.scrollWidth + " pixels wide");
			for (const w of d.querySelectorAll("main .w")) {
				if (w.getClientRects().length > 1) faults.push(pages[at] + " tears up " + w.textContent);
			}
			for (const box of d.querySelectorAll(".wide")) if (box.scrollWidth > box.clientWidth) scrolling++;
			at++;
			next();
		};
		function next() {
			if (at < pages.length) f.src = pages[at];
			else out.textContent = "laid out " + at + " pages, " + (scrolling > 0 ? "some" : "no") + " tables scroll\n" + faults.join("\n");
		}
		next();
	</script>`, list)
	probe := filepath.Join(dir, "probe.html")
	if err := os.WriteFile(probe, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=120000", "--dump-dom", "file://"+filepath.ToSlash(probe)).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(string(text), `<pre id="out">`)
	got, _, _ = strings.Cut(got, "</pre>")
	if want := fmt.Sprintf("laid out %d pages, some tables scroll\n", len(pages)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("README.md", "# Home\n")
	write("docs/README.md", "# Guides\n\n## Start\n\n- [Home](../README.md): one.\n")
	out := filepath.Join(dir, "out", "site")
	if err := run(dir, out, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "docs", "index.html")); err != nil || !strings.Contains(string(text), `href="../index.html"`) {
		t.Errorf("docs/index.html: %v\n%s", err, text)
	}
	if err := run(dir, out, nil); err == nil || !strings.Contains(err.Error(), "is not empty: remove it") {
		t.Errorf("into a folder with files: %v", err)
	}
	if err := run(dir, "", nil); err == nil || !strings.Contains(err.Error(), "-o DIR") {
		t.Errorf("without a folder: %v", err)
	}
}
