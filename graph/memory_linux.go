// This file holds how much memory a Linux machine has to give.

package graph

import (
	"bufio"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// machineMemory returns the bytes that the program can still take, and the
// name of the limit.
func machineMemory() (bytes uint64, name string) { return machineMemoryUnder("/") }

// machineMemoryUnder is machineMemory for a file system that begins at root.
func machineMemoryUnder(root string) (bytes uint64, name string) {
	bytes, name = math.MaxUint64, "no limit known"
	if kib, ok := readField(path.Join(root, "proc/meminfo"), "MemAvailable:"); ok {
		bytes, name = kib<<10, "what the machine has free"
	}
	if left, ok := cgroupLeft(root); ok && left < bytes {
		bytes, name = left, "what the control group leaves"
	}
	// Where nothing is left nothing can be built, but 0 would mean no limit.
	return max(bytes, 1), name
}

// cgroupLeft returns the memory that the program's control groups leave, of
// version 2 or 1: the least over its group and the groups around it. Memory of
// cached files counts as free.
func cgroupLeft(root string) (left uint64, ok bool) {
	left = math.MaxUint64
	f, err := os.Open(path.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.SplitN(lines.Text(), ":", 3)
		if len(part) != 3 {
			continue
		}
		base, max, current, cached := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		switch {
		case part[1] == "memory":
			base, max, current, cached = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		case part[0] != "0":
			continue
		}
		// In a container the path may be that of the host, and only the root
		// of the tree be there.
		for dir := path.Clean("/" + part[2]); ; dir = path.Dir(dir) {
			at := path.Join(root, base, dir)
			limit, err := readNumber(path.Join(at, max))
			used, err2 := readNumber(path.Join(at, current))
			if err == nil && err2 == nil {
				free, _ := readField(path.Join(at, "memory.stat"), cached)
				used -= min(used, free)
				left, ok = min(left, limit-min(limit, used)), true
			}
			if dir == "/" {
				break
			}
		}
	}
	return left, ok
}

// readNumber reads a file that holds one number; "max" fails like a missing
// file.
func readNumber(name string) (uint64, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}

// readField reads the number that follows key in a file of lines.
func readField(name, key string) (uint64, bool) {
	f, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) >= 2 && fields[0] == key {
			n, err := strconv.ParseUint(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
