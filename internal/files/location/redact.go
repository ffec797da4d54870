// This file takes secrets out of addresses.

package location

import (
	"regexp"
	"strings"

	"github.com/foray-graph/foray/internal/text"
)

var (
	// addresses are those in a text: between quotes up to the second one, else up to a blank or a quote.
	addresses = regexp.MustCompile("\"[A-Za-z][A-Za-z0-9+.\\-]*://[^\"]*\"|[A-Za-z][A-Za-z0-9+.\\-]*://[^\\s\"'<>`]*")
	// secret matches a query of an object's address that has a signature. Other question marks in keys are patterns.
	secret = regexp.MustCompile(`(?i)[?&][^=&]*(amz|sign|token|secret|key|pass|credential|auth|policy|expires)[^=&]*=`)
)

// Redact replaces the names, passwords and queries of the addresses in a text by "...", since they may be
// secret. It keeps the part of an object's key behind a question mark that begins no query, and the warehouse
// of a catalog.
func Redact(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	return addresses.ReplaceAllStringFunc(s, func(address string) string {
		if inner, ok := strings.CutPrefix(address, `"`); ok {
			return `"` + redact(strings.TrimSuffix(inner, `"`)) + `"`
		}
		return redact(address)
	})
}

func redact(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	end := ""
	for _, mark := range []string{":", ",", ";", ")", "."} { // of the sentence
		if cut, ok := strings.CutSuffix(rest, mark); ok {
			rest, end = cut, mark+end
			break
		}
	}
	lower := strings.ToLower(scheme)
	host, _, _ := strings.Cut(rest, "/")
	azure := remedies[lower] == azure
	switch at := strings.LastIndexByte(host, '@'); {
	case azure && !strings.Contains(host, ":"): // there it is container@account
	case at >= 0:
		rest = "..." + rest[at:]
	case strings.Contains(host, ":"):
		// A password may have a slash in it that should have been escaped.
		before, _, _ := strings.Cut(rest, "?")
		if at := strings.LastIndexByte(before, '@'); at >= 0 {
			rest = "..." + rest[at:]
		}
	}
	before, query, ok := strings.Cut(rest, "?")
	switch {
	case !ok:
	case lower == "iceberg" && strings.HasPrefix(query, "warehouse=") && !strings.ContainsAny(query, "&;"):
	case (lower == "s3" || lower == "s3a" || lower == "s3n" || lower == "gs" || lower == "gcs" || lower == "oss") && !secret.MatchString("?"+query):
	default:
		rest = before + "?..."
	}
	return scheme + "://" + rest + end
}

// shownError is an error whose text is safe to show.
type shownError struct {
	error
	text string
}

func (e *shownError) Error() string { return e.text }
func (e *shownError) Unwrap() error { return e.error }

// RedactAddress is Redact for text that is an address, possibly without a scheme.
func RedactAddress(address string) string {
	if strings.Contains(address, "://") {
		return redact(address)
	}
	return strings.TrimPrefix(redact("https://"+address), "https://")
}

// Shown replaces *err by an error whose text has neither secrets of addresses nor what text.Escape escapes, line by line.
// An error whose text is safe stays unchanged. Defer it in functions that programs call.
func Shown(err *error) {
	if *err == nil {
		return
	}
	said := (*err).Error()
	lines := strings.Split(Redact(said), "\n")
	for i, line := range lines {
		lines[i] = text.Escape(line)
	}
	if shown := strings.Join(lines, "\n"); shown != said {
		*err = &shownError{*err, shown}
	}
}
