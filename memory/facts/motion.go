package facts

// motion knows the verbs of going somewhere: folded word -> what the affair is called.
func motion(lang, fold string) string {
	switch lang {
	case "cs":
		return czechMotion(fold)
	case "pl":
		return polishMotion(fold)
	case "ru":
		return russianMotion(fold)
	case "en":
		return englishMotion(fold)
	}
	return ""
}

func czechMotion(fold string) string {
	switch fold {
	case "stehuju", "stehuji", "stehujeme", "stehujem", "prestehuju", "prestehujeme", "stehovat", "prestehovat":
		return "stěhování"
	case "letim", "letime", "letim-li", "poletime", "poletim", "letet":
		return "let"
	case "jedeme", "jedem", "jedu", "pojedu", "pojedeme", "pojedem", "jet", "odjizdim", "odjizdime", "cestuju", "cestujeme", "vyrazime":
		return "cesta"
	}
	return ""
}

func polishMotion(fold string) string {
	switch fold {
	case "przeprowadzam", "przeprowadzamy", "przeprowadzic", "wyprowadzam", "wyprowadzamy":
		return "przeprowadzka"
	case "lece", "lecimy", "polece", "polecimy", "leciec":
		return "lot"
	case "jade", "jedziemy", "pojade", "pojedziemy", "jechac", "wyjezdzam", "wyjezdzamy":
		return "wyjazd"
	}
	return ""
}

func russianMotion(fold string) string {
	switch fold {
	case "переезжаю", "переезжаем", "переехать", "перееду", "переедем":
		return "переезд"
	case "лечу", "летим", "полечу", "полетим", "лететь", "полететь":
		return "перелёт"
	case "еду", "едем", "поеду", "поедем", "ехать", "поехать", "съездить":
		return "поездка"
	}
	return ""
}

func englishMotion(fold string) string {
	switch fold {
	case "moving", "relocating":
		return "move"
	case "flying", "fly":
		return "flight"
	case "travelling", "traveling", "travel":
		return "trip"
	}
	return ""
}

// towards knows the prepositions of where one goes.
func towards(fold string) bool {
	switch fold {
	case "do", "na", "k", "ke", "в", "во", "на", "к", "to":
		return true
	}
	return false
}
