// This file holds the numbers that somebody chose.

package link

// mostPaths is how many branches of a method are followed to find out what it tells: those of Foray's own
// have up to some dozens.
const mostPaths = 1000
