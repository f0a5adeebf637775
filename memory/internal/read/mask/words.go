package mask

import (
	"slices"
	"strings"

	"github.com/tyler-smith/go-bip39"
)

// findWords lists recovery phrases of wallets: as many words of their list in a row as such a phrase has (BIP 39), perhaps numbered.
func findWords(s string, all []token) (out []span) {
	for i := 0; i < len(all); {
		from, to, n := i, i, 0
		for ; i < len(all) && (ofPhrase(all[i]) || isNumbering(s, all[i])); i++ {
			if ofPhrase(all[i]) {
				if n++; n == 1 {
					from = i
				}
				to = i
			}
		}
		if slices.Contains([]int{12, 15, 18, 21, 24}, n) {
			out = append(out, span{all[from].start, all[to].end, "recovery phrase"})
		}
		if n == 0 && to == i {
			i++
		}
	}
	return out
}

func ofPhrase(t token) bool {
	_, known := bip39.GetWordIndex(strings.TrimSpace(t.fold))
	return known && t.class == wordClass
}

// isNumbering reports whether a token is the number of a word in a list.
func isNumbering(s string, t token) bool {
	return t.class == numberClass && t.end-t.start <= 2 && strings.Trim(s[t.start:t.end], "0123456789") == ""
}
