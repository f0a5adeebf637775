package memory

import "github.com/mneme-graph/mneme/memory/internal/quick"

// SaveFrom makes snapshots of word indexes worth while from n new documents on, in pieces of some bytes.
func (m *Memory) SaveFrom(n int64, piece int) { m.desk.Minds.SaveFrom(n, piece) }

// Usage tells how much RAM the layers take. Cold is what the Memory itself knows of: nothing but the store.
func (m *Memory) Usage() []quick.Usage {
	out := m.desk.Minds.Usage()
	if m.desk.Vectors != nil {
		s := m.desk.Vectors.Status()
		out[quick.Buffer].Bytes, out[quick.Buffer].Things = s.Bytes, s.Waiting
	}
	return out
}
