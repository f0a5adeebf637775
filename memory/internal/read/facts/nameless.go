package facts

// NamesNone reports whether a word that is written large names nothing: a day of the week, a month, a currency beside an amount, what stands before a person's
// name; in German also a noun that the lists know. Behind a title it is a name, whatever it is ("pan Sobota"). Before and after are the words beside it, or "".
func NamesNone(before, w, after, lang string) bool {
	first := func(s string) lexeme { return Read(s, lang).at(0) }
	is, titled := first(w), first(before).is(honorific)
	amount := first(before).shape == number || first(after).shape == number
	switch {
	case is.is(honorific), is.is(currencyWord) && amount:
		return true
	case titled:
		return false
	}
	return is.set.meets(in(weekday, monthWord)) || lang == "de" && is.set != set{}
}
