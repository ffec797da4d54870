package conformance_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/conformance"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators/advance"
)

// onHost has small graphs and few rounds but in the long form.
func onHost(workers int) conformance.Suite {
	return conformance.Suite{Device: host.New(workers), Balances: []advance.Strategy{advance.AutoBalance}, Small: race || !testlong.Long()}
}

// onGPU skips the test where there is no GPU.
func onGPU(t *testing.T) conformance.Suite {
	dev, err := device.Open("cuda")
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	if strings.HasPrefix(dev.Info().Model, "Emulated") {
		gpu.Patience = math.MaxUint32 // ticks are short there
	}
	return conformance.Suite{Device: dev, GPU: true, Small: testing.Short(), Balances: []advance.Strategy{
		advance.AutoBalance, advance.ThreadMapped, conformance.Strategy("warp"), advance.TWC, advance.MergePath, conformance.Strategy("hubs"), conformance.Strategy("buckets"), conformance.Strategy("scan"),
	}}
}

func TestHostOperators(t *testing.T)  { onHost(3).Operators(t) }
func TestHostScans(t *testing.T)      { onHost(3).Scans(t) }
func TestGPUScans(t *testing.T)       { onGPU(t).Scans(t) }
func TestHostPredicates(t *testing.T) { onHost(3).Predicates(t) }
func TestGPUPredicates(t *testing.T)  { onGPU(t).Predicates(t) }
func TestHostIntersects(t *testing.T) {
	testlong.Project(t)
	onHost(3).Intersects(t)
}
func TestGPUIntersects(t *testing.T) { onGPU(t).Intersects(t) }
func TestHostOriented(t *testing.T)  { onHost(3).Oriented(t) }
func TestGPUOriented(t *testing.T)   { onGPU(t).Oriented(t) }
func TestHostWholes(t *testing.T) {
	testlong.Project(t)
	onHost(3).Wholes(t)
}
func TestGPUWholes(t *testing.T)    { onGPU(t).Wholes(t) }
func TestHostNobody(t *testing.T)   { onHost(3).Nobody(t) }
func TestGPUNobody(t *testing.T)    { onGPU(t).Nobody(t) }
func TestHostSearches(t *testing.T) { onHost(3).Searches(t) }
func TestGPUTiers(t *testing.T)     { onGPU(t).Tiers(t) }

// TestGPUTiersBudget and TestGPUTiersWithoutMemory look at the memory of the device.
func TestGPUTiersBudget(t *testing.T)        { onEmulated(t).TiersBudget(t) }
func TestGPUTiersWithoutMemory(t *testing.T) { onEmulated(t).TiersWithoutMemory(t) }
func TestHostSearchers(t *testing.T)         { onHost(3).Searchers(t) }
func TestGPUSearchers(t *testing.T)          { onGPU(t).Searchers(t) }

func TestHostBatches(t *testing.T) { onHost(3).Batches(t) }
func TestGPUBatches(t *testing.T)  { onGPU(t).Batches(t) }

// TestGPUBatchesWithoutMemory takes all memory of the device, again and again.
func TestGPUBatchesWithoutMemory(t *testing.T) {
	onEmulated(t).BatchesWithoutMemory(t)
}

// onEmulated is onGPU for tests that take all of a device's memory.
func onEmulated(t *testing.T) conformance.Suite {
	s := onGPU(t)
	if !strings.HasPrefix(s.Device.Info().Model, "Emulated") {
		t.Skip("needs the emulated GPU (scripts/gpu-test emulate): the test takes all memory, again and again")
	}
	return s
}

func TestHostOrders(t *testing.T) {
	onHost(3).Orders(t)
	onHost(2).OrdersFail(t)
}

func TestGPUOrders(t *testing.T) {
	s := onGPU(t)
	s.Orders(t)
	s.OrdersFail(t)
}

func TestHostBuilds(t *testing.T) {
	testlong.Project(t)
	onHost(3).Builds(t)
}
func TestGPUBuilds(t *testing.T) { onGPU(t).Builds(t) }

func TestHostContract(t *testing.T) { onHost(3).Contract(t) }
func TestGPUContract(t *testing.T)  { onGPU(t).Contract(t) }

// TestGPUApart needs a GPU that is broken on purpose.
func TestGPUApart(t *testing.T) {
	if os.Getenv("FORAY_EMULATOR_APART") != "1" {
		t.Skip("needs the emulated GPU with FORAY_EMULATOR_APART=1 (scripts/gpu-test emulate), whose blocks don't all run at once")
	}
	s, patience := onGPU(t), gpu.Patience
	gpu.Patience = 1 << 4
	defer func() { gpu.Patience = patience }()
	s.Apart(t)
}

func TestGPUFlex(t *testing.T) {
	s := onGPU(t)
	t.Run("narrow", s.Flex)
	tuning.WideOffsets = true
	defer func() { tuning.WideOffsets = false }()
	s.Small = true
	t.Run("wide", s.Flex)
}

func TestGPUFlexReport(t *testing.T) { onGPU(t).FlexReport(t) }

// TestGPUFlexApart needs a GPU that is broken on purpose, as TestGPUApart does.
func TestGPUFlexApart(t *testing.T) {
	if os.Getenv("FORAY_EMULATOR_APART") != "1" {
		t.Skip("needs the emulated GPU with FORAY_EMULATOR_APART=1 (scripts/gpu-test emulate), whose blocks don't all run at once")
	}
	s, patience := onGPU(t), gpu.Patience
	gpu.Patience = 1 << 4
	defer func() { gpu.Patience = patience }()
	s.FlexApart(t)
}

func TestGPUImpatient(t *testing.T) { onGPU(t).Impatient(t) }

// TestGPUResumed shows most with FORAY_EMULATOR_SMS=4 and FORAY_EMULATOR_WORKERS=2.
func TestGPUResumed(t *testing.T) { onGPU(t).Resumed(t) }

func TestHostByID(t *testing.T) { onHost(3).ByID(t) }
func TestGPUByID(t *testing.T)  { onGPU(t).ByID(t) }

func TestHostOptions(t *testing.T) { onHost(2).Options(t) }
func TestGPUOptions(t *testing.T)  { onGPU(t).Options(t) }

func TestHostPoolLearns(t *testing.T) { onHost(2).PoolLearns(t) }
func TestGPUPoolLearns(t *testing.T)  { onGPU(t).PoolLearns(t) }

func TestGPUForetold(t *testing.T) {
	s := onGPU(t)
	s.Estimated(t)
	s.Used(t)
}

func TestHostQueries(t *testing.T) { onHost(3).Queries(t) }
func TestGPUQueries(t *testing.T)  { onGPU(t).Queries(t) }

// TestGPURefused takes all memory of the device, as TestGPUBatchesWithoutMemory does.
func TestGPURefused(t *testing.T) { onEmulated(t).Refused(t) }

func TestHostDeep(t *testing.T) { onHost(2).Deep(t) }
func TestGPUDeep(t *testing.T)  { onGPU(t).Deep(t) }

func TestHostFreed(t *testing.T) {
	onHost(2).Freed(t)
	onHost(2).FreedByCallbacks(t)
}

func TestGPUFreed(t *testing.T) {
	s := onGPU(t)
	s.Freed(t)
	s.FreedByCallbacks(t)
}

func TestHostFlips(t *testing.T) { onHost(3).Flips(t) }
func TestGPUFlips(t *testing.T)  { onGPU(t).Flips(t) }
func TestHostLocal(t *testing.T) { onHost(3).Local(t) }
func TestGPULocal(t *testing.T)  { onGPU(t).Local(t) }

func TestHostAlike(t *testing.T) { onHost(3).Alike(t) }
func TestGPUAlike(t *testing.T)  { onGPU(t).Alike(t) }

func TestHostLastPulls(t *testing.T) { onHost(3).LastPulls(t) }
func TestGPULastPulls(t *testing.T)  { onGPU(t).LastPulls(t) }

func TestHostAlgorithmCC(t *testing.T) { onHost(3).AlgorithmCC(t) }
func TestGPUAlgorithmCC(t *testing.T)  { onGPU(t).AlgorithmCC(t) }

func TestHostAlgorithmMSBFS(t *testing.T) { onHost(3).AlgorithmMSBFS(t) }
func TestGPUAlgorithmMSBFS(t *testing.T)  { onGPU(t).AlgorithmMSBFS(t) }

func TestHostAlgorithmBC(t *testing.T)          { onHost(3).AlgorithmBC(t) }
func TestGPUAlgorithmBC(t *testing.T)           { onGPU(t).AlgorithmBC(t) }
func TestHostAlgorithmKCore(t *testing.T)       { onHost(3).AlgorithmKCore(t) }
func TestGPUAlgorithmKCore(t *testing.T)        { onGPU(t).AlgorithmKCore(t) }
func TestHostAlgorithmCommunities(t *testing.T) { onHost(3).AlgorithmCommunities(t) }
func TestGPUAlgorithmCommunities(t *testing.T)  { onGPU(t).AlgorithmCommunities(t) }

func TestHostAlgorithmColor(t *testing.T)     { onHost(3).AlgorithmColor(t) }
func TestGPUAlgorithmColor(t *testing.T)      { onGPU(t).AlgorithmColor(t) }
func TestHostAlgorithmMIS(t *testing.T)       { onHost(3).AlgorithmMIS(t) }
func TestGPUAlgorithmMIS(t *testing.T)        { onGPU(t).AlgorithmMIS(t) }
func TestHostAlgorithmBridges(t *testing.T)   { onHost(3).AlgorithmBridges(t) }
func TestGPUAlgorithmBridges(t *testing.T)    { onGPU(t).AlgorithmBridges(t) }
func TestHostAlgorithmTrusses(t *testing.T)   { onHost(3).AlgorithmTrusses(t) }
func TestGPUAlgorithmTrusses(t *testing.T)    { onGPU(t).AlgorithmTrusses(t) }
func TestHostAlgorithmCliques(t *testing.T)   { onHost(3).AlgorithmCliques(t) }
func TestGPUAlgorithmCliques(t *testing.T)    { onGPU(t).AlgorithmCliques(t) }
func TestHostAlgorithmMSF(t *testing.T)       { onHost(3).AlgorithmMSF(t) }
func TestGPUAlgorithmMSF(t *testing.T)        { onGPU(t).AlgorithmMSF(t) }
func TestHostAlgorithmTopo(t *testing.T)      { onHost(3).AlgorithmTopo(t) }
func TestGPUAlgorithmTopo(t *testing.T)       { onGPU(t).AlgorithmTopo(t) }
func TestHostAlgorithmSimilar(t *testing.T)   { onHost(3).AlgorithmSimilar(t) }
func TestGPUAlgorithmSimilar(t *testing.T)    { onGPU(t).AlgorithmSimilar(t) }
func TestHostAlgorithmWalks(t *testing.T)     { onHost(3).AlgorithmWalks(t) }
func TestGPUAlgorithmWalks(t *testing.T)      { onGPU(t).AlgorithmWalks(t) }
func TestHostAlgorithmTriangles(t *testing.T) { onHost(3).AlgorithmTriangles(t) }
func TestGPUAlgorithmTriangles(t *testing.T)  { onGPU(t).AlgorithmTriangles(t) }

func TestHostTrails(t *testing.T) { onHost(3).Trails(t) }
func TestGPUTrails(t *testing.T)  { onGPU(t).Trails(t) }

func TestHostComponents(t *testing.T) { onHost(3).Components(t) }
func TestGPUComponents(t *testing.T)  { onGPU(t).Components(t) }
func TestHostBeyond(t *testing.T)     { onHost(3).Beyond(t) }
func TestGPUBeyond(t *testing.T)      { onGPU(t).Beyond(t) }

func TestGPUOperators(t *testing.T) { onGPU(t).Operators(t) }
func TestGPUImages(t *testing.T)    { onGPU(t).Images(t) }
func TestGPUSearches(t *testing.T)  { onGPU(t).Searches(t) }

func TestGPULarge(t *testing.T) {
	s, times := onGPU(t), 1000
	specs := []string{"star:1000000", "path:100000", "smallworld:n=2001,k=2000,p=0",
		"kron10", "kron11", "kron12", "kron13", "kron14", "kron15", "kron16", "kron17", "kron18", "urand16", "grid2d:300x300", "road:300x300", "smallworld:n=100000"}
	if testing.Short() {
		specs, times = []string{"star:5000", "path:300", "kron10", "grid2d:30x20"}, 3
	}
	s.Large(t, specs, map[bool]string{false: "kron18", true: "kron10"}[testing.Short()], times)
}

// TestGPUWide has offsets of 64 bits, which only graphs of more edges than fit
// into 32 bits have otherwise.
func TestGPUWide(t *testing.T) {
	tuning.WideOffsets = true
	defer func() { tuning.WideOffsets = false }()
	s := onGPU(t)
	s.Small = true
	t.Run("operators", s.Operators)
	t.Run("predicates", s.Predicates)
	t.Run("intersects", s.Intersects)
	t.Run("triangles by degree", s.Oriented)
	t.Run("searches", s.Searches)
	t.Run("orders", s.Orders)
}

func TestGPUAllocations(t *testing.T) {
	onGPU(t).Allocations(t)
	onGPU(t).PreparedFails(t)
	onGPU(t).OperatorAllocations(t)
}
func TestGPUAllocationsSteady(t *testing.T) { onGPU(t).SteadySearchers(t) }
func TestGPUCanceled(t *testing.T)          { onGPU(t).Canceled(t) }
func TestHostCanceled(t *testing.T)         { onHost(2).Canceled(t) }

func TestHostCanceledAlgorithms(t *testing.T) { onHost(3).CanceledAlgorithms(t) }
func TestGPUCanceledAlgorithms(t *testing.T)  { onGPU(t).CanceledAlgorithms(t) }

// TestGPUCanceledSoon measures. On the emulated GPU, whose times say nothing, it does nothing.
func TestGPUCanceledSoon(t *testing.T) {
	if s := onGPU(t); !conformance.Emulated(s.Device) {
		s.CanceledSoon(t)
	}
}

func TestGPUCanceledLate(t *testing.T) { onGPU(t).CanceledLate(t) }
func TestGPUPanics(t *testing.T)       { onGPU(t).Panics(t) }
func TestHostPanics(t *testing.T)      { onHost(2).Panics(t) }
func TestGPUCodes(t *testing.T)        { onGPU(t).Codes(t) }
func TestGPUCodesBytes(t *testing.T)   { onGPU(t).CodesBytes(t) }
func TestGPUManyPulls(t *testing.T)    { onGPU(t).ManyPulls(t) }
func TestGPUHandOver(t *testing.T)     { onGPU(t).HandOver(t) }

func TestHostTraversals(t *testing.T) { onHost(3).Traversals(t) }
func TestHostTold(t *testing.T)       { onHost(3).Told(t) }
func TestGPUTold(t *testing.T)        { onGPU(t).Told(t) }

func TestGPUTraversals(t *testing.T) { onGPU(t).Traversals(t) }

func TestHostByHand(t *testing.T) { onHost(3).ByHand(t) }
func TestGPUByHand(t *testing.T)  { onGPU(t).ByHand(t) }

func TestHostScripts(t *testing.T)       { onHost(3).Scripts(t) }
func TestGPUScripts(t *testing.T)        { onGPU(t).Scripts(t) }
func TestHostClusters(t *testing.T)      { onHost(3).Clusters(t) }
func TestGPUClusters(t *testing.T)       { onGPU(t).Clusters(t) }
func TestHostCanceledSteps(t *testing.T) { onHost(3).CanceledSteps(t) }
func TestGPUCanceledSteps(t *testing.T)  { onGPU(t).CanceledSteps(t) }

func TestHostPrograms(t *testing.T) { onHost(3).Programs(t) }
func TestGPUPrograms(t *testing.T)  { onGPU(t).Programs(t) }

func TestHostByKey(t *testing.T) { onHost(3).ByKey(t) }
func TestGPUByKey(t *testing.T)  { onGPU(t).ByKey(t) }

func TestHostHubs(t *testing.T) { onHost(3).Hubs(t) }
func TestGPUHubs(t *testing.T)  { onGPU(t).Hubs(t) }

func TestHostRepeats(t *testing.T) { onHost(3).Repeats(t) }
func TestGPURepeats(t *testing.T)  { onGPU(t).Repeats(t) }

func TestGPUForeignMemory(t *testing.T) { onGPU(t).ForeignMemory(t) }

func TestHostClosedByCallbacks(t *testing.T) { onHost(3).ClosedByCallbacks(t) }
func TestGPUClosedByCallbacks(t *testing.T)  { onGPU(t).ClosedByCallbacks(t) }

func TestHostPiles(t *testing.T) { onHost(3).Piles(t) }
func TestGPUPiles(t *testing.T)  { onGPU(t).Piles(t) }

func TestHostComposed(t *testing.T) { onHost(3).Composed(t) }
func TestGPUComposed(t *testing.T)  { onGPU(t).Composed(t) }
func TestHostColumns(t *testing.T)  { onHost(3).Columns(t) }
func TestGPUColumns(t *testing.T)   { onGPU(t).Columns(t) }
func TestHostWalks(t *testing.T)    { onHost(3).Walks(t) }
func TestGPUWalks(t *testing.T)     { onGPU(t).Walks(t) }
func TestHostArrays(t *testing.T)   { onHost(3).Arrays(t) }
func TestGPUArrays(t *testing.T)    { onGPU(t).Arrays(t) }

func TestHostTriangleFunctors(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprintf("workers=%d", workers), onHost(workers).Triangles)
	}
}
func TestGPUTriangleFunctors(t *testing.T) { onGPU(t).Triangles(t) }

func TestHostAccumulators(t *testing.T) {
	all := []int{1, 3, 16}
	if race {
		all = []int{3}
	}
	for _, workers := range all {
		t.Run(fmt.Sprintf("workers=%d", workers), onHost(workers).Accumulators)
	}
}
func TestGPUAccumulators(t *testing.T) { onGPU(t).Accumulators(t) }

func TestHostAccumulatorsMisused(t *testing.T) { onHost(3).AccumulatorsMisused(t) }
func TestGPUAccumulatorsMisused(t *testing.T)  { onGPU(t).AccumulatorsMisused(t) }

func TestHostAstray(t *testing.T) { onHost(3).Astray(t) }
func TestGPUAstray(t *testing.T)  { onGPU(t).Astray(t) }

func TestHostComposedErrors(t *testing.T) { onHost(3).ComposedErrors(t) }
func TestGPUComposedErrors(t *testing.T)  { onGPU(t).ComposedErrors(t) }

func TestHostComposedShared(t *testing.T) { onHost(3).ComposedShared(t) }
func TestGPUComposedShared(t *testing.T)  { onGPU(t).ComposedShared(t) }

func TestHostComposedUse(t *testing.T) { onHost(3).ComposedUse(t) }
func TestGPUComposedUse(t *testing.T)  { onGPU(t).ComposedUse(t) }

func TestHostComposedAgain(t *testing.T) { onHost(3).ComposedAgain(t) }
func TestGPUComposedAgain(t *testing.T)  { onGPU(t).ComposedAgain(t) }

func TestHostFar(t *testing.T) { onHost(3).Far(t) }
func TestGPUFar(t *testing.T)  { onGPU(t).Far(t) }

// TestGPUWideSteps has offsets of 64 bits, which the image of these tests is compiled for on
// the emulated GPU only.
func TestGPUWideSteps(t *testing.T) {
	tuning.WideOffsets = true
	defer func() { tuning.WideOffsets = false }()
	s := onEmulated(t)
	t.Run("programs", s.Programs)
	t.Run("clusters", s.Clusters)
	t.Run("piles", s.Piles)
	t.Run("composed", s.Composed)
	t.Run("accumulators", s.Accumulators)
}

// TestGPUWideAlgorithms has offsets of 64 bits in functors of every algorithm.
func TestGPUWideAlgorithms(t *testing.T) {
	tuning.WideOffsets = true
	defer func() { tuning.WideOffsets = false }()
	s := onGPU(t)
	t.Run("bc", s.AlgorithmBC)
	t.Run("cc", s.AlgorithmCC)
	t.Run("kcore", s.AlgorithmKCore)
	t.Run("centralities", s.Centralities)
	t.Run("lpa", s.Labels)
	t.Run("color", s.AlgorithmColor)
	t.Run("communities", s.AlgorithmCommunities)
	t.Run("mis", s.AlgorithmMIS)
	t.Run("msbfs", s.AlgorithmMSBFS)
	t.Run("bridges", s.AlgorithmBridges)
	t.Run("trusses", s.AlgorithmTrusses)
	t.Run("msf", s.AlgorithmMSF)
	t.Run("pagerank", s.PageRanks)
	t.Run("sssp", s.ShortestPaths)
	t.Run("topo", s.AlgorithmTopo)
	t.Run("similar", s.AlgorithmSimilar)
	t.Run("walks", s.AlgorithmWalks)
	t.Run("triangles", s.AlgorithmTriangles)
}

func TestHostSearchersOf(t *testing.T) { onHost(3).SearchersOf(t) }
func TestGPUSearchersOf(t *testing.T)  { onGPU(t).SearchersOf(t) }
