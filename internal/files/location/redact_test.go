package location

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"":                                        "",
		"no address: a?b=c @x":                    "no address: a?b=c @x",
		"s3://user:PW@bucket/key":                 "s3://...@bucket/key",
		"s3://user:P/W@bucket/key":                "s3://...@bucket/key",
		"s3://bucket/a@b/c":                       "s3://bucket/a@b/c",
		"s3://bucket/a?.parquet":                  "s3://bucket/a?.parquet",
		"s3://bucket/a?/k=1/x":                    "s3://bucket/a?/k=1/x",
		"s3://b/k?X-Amz-Signature=PW":             "s3://b/k?...",
		"s3://b/k?a=b&X-Amz-Credential=P":         "s3://b/k?...",
		"iceberg://user:PW@host:8181/n/t":         "iceberg://...@host:8181/n/t",
		"iceberg://host/n/t?token=PW":             "iceberg://host/n/t?...",
		"iceberg://host/n/t?warehouse=w":          "iceberg://host/n/t?warehouse=w",
		"iceberg://host/n/t?warehouse=w&token=PW": "iceberg://host/n/t?...",
		"http://host:9000?token=PW":               "http://host:9000?...",
		"HTTPS://u:PW@host/x, then":               "HTTPS://...@host/x, then",
		"https://u:P/W@host:1/x: no":              "https://...@host:1/x: no",
		`Get "https://u:PW@h/p?q=PW": refused`:    `Get "https://...@h/p?...": refused`,
		`parse "http://us er:PW@host": bad`:       `parse "http://...@host": bad`,
		"a https://h/?PW and s3://u:PW@b.":        "a https://h/?... and s3://...@b.",
		"abfss://container@account/x?sig=PW":      "abfss://container@account/x?...",
		"file:///a/b":                             "file:///a/b",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"u:PW@host:9000": "...@host:9000", "host:9000?token=PW": "host:9000?...", "host": "host", "http://u:PW@h/?x": "http://...@h/?..."} {
		if got := RedactAddress(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                      "plain",
		"two\nlines":                 "two\nlines",
		"\x1b[31mred\a":              `\x1b[31mred\x07`,
		"a\u202etxt":                 `a\u202etxt`,
		"s3://u:PW@b/\x1b: not here": `s3://...@b/\x1b: not here`,
	} {
		inner := &fs.PathError{Op: "open", Path: in, Err: fs.ErrNotExist}
		var err error = inner
		Shown(&err)
		if !strings.Contains(err.Error(), want) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %q", in, err)
		}
		if kept := err == error(inner); kept != (in == want) {
			t.Errorf("%q: kept %v", in, kept)
		}
	}
	var none error
	if Shown(&none); none != nil {
		t.Error(none)
	}
}
