package text

import "slices"

// DeniesValue reports whether a folded word says of a value behind it that it does not hold: "47, not 42". "No" is none of them: it numbers things.
func DeniesValue(word string) bool {
	return slices.Contains([]string{"not", "instead", "ne", "nikoli", "nikoliv", "misto", "namisto", "nie", "zamiast", "не", "вместо", "nicht", "statt"}, word)
}
