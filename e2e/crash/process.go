package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Die ends this process with SIGKILL. It does not return.
func Die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err) // a process that may not kill itself cannot go on as if it were dead
	}
	select {}
}

// Run starts a command line, gives it job as JSON on stdin and reads its answer, JSON too, from stdout. Killed means
// that the process died by SIGKILL; answer is then left alone. Any other end but exit status 0 with an answer is an
// error that holds the end of what the child said on stderr.
func Run(ctx context.Context, command []string, job, answer any) (killed bool, err error) {
	in, err := json.Marshal(job)
	if err != nil {
		return false, state.Errorf(state.Invalid, "child's job", "is no JSON: %w", err)
	}

	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	err = cmd.Run()

	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, state.Errorf(state.Unavailable, "child process", "given up: %w", ctx.Err())
	case errors.As(err, &exit) && exit.String() == "signal: killed":
		return true, nil
	case err != nil:
		return false, state.Errorf(state.Unavailable, "child process "+command[0], "%w\n%s", err, tail(errs.String()))
	}

	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		return false, state.Errorf(state.Internal, "child process "+command[0], "answers no JSON: %w\n%s", err, tail(out.String()))
	}
	return false, nil
}

// tail returns the last part of a long text.
func tail(s string) string {
	const most = 4000
	return strings.ToValidUTF8(s[max(0, len(s)-most):], "")
}
