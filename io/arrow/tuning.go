// This file holds the number that decides how ids are handed over.

package arrow

// idsAtOnce is how many ids one goroutine hands over to another at once. A hand-over takes less than a microsecond,
// and so many texts of ids take tens of kilobytes.
const idsAtOnce = 1024
