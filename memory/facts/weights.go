package facts

// weight is what a trait adds to a clause: the logarithm of its odds, fitted on the development dialogues (TestFitTelling).
// These are the traits of its place and length.
func weight(x trait) float64 {
	switch x {
	case "any":
		return -0.28
	case "closes the message":
		return 0.02
	case "content 0":
		return -0.53
	case "content 1":
		return -0.36
	case "content 2":
		return -0.21
	case "content 4":
		return 0.15
	case "content 5":
		return 0.34
	case "cs":
		return -0.09
	case "en":
		return -0.17
	case "general 1":
		return -0.08
	case "general 2":
		return -0.20
	case "general 3":
		return 0.03
	case "general 4":
		return -0.02
	case "general 5":
		return -0.29
	case "of 12":
		return 0.02
	case "of 24":
		return -0.07
	case "of 3":
		return 0.25
	case "of 48":
		return -0.21
	case "of 6":
		return -0.07
	case "of more":
		return -0.56
	case "opens a sentence":
		return 0.16
	case "opens the message":
		return -0.21
	case "pl":
		return -0.05
	case "request":
		return -1.06
	case "ru":
		return -0.14
	case "words 1":
		return -0.68
	case "words 10":
		return 0.15
	case "words 13":
		return 0.55
	case "words 2":
		return -0.40
	case "words 3":
		return -0.15
	case "words 4":
		return -0.09
	case "words 5":
		return 0.13
	case "words 6":
		return -0.25
	case "words 7":
		return 0.12
	case "words 8":
		return 0.10
	case "words 9":
		return 0.43
	}
	return signWeight(x)
}

// signWeight is weight for what single words and numbers are.
func signWeight(x trait) float64 {
	switch x {
	case "capital":
		return 1.39
	case "code":
		return 2.07
	case "comma":
		return 0.27
	case "counted":
		return 0.23
	case "dash":
		return -0.02
	case "date":
		return 0.72
	case "deadline":
		return 0.47
	case "digit":
		return 0.22
	case "five digits":
		return 0.57
	case "four digits":
		return 0.54
	case "measure":
		return 0.10
	case "month":
		return 0.89
	case "name":
		return 0.10
	case "named date":
		return -0.23
	case "number":
		return 1.64
	case "number first":
		return 0.36
	case "number last":
		return 0.40
	case "numbers":
		return 0.19
	case "price":
		return 0.28
	case "quote":
		return 0.17
	case "reference":
		return -0.20
	case "statement":
		return 0.31
	case "three digits":
		return 0.37
	case "time":
		return -0.82
	case "title":
		return 0.94
	case "tomorrow":
		return -0.64
	case "two digits":
		return 0.70
	case "weekday":
		return 1.28
	}
	return 0
}
