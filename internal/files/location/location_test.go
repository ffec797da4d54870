package location

import (
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	for p, want := range map[string]string{
		"a.parquet": "a.parquet", "/a/b": "/a/b", "s3://b/k": "s3://b/k", "S3://B/k": "s3://B/k", "iceberg://h/n/t": "iceberg://h/n/t", "gen:kron8": "gen:kron8", "a b://c": "a b://c", "://x": "://x",
		"file:///a/b.parquet": "/a/b.parquet", "file://localhost/a": "/a", "FILE://LOCALHOST/a%20b%25": "/a b%", "file:///a/*.parquet": "/a/*.parquet", "file:///year%3D2025": "/year=2025",
	} {
		if got, err := Path(p); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", p, got, err, want)
		}
	}
	for p, want := range map[string]string{
		"gs://b/k": "AWS_ENDPOINT_URL=https://storage.googleapis.com", "gcs://b/k": "write s3://b/k", "GS://b/k": "write s3://b/k", "az://c/k": "azcopy", "abfss://c@account.dfs.core.windows.net/k": "azcopy",
		"https://x.org/a.csv": "download it first", "s3a://b/k": "write s3://b/k", "hdfs://n/x": "hdfs dfs -get", "dbfs://x": "there are files, file://, s3:// and iceberg://",
		"file://other/a": "on other, not on this machine", "file://a": "write file:///path", "file:///a%zz": "%25", "https://me:sesame@x.org/a": "https://x.org/a",
		"https://x.org/a@b/c?sig=sesame": "https://x.org/a@b/c?...: addresses", "gs://me:sesame@b/k@v": "write s3://b/k@v", "https://x.org?sig=sesame": "https://x.org?...: ",
		"abfss://c@account.dfs.core.windows.net/x?sig=sesame": "abfss://c@account.dfs.core.windows.net/x?...: ", "gs://b/a?.csv": "write s3://b/a?.csv",
	} {
		got, err := Path(p)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %q, %v; want %q", p, got, err, want)
		}
	}
}
