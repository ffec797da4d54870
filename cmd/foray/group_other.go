//go:build !unix

// This file ends a process where there are no groups of processes.

package main

import "os/exec"

func grouped(*exec.Cmd) {}

func interruptGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(*exec.Cmd) {}
