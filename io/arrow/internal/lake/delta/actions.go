// This file holds the actions of a log, as they stand in commits.

package delta

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/foray-graph/foray/internal/limit"
	"github.com/foray-graph/foray/internal/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
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

	parsed *parsedStats // of a checkpoint that has no Stats
}

// removeFile is one that it has no more.
type removeFile struct {
	Path           string            `json:"path"`
	DeletionVector *vectorDescriptor `json:"deletionVector"`
	DataChange     *bool             `json:"dataChange"`
}

// vectorDescriptor says where a deletion vector is.
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
func readAll(f lake.File, most int64) ([]byte, error) {
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
// false.
func eachAction(r io.Reader, budget *lake.Budget, f func(*action) (bool, error)) error {
	in := &lines{in: bufio.NewReaderSize(r, lineBuffer), budget: budget}
	var all []parsedLine
	for most := 1; !in.ended; most = commitLines { // the first one alone may be asked for
		all = all[:0]
		in.text = in.text[:0]
		for len(all) < most && len(in.text) < batchBytes && !in.ended {
			number, from, err := in.next()
			if err != nil {
				return err
			}
			if len(bytes.TrimSpace(in.text[from:])) > 0 {
				all = append(all, parsedLine{number: number, from: from, to: len(in.text)})
			}
		}
		for i := range all {
			l := &all[i]
			l.text = in.text[l.from:l.to]
		}
		parseLines(all, budget)
		for i := range all {
			l := &all[i]
			if errors.Is(l.err, limit.Err) || panics.In(l.err) {
				return fmt.Errorf("line %d: %w", l.number, l.err)
			}
			if l.err != nil {
				return columnar.Corrupt("line %d: %w", l.number, l.err)
			}
			if more, err := f(&l.action); err != nil {
				return fmt.Errorf("line %d: %w", l.number, err)
			} else if !more {
				return nil
			}
		}
	}
	return nil
}

// lines reads a file line by line.
type lines struct {
	in     *bufio.Reader
	budget *lake.Budget
	text   []byte // of some lines
	n      int    // lines that were read
	ended  bool
}

// next adds a line to the text, and returns its number and where it begins.
func (l *lines) next() (number, from int, err error) {
	l.n++
	from = len(l.text)
	for {
		some, err := l.in.ReadSlice('\n')
		l.text = append(l.text, some...)
		if int64(len(l.text)-from) > l.budget.Limit() {
			return 0, 0, l.budget.Past("line %d takes more bytes", l.n)
		}
		switch {
		case err == nil:
			return l.n, from, nil
		case err == io.EOF:
			l.ended = true
			return l.n, from, nil
		case err != bufio.ErrBufferFull:
			return 0, 0, err
		}
	}
}

// parsedLine is a line of a commit.
type parsedLine struct {
	number   int
	from, to int // in the text of some lines
	text     []byte
	action   action
	err      error
}

func (l *parsedLine) parse(budget *lake.Budget) error {
	if len(l.text) > longLine {
		if err := budget.CheckJSON(l.text); err != nil {
			return err
		}
	}
	return json.Unmarshal(l.text, &l.action)
}

// parseLines parses lines, on all processors where there are many.
func parseLines(all []parsedLine, budget *lake.Budget) {
	var wait sync.WaitGroup
	each := max(minLines, (len(all)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	for some := range slices.Chunk(all, each) {
		wait.Go(func() {
			for i := range some {
				l := &some[i]
				l.err = panics.Call(func() error {
					panics.Point("parse log")
					return l.parse(budget)
				})
			}
		})
	}
	wait.Wait()
}
