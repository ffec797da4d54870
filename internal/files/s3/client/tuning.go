// This file holds the numbers of the package and their sources.

package client

import "time"

const (
	// attempts is how often a request is sent before it fails for good.
	// The waits between attempts are up to 0.2, 0.4, 0.8, 1.6 and 3.2 s, about what the
	// AWS SDKs and MinIO's client allow a store that requests slower sending.
	attempts = 6
	// backoff is the longest wait before the first retry. It doubles each time.
	backoff = 200 * time.Millisecond
	// maxBackoff bounds it, unless the first is longer.
	maxBackoff = 10 * time.Second
	// stall is how long a request may go without a byte in either direction.
	// A store under load takes seconds to answer; a working store doesn't take 30.
	stall = 30 * time.Second
	// minRate is how many bytes a second an object has to come with, over 30 s of
	// waiting for it: what would take a day for 86 MB. Requests that share a slow line
	// stay far above.
	minRate = 1000
	// maxObjects is how many objects a listing may have: each takes some 300 bytes here,
	// and to read the metadata of a million files takes hours.
	maxObjects = 1_000_000
	// emptyPages is how many answers in a row a listing may have without a key.
	emptyPages = 1000
	// answerBytes bounds answers that aren't an object's bytes. 1,000 keys of 1,024
	// bytes, each escaped, take 4 MB.
	answerBytes = 32 << 20
	// stallComplete is the same for the completion of a multipart upload, at
	// which stores that copy the parts together may be silent for minutes.
	stallComplete = 5 * time.Minute
	// metadataTimeout bounds the question whether there is an instance's
	// metadata service. It is on the same host or not there.
	metadataTimeout = 2 * time.Second
	// credentialsTimeout bounds the query if the environment names a service.
	credentialsTimeout = 20 * time.Second
	// graceTimeout is how long a request that begins an upload of a Group, or sends
	// a part, continues after it was canceled.
	graceTimeout = 2 * time.Second
	// abortTimeout bounds how long the abort of an upload takes.
	abortTimeout = 30 * time.Second
	// abortPause and its double are waited before a store is asked whether what
	// was taken back while a request was on its way is gone.
	abortPause = 50 * time.Millisecond

	// mergeGap is the largest gap between two ranges that are fetched as one.
	// AWS documents 100 to 200 ms until the first byte of small requests and 85
	// to 90 MB/s for one of them: a request costs what several MiB do. The gap
	// is less than that, since requests run side by side and bytes share
	// the network. Not measured here: there was no store across a network.
	mergeGap = 1 << 20
	// pieceSize is the longest range of one request. AWS advises 8 to 16 MB
	// for bandwidth; half of that lets decoding begin sooner, and with
	// inFlight requests as much is on its way.
	pieceSize = 4 << 20
	// inFlight is how many ranges are fetched at once. A Prefetch holds twice
	// that in memory: the arriving ranges, and the ranges that are being read.
	inFlight = 8

	// partSize is the size of an upload's parts, and of the largest object
	// that is sent in one request. S3 allows 5 MiB to 5 GiB.
	partSize = 8 << 20
	// minPart is the least that S3 allows except for the last part.
	minPart = 5 << 20
	// partsInFlight is how many parts are sent at once.
	partsInFlight = 3
	// groupInFlight is how many objects of a Group are begun, completed or
	// removed at once, as many as ranges are fetched.
	groupInFlight = 8
	// growAfter is the number of parts after which parts grow, to twice the size every
	// growEvery parts, up to maxPart: 10,000 parts of 8 MiB would be 78 GiB,
	// and so they are more than 5 TiB, the most that S3 takes. Parts are equal
	// for the first 35 GiB, since Cloudflare R2 wants that.
	growAfter = 4500
	growEvery = 500
	maxPart   = 4 << 30
	// partsMemory bounds the memory of large parts in flight; there is
	// always at least one, in addition to the part that is being filled.
	partsMemory = 256 << 20
	// maxParts is S3's limit.
	maxParts = 10000

	// pageKeys is how many keys are listed per request, the most that S3 gives.
	pageKeys = 1000
)
