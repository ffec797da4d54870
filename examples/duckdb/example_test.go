package main

func Example() {
	main()
	// Output:
	// Ada: 0
	// Ben: 1
	// Cleo: 1
	// Dan: 2
	// Eve: 3
	// Finn isn't reached
}
