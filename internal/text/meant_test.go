package text

import "testing"

func TestMeant(t *testing.T) {
	names := []string{"src", "dst", "weight", "Amount", "créé", "unit_price"}
	for name, want := range map[string]string{
		"wieght": `; did you mean "weight"?`, "weigh": `; did you mean "weight"?`, "AMOUNT": `; did you mean "Amount"?`,
		"sr": `; did you mean "src"?`, "unit_prices": `; did you mean "unit_price"?`, "crée": `; did you mean "créé"?`,
		"who": "", "": "", "unitprice_": `; did you mean "unit_price"?`, "height": `; did you mean "weight"?`,
	} {
		if got := Meant(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Meant("ids", []string{"id", "ida", "idb", "idc", "idd"}); got != `; did you mean "id" or "ida" or "idb"?` {
		t.Error(got)
	}
}
