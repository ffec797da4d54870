package main

import (
	"context"
	"log"
	"os"
)

func Example() {
	dir, err := os.MkdirTemp("", "foray")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pipeline(context.Background(), dir, "u2")
	// Output:
	// Ben: 0
	// Dan: 1
	// Eve: 2
	// Ada isn't reached
	// Cleo isn't reached
	// Finn isn't reached
}
