package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestPlainly: errors of decoders say what is wrong without Go's words, and stay what they are.
func TestPlainly(t *testing.T) {
	type inner struct {
		ID    int               `json:"id" yaml:"id"`
		Names []string          `json:"names" yaml:"names"`
		Is    *bool             `json:"is" yaml:"is"`
		Props map[string]string `json:"props" yaml:"props"`
	}
	for text, want := range map[string]string{
		`{"id": {}}`:           `the member "id" is an object, where an integer belongs`,
		`{"id": 1.5}`:          `the member "id" is the number 1.5, where an integer belongs`,
		`{"names": 7}`:         `the member "names" is a number, where a list belongs`,
		`{"names": [true]}`:    `the member "names" is a bool`,
		`{"is": "yes"}`:        `the member "is" is a string, where true or false belongs`,
		`{"props": []}`:        `the member "props" is a list, where an object belongs`,
		`[]`:                   `the value that ends at byte 1 is a list, where an object belongs`,
		`{"id"`:                `it is no JSON: unexpected end of JSON input`,
		`{id}`:                 `it is no JSON: invalid character 'i'`,
		"yaml:id: [1]":         "line 1: found a list, where an integer belongs",
		"yaml:names: {a: 1}":   "line 1: found an object, where a list belongs",
		"yaml:is: 12":          "line 1: found an integer, where true or false belongs",
		"yaml:a: b: c":         "mapping values are not allowed",
		"yaml:props: [a, b]\n": "line 1: found a list, where an object belongs",
	} {
		var v inner
		var err error
		if rest, ok := strings.CutPrefix(text, "yaml:"); ok {
			err = yaml.Unmarshal([]byte(rest), &v)
		} else {
			err = json.Unmarshal([]byte(text), &v)
		}
		plain := Plainly(err)
		if err == nil || !errors.Is(plain, err) {
			t.Fatalf("%s: %v, %v", text, err, plain)
		}
		for _, word := range []string{"Go ", "json:", "yaml:", "unmarshal", "!!", "text."} {
			if strings.Contains(plain.Error(), word) {
				t.Errorf("%s: %v has %q", text, plain, word)
			}
		}
		if text == `{"names": [true]}` {
			continue // Go names the member or its element by its version
		}
		if !strings.Contains(plain.Error(), want) {
			t.Errorf("%s: %v, want %s", text, plain, want)
		}
	}
	if err := Plainly(fmt.Errorf("ocf: reading magic: %w", errors.New("avro: too short"))); err.Error() != "reading magic: too short" {
		t.Error(err)
	}
	if Plainly(nil) != nil {
		t.Error("nil is no error")
	}
}
