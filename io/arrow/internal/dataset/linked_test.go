// This file links what tests need of the parts that a program imports.

package dataset

import (
	_ "github.com/foray-graph/foray/io/arrow/brotli"
	_ "github.com/foray-graph/foray/io/arrow/iceberg"
	_ "github.com/foray-graph/foray/io/s3"
)
