package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// process tells a process from all others that its machine has had since it started.
type process struct {
	Machine string `bson:"machine"` // the processes among which it can be looked for: start of the machine, pid namespace, user
	ID      int    `bson:"id"`
	Started string `bson:"started"` // in ticks since the machine's start
}

// machine looks at the processes of this machine. Where it cannot, all are unknown and none has ended.
type machine struct {
	proc fs.FS
	self func() *process // this one, nil = unknown
}

func newMachine(proc fs.FS) *machine {
	m := &machine{proc: proc}
	m.self = sync.OnceValue(m.findSelf)
	return m
}

// findSelf looks at this process. It is unknown where proc does not show it under the id that it has for itself.
func (m *machine) findSelf() *process {
	boot, err := fs.ReadFile(m.proc, "sys/kernel/random/boot_id")
	if err != nil {
		return nil
	}
	space, err := fs.ReadLink(m.proc, "self/ns/pid")
	if err != nil {
		return nil
	}
	id, _, started, err := m.stat("self")
	if err != nil || id != os.Getpid() {
		return nil
	}
	return &process{Machine: fmt.Sprintf("%s %s %d", strings.TrimSpace(string(boot)), space, os.Getuid()), ID: id, Started: started}
}

// hasEnded reports whether a process is known to run no more: one of this machine whose id is free, or another's by now, or
// which its parent has not taken note of yet.
func (m *machine) hasEnded(p *process) bool {
	self := m.self()
	if p == nil || self == nil || p.Machine != self.Machine {
		return false
	}
	_, status, started, err := m.stat(fmt.Sprint(p.ID))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		return false
	}
	return started != p.Started || status == "Z" || status == "X"
}

// stat reads a process's id, what it does, and when it began: fields 1, 3 and 22, of which the second may hold anything.
func (m *machine) stat(name string) (id int, status, started string, err error) {
	raw, err := fs.ReadFile(m.proc, name+"/stat")
	if err != nil {
		return 0, "", "", err
	}
	line := string(raw)
	behind := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if _, err := fmt.Sscan(line, &id); err != nil || len(behind) < 20 {
		return 0, "", "", fmt.Errorf("stat of process %s: unknown form", name)
	}
	return id, behind[0], behind[19], nil
}
