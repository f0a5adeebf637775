package facts

// person reads a name after a title or after words such as "se jmenuje", "my name is", "меня зовут".
func (r *reader) person(i int) int {
	l := r.at(i)
	if named := r.naming(i); named > i {
		end := r.capitalised(named, false)
		if end == named {
			return 0
		}
		r.add(Name, named, end, r.nameOf(i))
		return end
	}
	if !title(l.fold) || l.last && !r.is(i+1, ".") {
		return r.plainName(i)
	}
	j := i + 1
	for r.is(j, ".") && r.at(j).glued || title(r.at(j).fold) && j < i+5 {
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
func (r *reader) naming(i int) int {
	a, b, c := r.at(i).fold, r.at(i+1).fold, r.at(i+2).fold
	switch {
	case (a == "jmenuje" || a == "jmenuji" || a == "jmenuju") && b == "se", a == "nazywa" && b == "sie", a == "nazywam" && b == "sie",
		(a == "name" || a == "jmeno") && (b == "is" || b == "je"):
		return i + 2
	case a == "se" && (b == "jmenuje" || b == "jmenuji" || b == "jmenuju"), a == "na" && b == "imie", a == "is" && b == "called":
		return i + 2
	case (a == "зовут" || a == "named" || a == "heisse" || a == "heisst") && !r.at(i).last:
		return i + 1
	case a == "i" && b == "am" && c == "called":
		return i + 3
	}
	return i
}

// nameOf labels a name by the person before the naming words ("moje sestra se jmenuje ...").
func (r *reader) nameOf(i int) string {
	j := i
	for j > 0 && (r.at(j-1).fold == "ma" || r.at(j-1).fold == "sie") && !r.at(j-1).last {
		j--
	}
	from := j
	for from > 0 && j-from < 3 && !r.at(from-1).last && r.at(from-1).shape == word {
		if possessive(r.at(from - 1).fold) {
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
func (r *reader) plainName(i int) int {
	if !startsUpper(r.at(i)) || !r.links(i-1) || r.at(i-1).last {
		return 0
	}
	label, _ := r.label(i - 1)
	if label == "" || lookup(r.at(i-2).fold, personNoun) == "" {
		return 0
	}
	end := r.capitalised(i, true)
	if end == i || !r.at(end-1).last && r.at(end).shape != mark && !subordinate(r.at(end).fold) && r.at(end).fold != "a" && r.at(end).fold != "i" {
		return 0
	}
	r.add(Name, i, end, label)
	return end
}

// capitalised returns the index after one to three words with a capital letter from lexeme i on. After a
// title, initials with a point are part of the name.
func (r *reader) capitalised(i int, initials bool) int {
	j := i
	for n := 0; n < 3 && r.at(j).shape == word && startsUpper(r.at(j)) && (j == i || !r.at(j-1).last); n++ {
		j++
		if initials && r.is(j, ".") && !r.at(j).last && len(r.at(j-1).raw) <= 2 {
			j++
		}
	}
	return j
}

// title knows the words that stand before a person's name.
func title(fold string) bool {
	switch fold {
	case "pan", "pana", "panu", "panem", "pani", "panie", "pania", "slecna", "slecnou", "doktor", "doktora", "doktorem", "doktorka", "doktorkou", "doktorce", "doktorku",
		"mr", "mrs", "ms", "miss", "dr", "mudr", "mvdr", "judr", "ing", "mgr", "prof", "doc", "doctor", "professor", "inz", "lek",
		"господин", "госпожа", "г-н", "г-жа", "доктор", "доктора", "доктору", "herr", "frau", "herrn":
		return true
	}
	return false
}

// personNoun knows what a person can be to somebody.
func personNoun(stem string) string {
	switch stem {
	case "doktor", "zubar", "lekar", "pravnik", "advokat", "sef", "kolega", "kolegyn", "soused", "manzel", "sestr", "bratr", "bratrem", "dcer", "syn.", "matk", "otec", "kontakt", "ucitel", "ridic",
		"dentyst", "prawnik", "szef", "sasiad", "maz.", "zon", "siostr", "brat", "cork", "lekarz", "kontakt.", "nauczyciel",
		"врач", "стоматолог", "начальник", "сосед", "муж.", "жена", "сестр", "доч", "сын.", "юрист", "учител", "контакт",
		"dentist", "doctor", "lawyer", "boss", "manager", "neighbo", "husband", "wife", "sister", "brother", "daughter", "son.", "landlord", "teacher", "contact", "accountant", "friend", "dog.", "cat.", "pes.", "pies.", "kot.",
		"arzt", "chef", "nachbar", "mann.", "frau.", "schwester", "bruder", "tochter", "sohn", "собак", "кот.":
		return stem
	}
	return ""
}
