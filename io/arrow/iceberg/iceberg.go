// Package iceberg links the reader of Apache Iceberg tables and REST catalogs. A program that
// opens such tables with io/arrow imports it:
//
//	import _ "github.com/foray-graph/foray/io/arrow/iceberg"
//
// The guide is [docs/tables.md].
//
// Without it such a table is an error that wraps [errors.ErrUnsupported] and names the import.
// Programs that read other files do not pay for the decoder of Avro, in which Iceberg keeps its
// manifests, nor for the HTTP client of catalogs: docs/embed.md has the sizes.
//
// [docs/tables.md]: https://github.com/foray-graph/foray/blob/main/docs/tables.md
package iceberg

import _ "github.com/foray-graph/foray/io/arrow/internal/tables/iceberg" // registers itself
