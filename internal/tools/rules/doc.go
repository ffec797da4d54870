// Package rules tests the rules of this repository: which package may import which, which code may
// branch on the device, where tuning numbers are, how large the API and the files may be, and what
// a program that embeds the library depends on.
package rules
