package pagerank_test
import ("testing";"github.com/foray-graph/foray/algos/pagerank";"github.com/foray-graph/foray/graph";"github.com/foray-graph/foray/graph/gen";"github.com/foray-graph/foray/internal/testgraph";"os")
func BenchmarkZZ(b *testing.B){
 s,_:=gen.Parse(os.Getenv("GR")); g,err:=gen.Build(b.Context(),s,graph.Options{}); if err!=nil{b.Fatal(err)}
 p:=testgraph.Place(g,2)
 for b.Loop(){ r,err:=pagerank.Run(b.Context(),p,pagerank.Options{Tolerance:1e-4}); if err!=nil{b.Fatal(err)}; r.Free() }
}
