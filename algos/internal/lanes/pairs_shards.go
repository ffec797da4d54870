// This file holds the search for the distances of pairs over shards: after each level the host looks at the lanes
// that have reached the targets.

package lanes

import (
	"errors"

	"github.com/foray-graph/foray/algos/internal/lanes/steps"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
)

func (s *overShards) join(l *Lanes, sources []uint32, batch []joined, _ *operators.Scalar[uint64], distances []int32) (err error) {
	var numbers []uint32
	at := make([]int, len(batch)) // where the pair's target is in numbers
	left := 0
	for i, b := range batch {
		if i == 0 || batch[i-1].to != b.to {
			numbers = append(numbers, s.shards.Number(b.to))
		}
		at[i], distances[b.pair] = len(numbers)-1, -1
		if sources[b.lane] == b.to {
			distances[b.pair] = 0
		} else {
			left++
		}
	}
	p := l.t.Placed()
	dev, devices := run.Device(p), len(s.shards.Parts)
	targets, err := device.NewBuffer[uint32](dev, len(numbers))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, targets.Close()) }()
	words, err := device.NewBuffer[uint64](dev, len(numbers)*devices)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, words.Close()) }()
	if err := targets.Write(dev, 0, numbers); err != nil {
		return err
	}
	if err := l.Start(sources); err != nil {
		return err
	}
	look := &steps.Look{List: steps.List{Numbers: targets, Count: len(numbers)}, New: l.new, Words: words}
	reached := make([]uint64, len(numbers)*devices)
	for left > 0 && l.Next() {
		l.t.Do(l.cur, look)
		s.wait(l)
		if l.Err() != nil {
			break
		}
		if err := s.gather(l, words, reached); err != nil {
			return err
		}
		for i, b := range batch {
			owner := int(b.to) % devices
			if distances[b.pair] < 0 && reached[owner*len(numbers)+at[i]]>>b.lane&1 != 0 {
				distances[b.pair] = l.depth
				left--
			}
		}
	}
	return l.Err()
}
