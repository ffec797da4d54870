package conformance_test

import "testing"

func TestHostPageRanks(t *testing.T) { onHost(3).PageRanks(t) }
func TestGPUPageRanks(t *testing.T)  { onGPU(t).PageRanks(t) }

func TestHostRanksDecayed(t *testing.T) { onHost(3).RanksDecayed(t) }
func TestGPURanksDecayed(t *testing.T)  { onGPU(t).RanksDecayed(t) }
func TestGPUSlabs(t *testing.T)         { onGPU(t).Slabs(t) }
func TestHostLabels(t *testing.T)       { onHost(3).Labels(t) }
func TestGPULabels(t *testing.T)        { onGPU(t).Labels(t) }

func TestHostCentralities(t *testing.T) { onHost(3).Centralities(t) }
func TestGPUCentralities(t *testing.T)  { onGPU(t).Centralities(t) }
