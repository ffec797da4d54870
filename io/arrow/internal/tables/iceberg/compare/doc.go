// Package compare tests package iceberg: it reads tables with apache/iceberg-go too, and compares
// the rows. It is a separate module, since iceberg-go's package table links much that this library
// does not.
package compare
