// This file links what tests of object stores need.

package arrow

import _ "github.com/foray-graph/foray/io/s3"
