// Package rules holds the rules that this repository keeps, as tests: which package may
// import which, who may ask which device something is on, where tuning numbers stand, how
// large the API and the files may get, and what a program that embeds the library depends on.
// A test that fails names the place and the remedy. Every rule is also run on a small tree
// that breaks it.
package rules
