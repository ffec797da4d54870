module github.com/foray-graph/foray/io/arrow/internal/lake/iceberg/compare

go 1.25

require (
	github.com/apache/arrow-go/v18 v18.7.0
	github.com/apache/arrow/go/v15 v15.0.2
	github.com/apache/iceberg-go v0.7.0
	github.com/foray-graph/foray v0.0.0
)

replace github.com/foray-graph/foray => ../../../../../..
