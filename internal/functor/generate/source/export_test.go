package source

// Invalid is for tests of package source_test.
var Invalid = invalid
