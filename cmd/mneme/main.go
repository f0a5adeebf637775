package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// orderly is how long a command that is told to end may take to close what it has open.
const orderly = 40 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	done := make(chan int, 1)
	go func() { done <- run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr) }()

	// A signal ends every command, also one that waits where nothing can wake it.
	select {
	case code := <-done:
		os.Exit(code)
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		os.Exit(code)
	case <-time.After(orderly):
		fmt.Fprintf(os.Stderr, "mneme: interrupted: the command did not end within %s; what was finished is kept\n", orderly)
		os.Exit(status("unavailable"))
	}
}
