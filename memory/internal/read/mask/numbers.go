package mask

import (
	"regexp"
	"strings"
)

// findNumbers lists the numbers that their check digits give away: of cards (Luhn's sum, known beginnings and lengths), of people (national
// numbers), and of accounts (ISO 13616, modulo 97).
func findNumbers(s string) []span {
	var out []span
	for i := 0; i < len(s); i++ {
		if i > 0 && isAlnum(s[i-1]) || i > 1 && (s[i-1] == '-' || s[i-1] == '.') && isAlnum(s[i-2]) {
			continue
		}
		var end int
		var kind string
		switch {
		case isDigit(s[i]):
			if end, kind = person(s, i), "personal number"; end == 0 && '2' <= s[i] && s[i] <= '6' {
				end, kind = card(s, i), "card number"
			}
		case i+7 < len(s) && isUpper(s[i]) && isUpper(s[i+1]) && (isDigit(s[i+2]) || s[i+2] == ' ') && insurance.MatchString(s[i:min(len(s), i+14)]):
			end, kind = i+len(insurance.FindStringSubmatch(s[i:min(len(s), i+14)])[1]), "personal number"
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

// insurance is a British national insurance number.
var insurance = regexp.MustCompile(`^([A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D])(?:[^A-Za-z0-9]|$)`)

// person returns the end of the national number that begins at a place, 0 when there is none: of Czechs and Slovaks (eleven divides it), of Poles
// (PESEL), of Russians (SNILS).
func person(s string, at int) int {
	var digits []byte
	end, form := at, []byte{}
	for i := at; i < len(s) && len(digits) < 12; i++ {
		c := s[i]
		if isDigit(c) {
			digits, form, end = append(digits, c-'0'), append(form, '9'), i+1
		} else if (c == ' ' || c == '/' || c == '-') && len(form) < 16 && len(digits) > 0 {
			form = append(form, c)
		} else {
			break
		}
	}
	written := strings.TrimRight(string(form), " -/")
	if end < len(s) && (isAlnum(s[end]) || end+1 < len(s) && strings.IndexByte("-/.", s[end]) >= 0 && isAlnum(s[end+1])) {
		return 0
	}
	sum := func(weights ...int) (sum int) {
		for i, w := range weights {
			sum += w * int(digits[i])
		}
		return sum
	}
	written = strings.ReplaceAll(written, " / ", "/")
	switch written {
	case "999999/9999", "9999999999":
		if (born(digits, 50) || written[6] == '/' && born(digits, 20, 70)) && (sum(-1, 1, -1, 1, -1, 1, -1, 1, -1, 1))%11 == 0 {
			return end
		}
	case "99999999999":
		if born(digits, 20, 40, 60, 80) && sum(1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0 {
			return end
		}
	case "999-999-999 99", "999-999-999-99", "999 999 999 99":
		if sum(9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == int(digits[9])*10+int(digits[10]) {
			return end
		}
	}
	return 0
}

// born reports whether digits begin with a date: year, month, perhaps with something added to it, day.
func born(d []byte, added ...int) bool {
	month, day := int(d[2])*10+int(d[3]), int(d[4])*10+int(d[5])
	if day < 1 || day > 31 {
		return false
	}
	for _, a := range append(added, 0) {
		if month > a && month <= a+12 {
			return true
		}
	}
	return false
}

// card returns the end of the card number that begins at a place, 0 when there is none.
func card(s string, at int) int {
	// Up to nineteen digits in groups of two or more, parted by one kind of gap or none.
	var digits []byte
	end, gap, group := at, byte(0), 0
	for i := at; i < len(s) && len(digits) <= 19; i++ {
		switch c := s[i]; {
		case isDigit(c):
			digits, end, group = append(digits, c-'0'), i+1, group+1
		case (c == ' ' || c == '-' || c == '.') && (gap == 0 || gap == c) && group > 1:
			if c == ' ' && len(digits) > 12 && valid(digits) && !(i+1 < len(s) && isDigit(s[i+1]) && (i+4 >= len(s) || isDigit(s[i+4]))) {
				return end
			}
			gap, group = c, 0
		default:
			i = len(s)
		}
	}

	// What goes on is no card number, and neither is one that no bank issues.
	if end < len(s) && (isAlnum(s[end]) || end+1 < len(s) && (s[end] == '-' || s[end] == '.') && isDigit(s[end+1])) || !valid(digits) {
		return 0
	}
	return end
}

// valid reports whether digits are those of a card: the last one has to fit, every second from the right counts twice (Luhn).
func valid(digits []byte) bool {
	if !issued(digits) {
		return false
	}
	sum, all := 0, 0
	for i, d := range digits {
		n := int(d)
		all += n
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0 && all > 0
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

// iban returns the end of the IBAN that begins at a place, 0 when there is none.
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

// mod97 returns the remainder that an IBAN has to leave 1 of.
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
