package text

// SharedParts returns how many stretches of three letters two folded texts have in common, each counted once; the ends of a text count as letters.
func SharedParts(a, b string) (n int) {
	parts := func(s string) map[string]bool {
		out := map[string]bool{}
		runes := []rune(" " + s + " ")
		for i := 0; i+2 < len(runes); i++ {
			out[string(runes[i:i+3])] = true
		}
		return out
	}
	want := parts(a)
	for p := range parts(b) {
		if want[p] {
			n++
		}
	}
	return n
}
