// This file holds the pushes that sort the frontier by degree first: into
// buckets, or into short rows and a queue of hubs.

package advance

import (
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/gpu"
)

// bucketArgs are the arguments of classify (advance.cu).
type bucketArgs struct {
	in   inArgs
	out  [3]front.RemoteQueue
	post [3]gpu.Post
}

// splitArgs are the arguments of a push that puts long rows aside (entries.cuh).
type splitArgs struct {
	g              csrArgs
	in             inArgs
	out, hubs      front.RemoteQueue
	post, hubsPost gpu.Post
	least          uint64
}

// asides returns the first k scratch frontiers, empty, with room for so many
// vertices each.
func (a *onGPU) asides(k, room int) ([]*frontier.Frontier, error) {
	for len(a.aside) < k {
		a.aside = append(a.aside, frontier.New(a.p))
	}
	for _, f := range a.aside[:k] {
		if err := f.Reset(frontier.Queue); err != nil {
			return nil, err
		}
		if err := f.Grow(room); err != nil {
			return nil, err
		}
	}
	return a.aside[:k], nil
}

// runHubs pushes short rows by thread, and those of the hubs, from a queue of
// their own, by merge path.
func (a *onGPU) runHubs(count int, edges uint64, list bool, out *frontier.Frontier, kf kernelFunctor) error {
	hubs, err := a.asides(1, count)
	if err != nil {
		return err
	}
	split, err := a.kernelOf(kf, "push_split")
	if err != nil {
		return err
	}
	merge, err := a.kernelOf(kf, "push_merge")
	if err != nil {
		return err
	}
	h := hubs[0].Remote()
	queue := h.Queue()
	if list { // its edges may be more than a set's slot can count: no merge path
		if merge, err = a.kernelOf(kf, "push_twc"); err != nil {
			return err
		}
		queue = h.List()
	}
	if err := a.s.Ready(2); err != nil {
		return err
	}
	post, err := a.s.Post(out.Remote().Ticket())
	if err != nil {
		return err
	}
	hubsPost, err := a.s.Post(h.Ticket())
	if err != nil {
		return err
	}
	first := post
	first.Mail = 0 // the second kernel continues in the same slot
	a.split = splitArgs{g: a.push.g, in: a.push.in, out: a.push.out, hubs: queue, post: first, hubsPost: hubsPost, least: hubRow}
	a.args.Reset()
	gpu.Struct(&a.args, &a.split)
	gpu.Struct(&a.args, &a.params)
	if err := a.s.Launch(split, rowBlocks(count, edges), &a.args); err != nil {
		return err
	}
	a.push.in = a.counted(queue, hubsPost)
	a.push.post = post
	a.args.Reset()
	gpu.Struct(&a.args, &a.push)
	gpu.Struct(&a.args, &a.params)
	return a.s.Launch(merge, merge.Resident(), &a.args)
}

// runBuckets sorts the frontier into three buckets and pushes each in its way:
// by thread, by warp, by block.
func (a *onGPU) runBuckets(count int, edges uint64, list bool, out *frontier.Frontier, kf kernelFunctor) error {
	buckets, err := a.asides(3, count)
	if err != nil {
		return err
	}
	classify, err := a.extra("classify")
	if err != nil {
		return err
	}
	var pushes [3]*gpu.Kernel // before the first launch: one may be missing
	for i, op := range [...]string{"push_thread", "push_warp", "push_twc"} {
		if pushes[i], err = a.kernelOf(kf, op); err != nil {
			return err
		}
	}
	if err := a.s.Ready(4); err != nil {
		return err
	}
	post, err := a.s.Post(out.Remote().Ticket())
	if err != nil {
		return err
	}
	a.bucket.in = a.push.in
	for i, b := range buckets {
		a.bucket.out[i] = b.Remote().Queue()
		if list {
			a.bucket.out[i] = b.Remote().List()
		}
		if a.bucket.post[i], err = a.s.Post(b.Remote().Ticket()); err != nil {
			return err
		}
	}
	a.args.Reset()
	gpu.Struct(&a.args, &a.bucket)
	if err := a.s.Launch(classify, blocksFor(uint64(count)), &a.args); err != nil {
		return err
	}
	blocks := rowBlocks(count, edges)
	for i, k := range pushes {
		a.push.in = a.counted(a.bucket.out[i], a.bucket.post[i])
		a.push.post = post
		if i < 2 {
			a.push.post.Mail = 0
		}
		a.args.Reset()
		gpu.Struct(&a.args, &a.push)
		gpu.Struct(&a.args, &a.params)
		if err := a.s.Launch(k, blocks, &a.args); err != nil {
			return err
		}
	}
	return nil
}

// counted is a frontier whose size is in a slot on the device.
func (a *onGPU) counted(q front.RemoteQueue, p gpu.Post) inArgs {
	return inArgs{items: q.Items, prefix: q.Prefix, slot: p.Slot, shift: q.Shift}
}
