package logical

import (
	"bytes"
	"testing"
)

func TestKinds(t *testing.T) {
	for _, name := range []string{"kinds(u:int64)", "kinds(item:string,user:int64)", "kinds(a:date32,b:timestamp[us,+01:00],c:decimal(30,0),d:uuid,Ä:fixed(3))"} {
		k, err := Parse(name)
		if err != nil || k.String() != name || !k.Fits("binary") || k.Fits("int64") || k.Integer() {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
	for _, name := range []string{"kinds()", "kinds(u)", "kinds(:int64)", "kinds(b:int64,a:int64)", "kinds(a:int64,a:int64)", "kinds(a:tuple(int64,int64))",
		"kinds(a:kinds(b:int64))", "kinds(a b:int64)", "tuple(kinds(a:int64),int64)", "kinds(a:int64"} {
		if k, err := Parse(name); err == nil {
			t.Errorf("%s is %v", name, k)
		}
	}
	k, err := Parse("kinds(item:string,user:int64)")
	if err != nil {
		t.Fatal(err)
	}
	var last []byte
	for _, text := range []string{"item:", "item:1", "item:a:b\x00c", "item:b", "user:-1", "user:2", "user:10"} {
		key, err := k.ParseBytes(text)
		if err != nil || k.FormatBytes(key) != text || bytes.Compare(last, key) >= 0 {
			t.Errorf("%q: %x, %q, %v, after %x", text, key, k.FormatBytes(key), err, last)
		}
		last = key
	}
	for _, text := range []string{"", "1", "users:1", "user:", "user:1.5", "User:1"} {
		if key, err := k.ParseBytes(text); err == nil {
			t.Errorf("%q is %x", text, key)
		}
	}
	for _, key := range [][]byte{nil, {2}, {1, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if _, _, ok := k.SplitKind(key); ok || k.FormatBytes(key)[0] != '@' {
			t.Errorf("%x is a key", key)
		}
	}
}
