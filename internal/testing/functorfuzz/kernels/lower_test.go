package kernels

import (
	"os"
	"testing"
)

func TestRandomText(t *testing.T) {
	text, err := os.ReadFile("../../../../random/random.go")
	if err != nil || string(text) != randomText {
		t.Errorf("random.txt isn't random/random.go (%v); copy it", err)
	}
}
