// Package doctest tests the documents: every code block of README.md, of docs/*.md and of the
// public packages' doc comments is compiled, and run if it is a program or a command.
//
// What a block is follows from the word behind its fence, in Markdown, or from its
// text, in a doc comment:
//
//   - go: type-checked. A block that begins with a package clause is a program of its
//     own, which is built and run. Others are fragments: they see the variables of
//     given.go.txt, and what fragments before them in the same document declare. A
//     line that is only "..." stands for anything.
//   - cuda: compiled for the CPU, as the tests of layouts do, so g++ is needed. A block
//     without an #include is the body of a struct, or part of a file: it goes with the
//     block before it.
//   - sh: commands. Those of foray are run in a scratch folder that has testdata; of
//     others only the kinds in known (run_test.go) may appear.
//   - text right behind a program or a command is what that prints; "..." stands for
//     anything.
//
// In Markdown an HTML comment before a block can say more:
//
//	<!-- from: examples/embed/main.go -->   the block is a part of that file, word for word
//	<!-- args: testdata/karate.parquet -->  the program gets these arguments
//	<!-- build: it serves until it ends --> the program is built, but not run, and why
//	<!-- parse: it needs a store -->        of commands only the flags are checked, and why
package doctest
