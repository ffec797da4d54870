// This file links what tests of object stores and tables need.

package arrow

import (
	_ "github.com/foray-graph/foray/io/arrow/iceberg"
	_ "github.com/foray-graph/foray/io/s3"
)
