package facts

// person reads a name after a title or after words such as "se jmenuje", "my name is", "меня зовут".
func (r *Reading) person(i int) int {
	l := r.at(i)
	if named := r.naming(i); named > i {
		end := r.capitalised(named, false)
		if end == named {
			return 0
		}
		r.add(Name, named, end, r.nameOf(i))
		return end
	}

	if !l.is(honorific) || l.last && !r.is(i+1, ".") {
		return r.plainName(i)
	}

	j := i + 1
	for r.is(j, ".") && r.at(j).glued || r.at(j).is(honorific) && j < i+5 {
		j++
	}
	end := r.capitalised(j, true)
	if end == j {
		return 0
	}
	r.add(Name, i, end, "")
	return end
}

// naming returns the index of the name that "is called" at lexeme i introduces; i if there are no such words.
func (r *Reading) naming(i int) int {
	n := r.phrase(i, len(r.lex), in(isCalled))
	if n == 1 && r.at(i).last {
		return i
	}
	return i + n
}

// nameOf labels a name by the person before the naming words ("moje sestra se jmenuje ...").
func (r *Reading) nameOf(i int) string {
	j := i
	for j > 0 && r.at(j-1).is(beforeCalled) && !r.at(j-1).last {
		j--
	}

	from := j
	for from > 0 && j-from < 3 && !r.at(from-1).last && r.at(from-1).shape == word {
		if r.at(from - 1).is(possessive) {
			if from < j {
				return r.words(from, j)
			}
			return ""
		}
		from--
	}
	return ""
}

// plainName reads capitalised words after "my X is", where X is a person.
func (r *Reading) plainName(i int) int {
	if !startsUpper(r.at(i)) || !r.links(i-1) || r.at(i-1).last {
		return 0
	}
	label, _ := r.label(i - 1)
	if label == "" || !r.at(i-2).is(personWord) {
		return 0
	}
	end := r.capitalised(i, true)
	if end == i || !r.at(end-1).last && r.at(end).shape != mark && !r.at(end).is(subordinate) && !r.at(end).is(conjoins) {
		return 0
	}
	r.add(Name, i, end, label)
	return end
}

// capitalised returns the index after one to three words with a capital letter from lexeme i on. After a
// title, initials with a point are part of the name.
func (r *Reading) capitalised(i int, initials bool) int {
	j := i
	for n := 0; n < 3 && r.at(j).shape == word && startsUpper(r.at(j)) && (j == i || !r.at(j-1).last); n++ {
		j++
		if initials && r.is(j, ".") && !r.at(j).last && len(r.at(j-1).raw) <= 2 {
			j++
		}
	}
	return j
}
