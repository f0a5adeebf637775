package facts

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// link files the web address at lexeme i and the number of the thing it points to.
func (r *Reading) link(i int) int {
	l := r.at(i)
	r.add(Link, i, i+1, "")
	if at, item := itemInLink(l.raw); item != "" {
		r.facts = append(r.facts, Fact{
			Kind: Item, Label: r.w.call(string(Item), r.lang), Value: item,
			Start: l.start + at, End: l.start + at + len(item),
		})
	}
	return i + 1
}

// itemInLink finds the last long number in path or query, or the code after /dp/ and the like, and its offset.
func itemInLink(raw string) (at int, item string) {
	_, host := hostOf(raw)
	for from := host; from < len(raw); {
		end := from
		for end < len(raw) && isASCIIWord(raw[end]) {
			end++
		}
		piece := raw[from:end]
		coded := len(piece) == 10 && piece == upper(piece) && text.Digits(piece) > 0 && from >= 4 && (strings.HasSuffix(raw[:from], "/dp/") || strings.HasSuffix(raw[:from], "/product/"))
		if coded || len(piece) >= 6 && len(piece) <= 20 && text.Digits(piece) == len(piece) {
			at, item = from, piece
			if coded || strings.HasSuffix(raw[:from], "/itm/") || strings.HasSuffix(raw[:from], "/item/") {
				return at, item
			}
		}
		from = end + 1
	}
	return at, item
}

// Host returns the host name of a web address without "www.".
func Host(raw string) string {
	host, _ := hostOf(raw)
	return host
}

// hostOf returns the host name of a web address without "www.", and the offset where its path begins.
func hostOf(raw string) (host string, path int) {
	at := 0
	if i := strings.Index(raw, "://"); i >= 0 {
		at = i + 3
	}
	path = len(raw)
	if i := strings.IndexAny(raw[at:], "/?#"); i >= 0 {
		path = at + i
	}
	host = raw[at:path]
	if u, err := url.Parse("//" + host); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	return strings.TrimPrefix(strings.ToLower(host), "www."), path
}

// phone reads a telephone number at lexeme i: "+420 777 123 456", "8 (912) 345-67-89", "555-123-4567".
func (r *Reading) phone(i int) int {
	// A number begins with a digit, a plus or a bracket.
	plus := r.is(i, "+") && r.at(i+1).glued
	paren := r.is(i, "(")
	if !plus && !paren && r.at(i).shape == mark {
		return 0
	}
	start := i
	if plus {
		start++
	}

	// Its groups of digits, up to where they end.
	end, n, groups := r.phoneGroups(start)

	cued := r.phoneCue(i)

	// The first case refuses; the others are what makes a number of this form a telephone number, the surest first.
	switch {
	case n < 7 || n > 15 || r.followedByUnit(end-1):
		return 0
	case plus && n >= 9:
	case cued:
	case paren && n == 10, groups == "333" && n == 9 && r.cue(i).strength < byNoun, groups == "c" && northAmerican(r.at(i).raw):
	case groups == "9" && (r.lang == "cs" || r.lang == "pl") && r.at(i).raw >= "5" && r.cue(i).strength < byFarNoun && r.bought(i) == "":
	case (n == 10 || n == 11) && len(groups) > 1 && strings.HasPrefix(r.at(i).raw, "0") && r.cue(i).strength < byNoun:
	case (n == 11 && strings.HasPrefix(r.at(i).raw, "8") || n == 10) && r.is(i+1, "("):
	default:
		return 0
	}
	r.add(Phone, i, end, "")
	return end
}

// phoneGroups reads groups of digits with brackets and dashes: the index after them, how many digits, and their
// lengths as a word ("c" for a group that holds dashes).
func (r *Reading) phoneGroups(i int) (end, n int, groups string) {
	end = i
	for j := i; j < len(r.lex) && j < i+12; j++ {
		l := r.at(j)
		switch {
		case l.shape == number && !strings.ContainsAny(l.raw, ".,:"):
			groups += string(rune('0' + min(len(l.raw), 9)))
		case l.shape == code && text.Digits(l.raw)+strings.Count(l.raw, "-") == len(l.raw):
			groups += "c"
		case r.is(j, "()-") && !l.last:
			continue
		default:
			return end, n, groups
		}
		if n += text.Digits(l.raw); n > 15 {
			return end, n, groups
		}
		end = j + 1
		if l.last {
			break
		}
	}
	return end, n, groups
}

// PhoneKey returns the last nine digits of a telephone number, so that the prefix of a country makes no difference.
func PhoneKey(number string) string {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, number)
	return digits[max(0, len(digits)-9):]
}

func northAmerican(raw string) bool {
	return len(raw) == 12 && raw[3] == '-' && raw[7] == '-' && text.Digits(raw) == 10
}

// phoneCue reports whether a word for telephone stands shortly before lexeme i.
func (r *Reading) phoneCue(i int) bool {
	const reach = 5
	return r.hasBefore(i, reach, phoneWord)
}

// address reads a postal address that begins at lexeme i.
func (r *Reading) address(i int) int {
	var end int
	switch l := r.at(i); {
	case l.shape == word && l.is(streetWord):
		end = r.streetFirst(i)
	case l.shape != word:
		end = r.numberFirst(i)
	case startsUpper(l) && !r.starts(i) || startsUpper(l) && r.addressCue(i):
		end = r.nameFirst(i)
	}

	if end == 0 {
		return 0
	}
	end = r.place(end)
	r.add(Address, i, end, "")
	return end
}

// streetFirst reads "ul. Długa 5", "ulice Dlouhá 15", "улица Ленина, д. 12".
func (r *Reading) streetFirst(i int) int {
	j := i + 1
	if r.is(j, ".") {
		j++
	}

	names := 0
	for ; names < 4 && (startsUpper(r.at(j)) && r.at(j).shape == word || names > 0 && r.at(j).shape == word && r.at(j).is(preposition)) && !r.at(j-1).last; names++ {
		j++
	}
	if names == 0 {
		return 0
	}

	for skipped := 0; skipped < 3 && (r.is(j, ",.") || r.at(j).fold == "д" || r.at(j).fold == "дом"); skipped++ {
		j++
	}

	if houseNumber(r.at(j)) && !r.at(j-1).last {
		return j + 1
	}
	return 0
}

// numberFirst reads "221B Baker Street".
func (r *Reading) numberFirst(i int) int {
	if !houseNumber(r.at(i)) || r.at(i).last {
		return 0
	}
	for j := i + 1; j < i+5 && startsUpper(r.at(j)) && !r.at(j-1).last; j++ {
		if j > i+1 && r.at(j).is(streetBehind) {
			return j + 1
		}
	}
	return 0
}

// nameFirst reads "Dlouhá 15, Praha" after a word for address, or where a postal code or the word for street in the name
// shows what it is ("Hauptstraße 5").
func (r *Reading) nameFirst(i int) int {
	j, street := i, false
	for j < i+4 && (startsUpper(r.at(j)) || j > i && r.at(j).is(preposition)) && r.at(j).shape == word && (j == i || !r.at(j-1).last) {
		street = street || r.w.anyEnds(r.at(j).fold, streetEnding, 2)
		j++
	}
	if j == i || !houseNumber(r.at(j)) || r.at(j-1).last || r.followedByUnit(j) || r.at(j-1).is(monthWord) {
		return 0
	}
	if street || r.addressCue(i) || r.is(j+1, ",") && r.postcode(j+2) > 0 && !r.at(j).last {
		return j + 1
	}
	return 0
}

// place takes in the town and postal code after a street: ", 110 00 Praha 1", ", London NW1 6XE".
func (r *Reading) place(end int) int {
	for commas := 0; commas < 2 && !r.at(end-1).last && r.is(end, ","); commas++ {
		j := end + 1
		if after := r.postcode(j); after > 0 {
			j = after
		}
		if r.at(j).is(town) && r.is(j+1, ".") {
			j += 2
		}

		names := 0
		for j < len(r.lex) && names < 3 && startsUpper(r.at(j)) && !r.at(j-1).last && !month1(r.at(j)) {
			j, names = j+1, names+1
		}

		if j == end+1 || names == 0 && r.postcode(end+1) == 0 {
			return end
		}

		if l := r.at(j); names > 0 && !r.at(j-1).last && (l.shape == number && len(l.raw) <= 2 && !r.followedByUnit(j) && (!r.is(j+1, ".") || r.at(j+1).last) ||
			l.shape == code && len(l.raw) == 3 && l.raw == upper(l.raw)) {
			j++ // "Praha 1", "London NW1 6XE"
		}
		end = j
	}
	return end
}

func month1(l lexeme) bool { return l.is(monthWord) || l.is(weekday) }

// postcode returns the index after a postal code at lexeme i: "110 00", "00-950", "190000".
func (r *Reading) postcode(i int) int {
	l, after := r.at(i), r.at(i+1)
	switch {
	case l.shape == number && len(l.raw) == 3 && after.shape == number && len(after.raw) == 2 && !after.glued && !l.last:
		return i + 2
	case l.shape == code && len(l.raw) == 6 && l.raw[2] == '-' && text.Digits(l.raw) == 5:
		return i + 1
	case l.shape == number && (len(l.raw) == 5 || len(l.raw) == 6) && text.Digits(l.raw) == len(l.raw):
		return i + 1
	}
	return 0
}

// addressCue reports whether a word for address or living stands shortly before lexeme i.
func (r *Reading) addressCue(i int) bool {
	const reach = 4
	return r.hasBefore(i, reach, addressWord)
}

// houseNumber reports whether l may be the number of a house: 15, 12/34, 221B.
func houseNumber(l lexeme) bool {
	if l.shape != number && l.shape != code || len(l.raw) > 9 || strings.ContainsAny(l.raw, ".,:") {
		return false
	}
	letters := 0
	for n, c := range l.raw {
		if n == 0 && !unicode.IsDigit(c) {
			return false
		}
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return letters <= 1 && text.Digits(l.raw) <= 8
}
