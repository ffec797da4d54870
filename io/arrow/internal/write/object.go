// This file writes objects.

package write

import (
	"context"

	"github.com/foray-graph/foray/internal/files/s3"
)

// object is an object that is being written.
type object struct {
	s3.Writer
	client s3.Client
}

// contentTypes are the content types of uploaded objects.
var contentTypes = map[writeFormat]string{
	formatParquet: "application/vnd.apache.parquet",
	FormatFile:    "application/vnd.apache.arrow.file",
	formatStream:  "application/vnd.apache.arrow.stream",
	formatCSV:     "text/csv; charset=utf-8",
	formatJSON:    "application/x-ndjson",
}

func createObject(ctx context.Context, s *WriteSpec) (Output, error) {
	c := s.S3.Client()
	w, err := c.Create(ctx, s.Path, contentTypes[s.As])
	if err != nil {
		c.Close()
		return nil, err
	}
	return &object{w, c}, nil
}

// Commit makes the object appear.
func (o *object) Commit() error {
	defer o.client.Close()
	return o.Writer.Commit()
}

// Abort drops what was sent.
func (o *object) Abort() {
	o.Writer.Abort()
	o.client.Close()
}
