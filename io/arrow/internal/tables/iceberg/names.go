// This file holds the numbers that Iceberg's format gives.

package iceberg

// maxPrecision is how many digits decimals have at most.
const maxPrecision = 38

// What manifests list, and data_file.content.
const (
	contentData     = 0
	contentPosition = 1 // position deletes; of manifests: deletes of any kind
	contentEquality = 2
)

// manifest_entry.status.
const (
	statusExisting = 0
	statusAdded    = 1
	statusDeleted  = 2
)

const (
	// firstPartitionID is the id of the first field of a partition spec.
	firstPartitionID = 1000
	// deletePathID is the field id of the path in files of position deletes.
	deletePathID = 2147483546
	// secondsOfDay is how long a day is.
	secondsOfDay = 24 * 60 * 60
)
