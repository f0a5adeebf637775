//go:build !lean

package main

import (
	"context"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/graph/provider/claude"
	"github.com/mneme-graph/mneme/graph/provider/gemini"
	"github.com/mneme-graph/mneme/memory/index/milvus"
)

// This file has what a lean build leaves out: the SDKs that take the better half of a build from nothing. See lean.go.

// lacks is what this build is without.
const lacks = ""

// protocols returns those that a model may be asked in beside OpenAI's.
func protocols(string) ([]provider.Protocol, error) {
	return []provider.Protocol{claude.Protocol(), gemini.Protocol()}, nil
}

type milvusConfig = milvus.Config

func openMilvus(ctx context.Context, at milvusConfig) (milvusShelf, error) {
	return milvus.Open(ctx, at)
}
