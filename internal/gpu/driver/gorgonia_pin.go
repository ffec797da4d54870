//go:build gorgonia && !gorgonia

// This file is never built. It keeps google.golang.org/genproto in go.mod, at a
// version of the time when its package googleapis/rpc had become a module of
// its own. gorgonia.org/cu asks for an older one that still has the package,
// and with both in a program's graph of modules go mod tidy ends with
// "ambiguous import", here and in every program that imports Foray and Arrow.
// Nothing of it is linked.

package driver

import _ "google.golang.org/genproto/protobuf/field_mask"
