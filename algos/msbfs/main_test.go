package msbfs_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestMain(m *testing.M) { testlong.Main(m) }
