// This file holds the tests of places in files.

package columnar

import (
	"errors"
	"testing"
)

// TestPlaceAt: a place is said once, the nearer one where there are two.
func TestPlaceAt(t *testing.T) {
	cause := errors.New("cause")
	for want, err := range map[string]error{
		`block 0, column "a": cause`: PlaceAt(-1, "b", PlaceAt(0, "a", cause)),
		`block 1, column "b": cause`: PlaceAt(1, "a", PlaceAt(-1, "b", cause)),
		`block 2, column "a": cause`: PlaceAt(3, "a", PlaceAt(2, "", cause)),
		`column "a": cause`:          PlaceAt(-1, "", PlaceAt(-1, "a", cause)),
	} {
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if PlaceAt(0, "a", nil) != nil {
		t.Error("an error without a cause")
	}
}
