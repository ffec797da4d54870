package linked

import (
	"errors"
	"testing"
)

// TestPart: a part that isn't linked is an error that names the import.
func TestPart(t *testing.T) {
	p := Part[int]{Name: "the answer", Import: "example.com/answer"}
	_, err := p.Get()
	if !errors.Is(err, errors.ErrUnsupported) || err.Error() != `this program does not link the answer: import _ "example.com/answer"` {
		t.Error(err)
	}
	p.Provide(42)
	if x, err := p.Get(); x != 42 || err != nil {
		t.Error(x, err)
	}
}
