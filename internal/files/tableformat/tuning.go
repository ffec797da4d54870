// This file holds the limits of looking for tables.

package tableformat

// Levels is how far above a directory a table is looked for. Six are data/ and
// five partition columns; Iceberg's layout for object stores has data/ and four
// directories of hashes, then partitions.
const Levels = 8

// probeKeys is how many names in a directory metadata are looked at: a page of a
// listing, the most that S3 gives.
const probeKeys = 1000
