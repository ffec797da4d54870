// This file holds which ranks share a machine.

package engine

import (
	"context"
	"os"
	"strings"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// machines are those that ranks run on.
type machines struct {
	of    []int   // the machine of each rank
	place []int   // the position of each rank among the ranks of its machine
	ranks [][]int // of each machine, ascending
}

// newMachines groups ranks by the names of their machines.
func newMachines[Name comparable](names []Name) *machines {
	m := &machines{of: make([]int, len(names)), place: make([]int, len(names))}
	number := map[Name]int{}
	for r, name := range names {
		k, known := number[name]
		if !known {
			k = len(m.ranks)
			number[name] = k
			m.ranks = append(m.ranks, nil)
		}
		m.of[r], m.place[r] = k, len(m.ranks[k])
		m.ranks[k] = append(m.ranks[k], r)
	}
	return m
}

// findMachines groups ranks by the system that they run on, or into groups of each consecutive ranks.
func findMachines(ctx context.Context, c comm.Comm, each int) (*machines, error) {
	if each > 0 {
		of := make([]int, c.Size())
		for r := range of {
			of[r] = r / each
		}
		return newMachines(of), nil
	}
	in, err := everywhere(ctx, c, []byte(system()))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(in))
	for r := range in {
		names[r] = string(in[r])
	}
	return newMachines(names), nil
}

// CountMachines returns on how many machines the ranks are. All ranks call it.
func CountMachines(ctx context.Context, c comm.Comm) (int, error) {
	m, err := findMachines(ctx, c, 0)
	if err != nil {
		return 0, err
	}
	return len(m.ranks), nil
}

// system names the machine's running system: by the kernel's number of its start, which containers of a machine share
// and machines of one name don't; otherwise by the machine's name.
func system() string {
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil && len(id) > 0 {
		return strings.TrimSpace(string(id))
	}
	name, _ := os.Hostname() // without a name ranks count as ranks of one machine, as for memory
	return name
}

// carrier returns the rank of a machine that sends the vertices of all ranks of the machine to a rank of another machine:
// the rank with the same position.
func (m *machines) carrier(machine, rank int) int {
	all := m.ranks[machine]
	return all[m.place[rank]%len(all)]
}

// carries lists the ranks of other machines to which a rank sends for its machine.
func (m *machines) carries(rank int) (list []int) {
	for r, k := range m.of {
		if k != m.of[rank] && m.carrier(m.of[rank], r) == rank {
			list = append(list, r)
		}
	}
	return list
}

// partners lists the ranks of other machines to which a rank sends carried vertices or from which it receives them.
func (m *machines) partners(rank int) (list []int) {
	for r, k := range m.of {
		if k != m.of[rank] && (m.carrier(m.of[rank], r) == rank || m.carrier(k, rank) == r) {
			list = append(list, r)
		}
	}
	return list
}

// gain reports whether ranks that first exchange within their machine send fewer messages to other machines: some
// machine of several has several ranks.
func (m *machines) gain() bool { return len(m.ranks) > 1 && len(m.ranks) < len(m.of) }
