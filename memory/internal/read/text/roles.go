package text

import (
	"io/fs"
	"slices"
	"strings"
)

// Roles are the words of a list by what they do, as a Place reads them: "role: word word*".
type Roles map[string][]Place

// MustReadRoles reads a list that is compiled in.
func MustReadRoles(from fs.FS, name string) Roles {
	lines, err := ReadList(from, name)
	if err != nil {
		panic(err)
	}
	out := Roles{}
	for _, line := range lines {
		out.Add(line)
	}
	return out
}

// Add takes up a line.
func (r Roles) Add(line Line) {
	r[line.Key] = append(r[line.Key], ParsePlace(strings.Join(line.Words(), "|")))
}

// Has reports whether a folded word does something.
func (r Roles) Has(role, folded string) bool {
	w := Word{Fold: strings.ReplaceAll(folded, "'", "")}
	return slices.ContainsFunc(r[role], func(p Place) bool { return p.Takes(w) })
}

// DeniesValue reports whether a folded word says of a value behind it that it does not hold: "47, not 42". "No" is none of them: it numbers things.
func DeniesValue(word string) bool { return loaded().roles.Has("denies", word) }

// LeavesValue reports whether the value behind a folded word is left for something else, where a text says that something moves: from, z, с.
func LeavesValue(word string) bool { return loaded().roles.Has("leaves", word) }

// Moves reports whether a text says that something moves from one value to another: a day, an hour, a price. "Now from 8:00 to 10:00" is none.
func Moves(s string) bool {
	return slices.ContainsFunc(Words(s), func(w string) bool { return loaded().roles.Has("moves", w) })
}

// GermanArticle reports whether a folded word of German stands before a noun, which is written large as names are.
func GermanArticle(word string) bool { return loaded().roles.Has("article", word) }
