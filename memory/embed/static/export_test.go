package static

// Bytes is how much memory the table takes.
func (m *Model) Bytes() int { return len(m.table.raw) }
