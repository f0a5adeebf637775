package memory

// SaveFrom makes snapshots of word indexes worth while from n new documents on, in pieces of some bytes.
func (m *Memory) SaveFrom(n int64, piece int) { m.saver.worth, m.saver.piece = n, piece }
