package state

import "time"

// LeaseTTL is how long a turn is safe from being taken over: one whose holder has not renewed for so long may be.
const LeaseTTL = 30 * time.Second

// CheckSize refuses what is longer than a limit; what names the field, way the way out.
func CheckSize(what string, size, limit int, way string) error {
	if size <= limit {
		return nil
	}
	return Errorf(Invalid, what, "has %d bytes, at most %d are taken; %s", size, limit, way)
}

// CheckCount refuses more than a limit of things; what names them.
func CheckCount(what string, n, limit int, way string) error {
	if n <= limit {
		return nil
	}
	return Errorf(Invalid, what, "are %d, at most %d are taken; %s", n, limit, way)
}
