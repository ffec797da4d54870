// Package compare reads Iceberg tables with apache/iceberg-go too, and compares the rows.
// It is a module of its own, since iceberg-go's package table links a great deal that this
// library does not.
package compare
