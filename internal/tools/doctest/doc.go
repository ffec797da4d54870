// Package doctest tests the documents: every code block of README.md, of docs/*.md and of the
// public packages' doc comments is compiled, and run if it is a program or a command.
//
// The kind of a block follows from the word behind its fence, in Markdown, or from its
// text, in a doc comment:
//
//   - go: type-checked. A block that begins with a package clause is a separate program,
//     which is built and run. Other blocks are fragments: they see the variables of
//     given.go.txt, and declarations of earlier fragments in the same document. A
//     line that is only "..." stands for anything.
//   - cuda: compiled for the CPU, as the tests of layouts do, so g++ is needed. A block
//     without an #include is the body of a struct, or part of a file: it belongs to the
//     previous block.
//   - c, python: part of a program that is tested elsewhere; from (below) names it.
//   - sh: commands. foray's commands are run in a scratch folder that has testdata; of
//     other commands only the kinds in known (run_test.go) may appear.
//   - text right behind a program or a command is its output; "..." stands for
//     anything.
//
// In Markdown, an HTML comment before a block can set more:
//
//	<!-- from: examples/embed/main.go -->   the block is a part of that file, word for word
//	<!-- args: testdata/karate.parquet -->  the program gets these arguments
//	<!-- build: it serves until it ends --> the program is built, but not run, and why
//	<!-- parse: it needs a store -->        of commands only the flags are checked, and why
package doctest
