package mongo

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// codec compresses large bodies. Encoder and decoder are made when first needed, as they hold buffers. The
// zero value is ready; safe for concurrent use.
type codec struct {
	mu  sync.Mutex
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// pack returns whether a body is kept compressed, and its bytes; they are body itself if it does not shrink.
func (c *codec) pack(body []byte) (zipped bool, kept []byte, err error) {
	c.mu.Lock()
	if c.enc == nil {
		if c.enc, err = zstd.NewWriter(nil); err != nil {
			c.mu.Unlock()
			return false, nil, err
		}
	}
	enc := c.enc
	c.mu.Unlock()
	kept = enc.EncodeAll(body, nil)
	if len(kept) >= len(body) {
		return false, body, nil
	}
	return true, kept, nil
}

// unpack undoes pack; the result is memory of its own.
func (c *codec) unpack(kept []byte, size int) ([]byte, error) {
	if size > maxDocLimit {
		return nil, fmt.Errorf("it says it has %d bytes", size)
	}

	c.mu.Lock()
	if c.dec == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxDocLimit))
		if err != nil {
			c.mu.Unlock()
			return nil, err
		}
		c.dec = dec
	}
	dec := c.dec
	c.mu.Unlock()
	return dec.DecodeAll(kept, make([]byte, 0, size))
}

func (c *codec) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enc != nil {
		_ = c.enc.Close() // nothing is buffered: EncodeAll is complete in itself
	}
	if c.dec != nil {
		c.dec.Close()
	}
}
