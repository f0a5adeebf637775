package main

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"golang.org/x/term"
)

// pager shows output that is longer than the terminal in the program that PAGER names; what is shorter goes to the terminal as it is.
type pager struct {
	to      io.Writer
	command string // "" = nothing is paged, or not any more
	environ []string
	height  int // lines of the terminal

	held  []byte // until it is known to be longer
	begun *exec.Cmd
	into  io.WriteCloser
}

// newPager returns the pager of a terminal.
func newPager(to *os.File, environ []string) *pager {
	p := &pager{to: to, environ: environ}
	if _, height, err := term.GetSize(int(to.Fd())); err == nil {
		p.height = height
	}
	return p
}

// pages has long output paged from now on, if the command that is run is one that prints and asks nothing.
func (p *pager) pages(command string) {
	words := strings.Fields(command)
	lists := []string{"affairs list", "affairs show", "sessions list", "audit list", "audit show", "settings list", "settings history", "suggestions list"}
	prints := []string{"recall", "brain", "explain", "history", "export", "doctor", "agents"}
	if p != nil && p.height > 0 && len(words) > 0 && (slices.Contains(prints, words[0]) || len(words) > 1 && slices.Contains(lists, words[0]+" "+words[1])) {
		p.command = lookup(p.environ, "PAGER")
	}
}

// Write holds output until there is more of it than the terminal shows.
func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.begun != nil:
		_, _ = p.into.Write(b) // who has left the pager wants to see no more
		return len(b), nil
	case p.command == "":
		return p.to.Write(b)
	}
	p.held = append(p.held, b...)
	if strings.Count(string(p.held), "\n") < p.height {
		return len(b), nil
	}
	return len(b), p.begin()
}

// begin starts the pager. One that cannot be started is done without.
func (p *pager) begin() (err error) {
	run := exec.Command("sh", "-c", p.command) //nolint:noctx // it lives until its reader leaves it
	run.Stdout, run.Stderr, run.Env = p.to, os.Stderr, p.environ
	if lookup(p.environ, "LESS") == "" {
		run.Env = append(slices.Clone(p.environ), "LESS=FRX") // as git has it: colours, and no screen of its own
	}
	if p.into, err = run.StdinPipe(); err != nil {
		return p.direct()
	}
	signal.Ignore(os.Interrupt) // Ctrl-C is a key of the pager
	if err := run.Start(); err != nil {
		return p.direct()
	}
	p.begun = run
	held := p.held
	p.held = nil
	_, _ = p.into.Write(held)
	return nil
}

// direct prints what was held, and from then on all at once: a person is to be asked, or it is the end.
func (p *pager) direct() error {
	if p == nil || p.begun != nil {
		return nil
	}
	p.command = ""
	held := p.held
	p.held = nil
	_, err := p.to.Write(held)
	return err
}

// Close waits until the person has left the pager.
func (p *pager) Close() error {
	if p == nil || p.begun == nil {
		return p.direct()
	}
	err := p.into.Close()
	_ = p.begun.Wait() // how a pager ends says nothing of the command
	signal.Reset(os.Interrupt)
	return err
}
