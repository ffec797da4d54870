// This file holds the one loop of retries.

package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/files/s3"
)

// request is something that is asked of the store until it is answered.
type request struct {
	op, path, bucket string
	// retried is called after a failed attempt that may have had its effect.
	retried func()
}

// do calls f until it succeeds, fails for good, or has failed as often as it
// may. Its error is an *Error, or the context's.
func (c *Client) do(ctx context.Context, q request, f func(context.Context, *minio.Core) error) error {
	for n := 1; ; n++ {
		if err := ended(ctx); err != nil {
			return err
		}
		core, region, err := c.core(ctx, q)
		if err != nil {
			return err
		}
		if err = f(ctx, core); err == nil {
			return nil
		}
		if end := ended(ctx); end != nil {
			return end
		}
		v := judge(q.op, q.path, err)
		c.keys.explain(v.err)
		if v.region != "" && v.region != region {
			if c.moved(q.bucket, v.region) {
				v.retry = true
			} else {
				v.err.Remedy = "set AWS_REGION=" + v.region + ": that is where the bucket is"
			}
		}
		if v.renew && !c.keys.expire() || !v.retry {
			return v.err
		}
		if v.unknown && q.retried != nil {
			q.retried()
		}
		if n >= c.set.attempts {
			if v.err.Err != nil && n > 1 {
				v.err.Err = fmt.Errorf("%w (%d attempts)", v.err.Err, n)
			}
			return v.err
		}
		c.stats.retries.Add(1)
		if err := c.wait(ctx, n); err != nil {
			return err
		}
	}
}

// wait waits before the attempt after the nth: at random, half of a bound that
// doubles or more, so that clients that failed together don't come back together.
func (c *Client) wait(ctx context.Context, n int) error {
	bound := min(c.set.backoff<<min(n-1, 10), max(maxBackoff, c.set.backoff))
	t := time.NewTimer(bound/2 + rand.N(bound/2+1))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ended(ctx)
	case <-t.C:
		return nil
	}
}

// isCode reports whether the store answered with a code.
func isCode(err error, code string) bool {
	var e *s3.Error
	return errors.As(err, &e) && e.Code == code
}
