package iceberg

// Murmur3 is the hash of the bucket transform.
var Murmur3 = murmur3

// Disk is the local file system.
type Disk = disk
