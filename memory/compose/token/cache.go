package token

import (
	"hash/maphash"
	"strings"
	"sync"
)

const (
	shards     = 8
	entryBytes = 64 // what an entry costs beside the bytes of its text
)

// cache remembers counts of texts within a bound of bytes. It is safe for concurrent use.
type cache struct {
	seed   maphash.Seed
	shards [shards]shard
}

// shard holds two generations of at most limit bytes each. What is found in the old one is young again.
type shard struct {
	mu         sync.Mutex
	limit      int
	used       int // bytes in young
	young, old map[string]int
}

func newCache(bytes int) *cache {
	c := &cache{seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].limit = bytes / shards / 2
		c.shards[i].young = map[string]int{}
	}
	return c
}

func (c *cache) of(s string) *shard {
	return &c.shards[maphash.String(c.seed, s)%shards]
}

func (c *cache) get(s string) (int, bool) {
	sh := c.of(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if n, ok := sh.young[s]; ok {
		return n, true
	}
	n, ok := sh.old[s]
	if ok {
		sh.add(s, n)
	}
	return n, ok
}

// put remembers n for a copy of s, unless s alone would fill half a generation.
func (c *cache) put(s string, n int) {
	sh := c.of(s)
	if len(s) > sh.limit/2 {
		return
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if _, ok := sh.young[s]; !ok {
		sh.add(s, n)
	}
}

// add must be called with mu held.
func (sh *shard) add(s string, n int) {
	if sh.used+len(s)+entryBytes > sh.limit {
		sh.old, sh.young, sh.used = sh.young, map[string]int{}, 0
	}
	sh.young[strings.Clone(s)] = n
	sh.used += len(s) + entryBytes
}
