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
	pipeline(context.Background(), dir, "u1", func(files string) string { return files })
	// Output:
	// Ada: 0
	// Ben: 1
	// Cleo: 1
	// Dan: 2
	// Eve: 3
	// Finn isn't reached
}
