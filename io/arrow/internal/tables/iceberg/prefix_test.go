package iceberg

import (
	"errors"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// TestEscapePrefix: what a catalog wants before its paths is names, whatever is in them.
func TestEscapePrefix(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "/": "", "w": "/w", "/w/1/": "/w/1", "a//b": "/a/b",
		"arn:aws:s3tables:eu:1:bucket/x": "/arn:aws:s3tables:eu:1:bucket/x",
		"arn%3Aaws%2fx":                  "/arn%3Aaws%2fx",
		"a b?token=x#y":                  "/a%20b%3Ftoken=x%23y",
		"100%":                           "/100%25", "%zz": "/%25zz", "\r\nHost: x": "/%0D%0AHost:%20x", `a\b`: "/a%5Cb", "ü": "/%C3%BC", "...": "/...",
	} {
		if got, err := escapePrefix(in); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"..", "a/../../v2/x", "./a", "%2e%2E/x", ".%2e"} {
		if got, err := escapePrefix(in); !errors.Is(err, columnar.ErrUnsupported) {
			t.Errorf("%q is %q, %v", in, got, err)
		}
	}
}
