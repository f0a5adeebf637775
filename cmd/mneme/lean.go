//go:build lean

package main

import (
	"context"
	"time"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// This file stands for whole.go in a build with the tag lean. What is asked for and left out is state.ErrUnavailable.

// lacks is what this build is without.
const lacks = "lean: without Milvus and the models of claude: and gemini:; " + wayOut

const wayOut = "build without -tags lean to have them"

// leftOut returns the error of what this build is without.
func leftOut(what string) error {
	return state.Errorf(state.Unavailable, what, "is left out of this build, which is lean; %s", wayOut)
}

// protocols refuses a model that is asked in a protocol of its own.
func protocols(model string) ([]provider.Protocol, error) {
	switch providerOf(model) {
	case "claude", "gemini":
		return nil, leftOut("model " + model)
	}
	return nil, nil
}

// milvusConfig has the fields of milvus.Config that can be set.
type milvusConfig struct {
	Address, Database, Username, Password, APIKey, Prefix string

	EnableTLS      bool
	ConnectTimeout time.Duration
}

// Validate refuses every configuration.
func (milvusConfig) Validate() error { return leftOut("milvus") }

func openMilvus(context.Context, milvusConfig) (milvusShelf, error) { return nil, leftOut("milvus") }
