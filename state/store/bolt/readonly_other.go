//go:build !unix

package bolt

// isReadOnly reports whether a write was refused because the file system takes none; here that is said
// with fs.ErrPermission already.
func isReadOnly(error) bool { return false }
