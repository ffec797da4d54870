// This file finds the commits and checkpoints of a log, and which of them make up a
// version.

package delta

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// logDir is the log's directory in the table's.
const logDir = "/_delta_log"

// log is the files of a log as they were listed.
type log struct {
	fs          tables.FS
	dir         string // of the log
	commits     map[int64]tables.Entry
	checkpoints []checkpoint // complete ones, ascending by version
	sums        map[int64]tables.Entry
	versions    []int64 // of commits, ascending
	packer      packer
	rowsOnly    bool // of statistics the number of rows is wanted alone
}

// checkpoint is a complete checkpoint: its parts.
type checkpoint struct {
	version int64
	parts   []string
}

var (
	commitName     = regexp.MustCompile(`^(\d{20})\.json$`)
	sumName        = regexp.MustCompile(`^(\d{20})\.crc$`)
	checkpointName = regexp.MustCompile(`^(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet$`)
	uuidName       = regexp.MustCompile(`^(\d{20})\.checkpoint\.[0-9a-fA-F-]{36}\.(?:json|parquet)$`)
)

// list lists a log. What isn't known there, such as _last_checkpoint, is of no use:
// the listing has all files that it names.
func list(ctx context.Context, files tables.FS, dir string) (*log, error) {
	l := &log{fs: files, dir: dir + logDir, commits: map[int64]tables.Entry{}, sums: map[int64]tables.Entry{}}
	entries, err := files.List(ctx, l.dir)
	if err != nil {
		return nil, fmt.Errorf("the log: %w", err)
	}
	type multi struct {
		version int64
		of      string
	}
	parts := map[multi][]string{}
	for _, e := range entries {
		name := path.Base(strings.ReplaceAll(e.Name, `\`, "/"))
		version := int64(-1)
		if len(name) >= 20 {
			if version, err = strconv.ParseInt(name[:20], 10, 64); err != nil {
				continue
			}
		}
		switch {
		case commitName.MatchString(name):
			l.commits[version] = e
			l.versions = append(l.versions, version)
		case sumName.MatchString(name):
			l.sums[version] = e
		case uuidName.MatchString(name):
			l.checkpoints = append(l.checkpoints, checkpoint{version, []string{e.Name}})
		default:
			m := checkpointName.FindStringSubmatch(name)
			if m == nil {
				continue
			}
			if m[2] == "" {
				l.checkpoints = append(l.checkpoints, checkpoint{version, []string{e.Name}})
				continue
			}
			key := multi{version, m[3]}
			parts[key] = append(parts[key], e.Name) // ascending, as they were listed
			if n, err := strconv.Atoi(m[3]); err == nil && n == len(parts[key]) {
				l.checkpoints = append(l.checkpoints, checkpoint{version, parts[key]})
			}
		}
	}
	slices.Sort(l.versions)
	sort.SliceStable(l.checkpoints, func(i, k int) bool { return l.checkpoints[i].version < l.checkpoints[k].version })
	if len(l.versions) == 0 && len(l.checkpoints) == 0 {
		return nil, columnar.Corrupt("its log has neither commits nor checkpoints")
	}
	return l, nil
}

// latest returns the newest version.
func (l *log) latest() int64 {
	version := int64(-1)
	if n := len(l.versions); n > 0 {
		version = l.versions[n-1]
	}
	if n := len(l.checkpoints); n > 0 {
		version = max(version, l.checkpoints[n-1].version)
	}
	return version
}

// earliest returns the oldest version that can be read.
func (l *log) earliest() int64 {
	if _, ok := l.commits[0]; ok {
		return 0
	}
	if len(l.checkpoints) > 0 {
		return l.checkpoints[0].version
	}
	return l.versions[0]
}

// find returns the version that is meant.
func (l *log) find(ctx context.Context, at tables.At) (int64, error) {
	switch {
	case !at.Time.IsZero():
		return l.asOf(ctx, at.Time)
	case at.Snapshot == "":
		return l.latest(), nil
	}
	version, err := strconv.ParseInt(at.Snapshot, 10, 64)
	if err != nil || version < 0 {
		return 0, fmt.Errorf("%w: %.100q is not a version: versions of Delta Lake are numbers from 0; %s", tables.ErrSnapshot, at.Snapshot, l.bothEnds())
	}
	if version > l.latest() || version < l.earliest() {
		return 0, fmt.Errorf("%w: version %d; %s", tables.ErrSnapshot, version, l.bothEnds())
	}
	return version, nil
}

// bothEnds describes the range of versions.
func (l *log) bothEnds() string {
	return fmt.Sprintf("the table has versions %d to %d", l.earliest(), l.latest())
}

// replay makes the state of a version: of the newest checkpoint that isn't later, and
// the commits behind it.
func (l *log) replay(ctx context.Context, version int64) (*state, error) {
	s := &state{files: l.newFiles()}
	next := int64(0)
	for i := len(l.checkpoints) - 1; i >= 0; i-- {
		if c := &l.checkpoints[i]; c.version <= version {
			if err := l.load(ctx, s, c); err != nil {
				return nil, err
			}
			next = c.version + 1
			break
		}
	}
	for v := next; v <= version; v++ {
		e, ok := l.commits[v]
		if !ok {
			return nil, l.gap(v)
		}
		if err := l.commit(ctx, e.Name, func(a *action) (bool, error) { return true, s.apply(a) }); err != nil {
			return nil, err
		}
	}
	return s, l.checkSums(ctx, s, version)
}

// gap returns the error of a version whose commit is missing. A cleanup removes only commits before a checkpoint.
func (l *log) gap(version int64) error {
	return fmt.Errorf("%w: the log lacks %s/%020d.json, but has what comes after it; restore that file", errGap, l.dir, version)
}

// errGap: a commit is missing, so that no version after it can be read.
var errGap error = gapError{}

type gapError struct{}

func (gapError) Error() string   { return columnar.ErrCorrupt.Error() }
func (gapError) Unwrap() []error { return []error{columnar.ErrCorrupt, tables.ErrSnapshot} }

// newFiles returns a set of files of the table.
func (l *log) newFiles() *fileSet {
	dir := strings.TrimSuffix(l.dir, logDir)
	if abs, err := filepath.Abs(dir); err == nil && !strings.HasPrefix(dir, "s3://") {
		return newFileSet(dir, abs, l.rowsOnly)
	}
	return newFileSet(dir, dir, l.rowsOnly)
}

// commit reads a file of JSON actions.
func (l *log) commit(ctx context.Context, name string, f func(*action) (bool, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := l.fs.Open(ctx, name)
	if err != nil {
		if missing(err) {
			return fmt.Errorf("%w: the log was cleaned up: %w", tables.ErrSnapshot, err)
		}
		return err
	}
	defer file.Close()
	any := false
	err = l.packer.eachAction(ctx, file, tables.BudgetOf(l.fs), func(a *action) (bool, error) {
		any = true
		return f(a)
	})
	if err == nil && !any {
		err = columnar.Corrupt("the commit is empty: it has no action; restore that file")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// stamp returns the time that a commit says it was made at.
func (l *log) stamp(ctx context.Context, version int64) (t time.Time, ok bool, err error) {
	err = l.commit(ctx, l.commits[version].Name, func(a *action) (bool, error) {
		if a.CommitInfo != nil && a.CommitInfo.InCommitTimestamp != nil {
			t, ok = time.UnixMilli(*a.CommitInfo.InCommitTimestamp).UTC(), true
		}
		return false, nil // it is the first action
	})
	return t, ok, err
}

// time returns when a version was committed, or zero if that is unknown: by the time that the
// commit says, else by when its file was written, but later than the commit before.
func (l *log) time(ctx context.Context, version int64) (time.Time, error) {
	if _, ok := l.commits[version]; !ok {
		return time.Time{}, nil
	}
	t, ok, err := l.stamp(ctx, version)
	if ok || err != nil {
		return t, err
	}
	for i, v := range l.versions {
		written := l.commits[v].Modified.UTC().Truncate(time.Millisecond)
		if i > 0 && !written.After(t) && l.versions[i-1] == v-1 {
			written = t.Add(time.Millisecond)
		}
		if t = written; v == version {
			break
		}
	}
	return t, nil
}

// asOf returns the version that was current at a time.
func (l *log) asOf(ctx context.Context, at time.Time) (int64, error) {
	var failed error
	earliest := l.earliest()
	first, _ := slices.BinarySearch(l.versions, earliest)
	list := l.versions[first:]
	n, _ := slices.BinarySearchFunc(list, at, func(v int64, at time.Time) int {
		t, err := l.time(ctx, v)
		if err != nil {
			failed = err
			return 1
		}
		if t.After(at) {
			return 1
		}
		return -1
	})
	switch {
	case failed != nil:
		return 0, failed
	case n > 0:
		return list[n-1], nil
	case len(list) == 0:
		return 0, fmt.Errorf("%w: the log has no commits, and with that no times; name a version: %s", tables.ErrSnapshot, l.bothEnds())
	}
	t, err := l.time(ctx, list[0])
	if err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("%w: there was none at %s; version %d, the oldest that is there, is of %s", tables.ErrSnapshot,
		at.UTC().Format(time.RFC3339Nano), list[0], t.Format(time.RFC3339Nano))
}
