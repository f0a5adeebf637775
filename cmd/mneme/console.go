package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// console is where a command reads and prints.
type console struct {
	in      io.Reader
	out     io.Writer
	err     io.Writer
	environ []string
	flags   map[string]string // what flags say, by name of option or setting
	tty     bool              // out is a terminal
	answers bool              // in is a terminal too: somebody is there to be asked
	edit    *editor           // reads messages where in and out are terminals, else nil
	pager   *pager            // between out and the terminal, nil = out is none
	brush   string            // begins a colour; "" = there are none
	now     func() time.Time
}

// errUnmet ends a command whose findings, already printed, are not as expected.
var errUnmet = errors.New("not as expected")

// printed is an error that the user has seen; only its exit status is left to give.
type printed struct{ error }

// Unwrap returns what was printed.
func (p printed) Unwrap() error { return p.error }

// fail prints the error, if there is one, and returns the exit status that belongs to its code.
func (c *console) fail(err error, asJSON bool) int {
	if err == nil {
		return 0
	}

	code := state.CodeOf(err)
	switch {
	case errors.Is(err, errUnmet):
		return 1
	case errors.As(err, &printed{}):
	case asJSON:
		line := map[string]any{"error": map[string]string{"code": string(code), "message": masked(err.Error())}}
		if encodeErr := encode(c.err, line); encodeErr != nil {
			return 1
		}
	default:
		c.complain(err)
	}
	return status(code)
}

// complain prints an error to be read.
func (c *console) complain(err error) { fmt.Fprintf(c.err, "mneme: %s\n", masked(err.Error())) }

// status maps codes to exit statuses as the command's contract has them.
func status(code state.Code) int {
	switch code {
	case state.Invalid:
		return 2
	case state.NotFound:
		return 3
	case state.Conflict:
		return 4
	case state.Unavailable:
		return 5
	}
	return 1
}

// agreed asks, and reports whether the answer is yes.
func (c *console) agreed(answers *bufio.Reader, question string) bool {
	_ = c.pager.direct() // a question that is not seen is not answered
	fmt.Fprint(c.out, question)
	line, _ := answers.ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}
