package mask

import (
	"strings"
	"sync"
)

// cueOf is what the nearest word before a token, or behind it, calls a secret: the number of its kind, how far away it is, and whether it is in the same sentence.
func cueOf(part []token, i, way int) (cue uint32, far int, here uint32) {
	most := before
	if way > 0 {
		most = behind
	}
	for n := 1; n <= most; n++ {
		w := at(part, i+way*n)
		if w == &none {
			break
		}
		if w.kind >= 0 {
			if w.sentence == part[i].sentence {
				here = 1
			}
			return uint32(w.kind) + 1, n, here
		}
	}
	return 0, 0, 0
}

// called is what a secret is called, by the nearest word before it that says so, or behind it.
func called(all []token, i int) string {
	for n := 1; n <= before; n++ {
		for _, w := range []*token{at(all, i-n), at(all, i+n)} {
			if w.kind >= 0 && kinds[w.kind].name != "" {
				return kinds[w.kind].name
			}
		}
	}
	return "secret"
}

// kindOf is the number of the kind of secret a word speaks of, or -1.
func kindOf(fold string) int {
	if fold != "" {
		for _, c := range cues()[fold[0]] {
			if strings.HasPrefix(fold, c.begins) {
				return c.kind
			}
		}
	}
	return -1
}

type cue struct {
	begins string
	kind   int
}

// cues are the beginnings by their first bytes.
var cues = sync.OnceValue(func() *[256][]cue { //nolint:gochecknoglobals // a constant, made once
	var out [256][]cue
	for k, all := range kinds {
		for _, begins := range all.begins {
			out[begins[0]] = append(out[begins[0]], cue{begins, k})
		}
	}
	return &out
})

// kinds are beginnings of words that speak of secrets, by what they call one; some lead to secrets and call them nothing.
var kinds = []struct { //nolint:gochecknoglobals // a constant
	name   string
	begins []string
}{
	{"PIN", strings.Fields("pin puk пин пук")},
	{"password", strings.Fields("passw pasw pwd hesl hasl haseł haslo парол kennw")},
	{"password", strings.Fields("passphr fraz фраз phrase losung")},
	{"card code", strings.Fields("cvv cvc csc")},
	{"recovery phrase", strings.Fields("seed mnemo сид мнемо")},
	{"key", strings.Fields("key klic klucz ключ token токен api schluss licen лиценз licenc")},
	{"code", strings.Fields("otp tan sms смс 2fa blik jednoraz одноразов authent autent аутент overov weryf verif подтвержд potwierd bestat")},
	{"code", strings.Fields("code kod код combin kombin комбин")},
	{"", strings.Fields("login логин user uziv uzyt юзер логи username prihlas zalog вход vhod log")},
	{"", strings.Fields("wifi wi-fi вайфа wlan ssid router роутер")},
	{"", strings.Fields("secret tajn tajem сек geheim секрет poufn confid private soukrom nikomu nobody никому nikdo nikt никто mezi между miedzy between keep")},
	{"", strings.Fields("question otazk pytan вопрос ответ odpov odpow answer")},
	{"", strings.Fields("card kart карт visa master")},
	{"", strings.Fields("backup recovery obnov odzysk восстан zaloz zaloh zapas резерв")},
}
