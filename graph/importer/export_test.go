package importer

// ReadCheckpoint is readCheckpoint, for the fuzz test.
func ReadCheckpoint(body []byte) error {
	_, _, err := readCheckpoint(body)
	return err
}
