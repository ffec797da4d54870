// This file holds what a measurement ran on.

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// Machine is what a measurement ran on, and the program that measured.
type Machine struct {
	Device    string `json:"device"`
	Model     string `json:"model,omitempty"`  // what the maker calls it
	Units     int    `json:"units"`            // workers of the host, multiprocessors of a GPU
	Driver    string `json:"driver,omitempty"` // of a GPU: the version of CUDA that the driver supports, and the driver's own where Linux says it
	CPU       string `json:"cpu,omitempty"`    // of the host, whatever the device is; empty if the system doesn't say
	CPUs      int    `json:"cpus,omitempty"`   // logical ones that the process may use
	Platform  string `json:"platform"`
	GoVersion string `json:"go_version"`
	Version   string `json:"version,omitempty"` // of Foray
	Commit    string `json:"commit,omitempty"`  // empty if the build doesn't say
	Time      string `json:"time,omitempty"`    // as time.RFC3339
}

// MachineOf returns the machine of a device, now.
func MachineOf(info device.Info) Machine {
	return Machine{
		Device: info.Name, Model: info.Model, Units: info.Units, Driver: driver(info), CPU: cpuModel(), CPUs: runtime.NumCPU(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, GoVersion: runtime.Version(), Version: buildinfo.Version(), Commit: buildinfo.Commit(),
		Time: time.Now().UTC().Format(time.RFC3339),
	}
}

// Hardware names the device and the processor.
func (m Machine) Hardware() string {
	name := m.Device
	if m.Model != "" && m.Model != m.Platform {
		name += " (" + m.Model + ")"
	}
	name += " of " + text.Plural(m.Units, unit(m.Device))
	if m.CPU != "" {
		name += fmt.Sprintf(", %s (%s)", m.CPU, text.Plural(m.CPUs, "CPU"))
	}
	return name + ", " + m.Platform
}

// cpuModel returns the maker's name for the processor, from Linux.
var cpuModel = sync.OnceValue(func() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), ":")
		if name = strings.TrimSpace(name); name == "model name" || name == "cpu model" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
})

// driver returns the versions of CUDA and of the driver, "" for the host.
func driver(info device.Info) string {
	if info.Driver == "" {
		return ""
	}
	said, err := os.ReadFile("/proc/driver/nvidia/version")
	if version := driverVersion(said); err == nil && version != "" {
		return info.Driver + ", " + version
	}
	return info.Driver
}

var driverNumber = regexp.MustCompile(`\b\d{3,}(\.\d+)+\b`)

// driverVersion returns the version in the file of NVIDIA's kernel module: NVRM version: NVIDIA UNIX ... 580.159.04 ...
func driverVersion(said []byte) string {
	line, _, _ := bytes.Cut(said, []byte("\n"))
	return string(driverNumber.Find(line))
}
