// This file holds the actions of a log, as they stand in commits.

package delta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// action is a line of a commit: one of the fields is set, or none where the action is
// of no concern to readers.
type action struct {
	Protocol   *protocol   `json:"protocol"`
	MetaData   *metadata   `json:"metaData"`
	Add        *addFile    `json:"add"`
	Remove     *removeFile `json:"remove"`
	Sidecar    *sidecar    `json:"sidecar"`
	CommitInfo *commitInfo `json:"commitInfo"`
}

type protocol struct {
	MinReaderVersion int      `json:"minReaderVersion"`
	ReaderFeatures   []string `json:"readerFeatures"`
}

type metadata struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Format struct {
		Provider string `json:"provider"`
	} `json:"format"`
	SchemaString     string            `json:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns"`
	Configuration    map[string]string `json:"configuration"`
}

// addFile is a data file that the table has.
type addFile struct {
	Path            string             `json:"path"`
	PartitionValues map[string]*string `json:"partitionValues"`
	Size            int64              `json:"size"`
	Stats           string             `json:"stats"`
	DeletionVector  *vectorDescriptor  `json:"deletionVector"`
	DataChange      *bool              `json:"dataChange"`

	partition *partitionValues // what PartitionValues are, which files share
	parsed    *parsedStats     // of a checkpoint that has no Stats
	shape     *shape           // of packed statistics, whose values follow; Stats is empty then
	values    string
	seen      uint8 // members, while it is parsed
}

// removeFile is one that it has no more.
type removeFile struct {
	Path           string            `json:"path"`
	DeletionVector *vectorDescriptor `json:"deletionVector"`
	DataChange     *bool             `json:"dataChange"`
}

// vectorDescriptor is the place of a deletion vector.
type vectorDescriptor struct {
	StorageType    string `json:"storageType"`
	PathOrInlineDV string `json:"pathOrInlineDv"`
	Offset         *int64 `json:"offset"`
	SizeInBytes    int64  `json:"sizeInBytes"`
	Cardinality    int64  `json:"cardinality"`
}

// sidecar is a file of a checkpoint's actions.
type sidecar struct {
	Path        string `json:"path"`
	SizeInBytes int64  `json:"sizeInBytes"`
}

type commitInfo struct {
	InCommitTimestamp *int64 `json:"inCommitTimestamp"`
	Operation         string `json:"operation"`
}

// id is what a deletion vector is known by.
func (d *vectorDescriptor) id() string {
	if d == nil {
		return ""
	}
	id := d.StorageType + d.PathOrInlineDV
	if d.Offset != nil {
		id += "@" + strconv.FormatInt(*d.Offset, 10)
	}
	return id
}

// readAll reads a file of at most so many bytes.
func readAll(f tables.File, most int64) ([]byte, error) {
	if f.Size() > most {
		return nil, columnar.Unsupported("%d bytes, where at most %d are read", f.Size(), most)
	}
	data := make([]byte, f.Size())
	n, err := f.ReadAt(data, 0)
	if err == io.EOF && n == len(data) {
		err = nil
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = columnar.Corrupt("it ends too early")
	}
	return data, err
}

// eachAction calls f with the actions in a file of JSON, one a line, until it returns
// false. An added file, and its texts, are there until f returns. Some of the file is in memory at a time: a line takes no more than the budget's limit.
func (p *packer) eachAction(ctx context.Context, file tables.File, budget *tables.Budget, f func(*action) (bool, error)) error {
	size := file.Size()
	data := p.window[:0]
	if int64(cap(data)) < min(size, commitWindow) {
		data = make([]byte, 0, min(size, commitWindow))
	}
	p.window = nil
	defer func() {
		if cap(data) <= commitWindow {
			p.window = data[:0]
		}
	}()
	for at, next := int64(0), 1; at < size || len(data) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(int64(cap(data)-len(data)), size-at))
		got, err := file.ReadAt(data[len(data):len(data)+n], at)
		if err == io.EOF && got == n {
			err = nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = columnar.Corrupt("it ends too early")
		}
		if err != nil {
			return err
		}
		data, at = data[:len(data)+n], at+int64(n)
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		if at == size {
			whole = data
		}
		if len(whole) == 0 { // a long line
			if int64(len(data)) > budget.Limit() {
				return longLineError(budget, next)
			}
			most := min(2*int64(cap(data)), int64(len(data))+size-at, budget.Limit()+1)
			data = append(make([]byte, 0, most), data...)
			continue
		}
		lines, more, err := p.eachLine(whole, next, budget, f)
		if err != nil || !more {
			return err
		}
		next += lines
		data = data[:copy(data, data[len(whole):])]
	}
	return nil
}

// longLineError returns the error of a line that is longer than the limit.
func longLineError(budget *tables.Budget, number int) error {
	return budget.Past("line %d takes more bytes", number)
}

// eachLine calls f with the actions in lines, of which the first has that number, until it
// returns false, and returns how many lines there are.
func (p *packer) eachLine(data []byte, first int, budget *tables.Budget, f func(*action) (bool, error)) (lines int, more bool, err error) {
	most := commitLines
	if first == 1 { // which alone may be asked for
		most = 1
	}
	all := p.lines[:0]
	defer func() {
		clear(all)
		p.lines = all[:0]
	}()
	for ; len(data) > 0; most = commitLines {
		clear(all)
		all = all[:0]
		for held := 0; len(data) > 0 && len(all) < most && held < commitWindow; lines++ {
			line := data
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				line, data = data[:i], data[i+1:]
			} else {
				data = nil
			}
			if int64(len(line)) > budget.Limit() {
				return lines, false, longLineError(budget, first+lines)
			}
			held += len(line)
			if line = bytes.TrimSpace(line); len(line) > 0 {
				all = append(all, parsedLine{number: first + lines, text: line})
			}
		}
		p.parseLines(all, budget)
		for i := range all {
			l := &all[i]
			if errors.Is(l.err, limit.Err) || panics.In(l.err) {
				return lines, false, fmt.Errorf("line %d: %w", l.number, l.err)
			}
			if l.err != nil {
				return lines, false, columnar.Corrupt("line %d: %w", l.number, text.Plainly(l.err))
			}
			if more, err := f(&l.action); err != nil {
				return lines, false, fmt.Errorf("line %d: %w", l.number, err)
			} else if !more {
				return lines, false, nil
			}
		}
	}
	return lines, true, nil
}

// parsedLine is a line of a commit.
type parsedLine struct {
	number int
	text   []byte
	action action
	add    addFile // that the action may point to
	err    error
}

// parse parses a line, which goes by the budget where it is long.
func (m *matcher) parse(l *parsedLine, budget *tables.Budget) error {
	panics.Point("parse log")
	if len(l.text) > longLine {
		if err := budget.CheckJSON(l.text); err != nil {
			return err
		}
	}
	return m.parseAction(l.text, &l.action, &l.add)
}

// parseLines parses lines, on all processors where there are many.
func (p *packer) parseLines(all []parsedLine, budget *tables.Budget) {
	var wait sync.WaitGroup
	each := max(minLines, (len(all)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	n := 0
	for some := range slices.Chunk(all, each) {
		m := p.matcher(n)
		n++
		wait.Go(func() {
			for i := range some {
				some[i].err = panics.Call(func() error { return m.parse(&some[i], budget) })
			}
		})
	}
	wait.Wait()
}
