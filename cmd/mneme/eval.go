package main

import (
	"bufio"
	"errors"
	"os"

	"github.com/mneme-graph/mneme/state"
)

type evalCommand struct {
	Commands  evalCommands  `cmd:"" help:"How well spoken commands to the memory are recognised."`
	Detect    evalDetect    `cmd:"" help:"How well changes of affair are recognised."`
	Mask      evalMask      `cmd:"" help:"How well secrets are masked."`
	Retrieval evalRetrieval `cmd:"" help:"How well recall finds the turns that answer questions."`
}

// predictions is a file of predictions being written.
type predictions struct {
	*bufio.Writer
	file *os.File
}

// createPredictions makes the file; Close finishes it.
func createPredictions(path string) (*predictions, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, state.Errorf(state.Unavailable, "predictions "+path, "cannot be written: %w", err)
	}
	return &predictions{bufio.NewWriter(file), file}, nil
}

// Close writes what is buffered and closes the file.
func (p *predictions) Close() error { return errors.Join(p.Flush(), p.file.Close()) }
