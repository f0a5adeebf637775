package mask

import "strings"

// findNumbers lists card numbers (Luhn's sum, known beginnings and lengths) and IBANs (ISO 13616, modulo 97).
func findNumbers(s string) []span {
	var out []span
	for i := 0; i < len(s); i++ {
		if i > 0 && isAlnum(s[i-1]) || i > 1 && s[i-1] == '-' && isAlnum(s[i-2]) {
			continue
		}
		var end int
		var kind string
		switch {
		case '2' <= s[i] && s[i] <= '6':
			end, kind = card(s, i), "card number"
		case i+4 < len(s) && isUpper(s[i]) && isUpper(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]):
			end, kind = iban(s, i), "IBAN"
		}
		if end > 0 {
			out = append(out, span{i, end, kind})
			i = end - 1
		}
	}
	return out
}

// card is the end of the card number that begins at a place, 0 when there is none.
func card(s string, at int) int {
	// Up to nineteen digits, parted by one kind of gap or none.
	var digits []byte
	end, gap := at, byte(0)
	for i := at; i < len(s) && len(digits) <= 19; i++ {
		switch c := s[i]; {
		case isDigit(c):
			digits, end = append(digits, c-'0'), i+1
		case (c == ' ' || c == '-') && (gap == 0 || gap == c) && i > at && isDigit(s[i-1]):
			gap = c
		default:
			i = len(s)
		}
	}

	// What goes on is no card number, and neither is one that no bank issues or that is grouped in another way.
	if end < len(s) && (isAlnum(s[end]) || end+1 < len(s) && (s[end] == '-' || s[end] == '.') && isDigit(s[end+1])) || !issued(digits) || !groups(s[at:end], gap) {
		return 0
	}

	// The last digit has to fit: every second digit from the right counts twice (Luhn).
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	if sum%10 != 0 {
		return 0
	}
	return end
}

// issued reports whether cards of this length and beginning exist (ISO/IEC 7812).
func issued(d []byte) bool {
	if len(d) < 13 {
		return false
	}
	two, four := int(d[0])*10+int(d[1]), 0
	for _, x := range d[:4] {
		four = four*10 + int(x)
	}
	switch n := len(d); {
	case d[0] == 4:
		return n == 13 || n == 16 || n == 19
	case two == 34 || two == 37:
		return n == 15
	case two == 36 || two == 38:
		return n == 14
	case two == 62:
		return n >= 16 && n <= 19
	default:
		return n == 16 && (51 <= two && two <= 55 || 2221 <= four && four <= 2720 || 2200 <= four && four <= 2204 ||
			3528 <= four && four <= 3589 || four == 6011 || two == 65 || 56 <= two && two <= 59 || two == 50 || two == 63 || two == 67)
	}
}

// groups reports whether digits are written as on a card: all together, or in groups of four, or 4-6-5.
func groups(s string, gap byte) bool {
	if gap == 0 || strings.IndexByte(s, gap) < 0 {
		return true
	}
	parts := strings.Split(s, string(gap))
	if len(parts) == 3 && len(parts[0]) == 4 && len(parts[1]) == 6 {
		return len(parts[2]) == 4 || len(parts[2]) == 5
	}
	for _, p := range parts[:len(parts)-1] {
		if len(p) != 4 {
			return false
		}
	}
	return len(parts) >= 4
}

// iban is the end of the IBAN that begins at a place, 0 when there is none.
func iban(s string, at int) int {
	const shortest, longest = 15, 34
	var chars []byte
	for i := at; i < len(s) && len(chars) < longest; i++ {
		c := s[i]
		if c == ' ' && i+1 < len(s) && isAlnum(s[i+1]) && !isLower(s[i+1]) {
			continue
		}
		if !isDigit(c) && !isUpper(c) {
			break
		}
		chars = append(chars, c)
		if len(chars) >= shortest && (i+1 == len(s) || !isAlnum(s[i+1])) && mod97(chars) == 1 {
			return i + 1
		}
	}
	return 0
}

// mod97 is the remainder that an IBAN has to leave 1 of.
func mod97(chars []byte) int {
	sum := 0
	for i := range chars {
		c := chars[(i+4)%len(chars)]
		if isDigit(c) {
			sum = (sum*10 + int(c-'0')) % 97
		} else {
			sum = (sum*100 + int(c-'A') + 10) % 97
		}
	}
	return sum
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlnum(c byte) bool { return isDigit(c) || isUpper(c) || isLower(c) }
