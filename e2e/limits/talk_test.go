package limits_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// talk is what a language's conversation is made of.
type talk struct {
	facts   map[int]fact // by the number of the message
	affairs []affair
	idle    []string // small talk
	answers []string // the agent's sentences
	back    string   // %s = an affair: the talk comes back to it
}

// fact is something said once, and a question for it.
type fact struct{ said, question, value string }

// affair is a matter that the talk comes back to: its name, and lines about it with a number in each.
type affair struct {
	name  string
	lines []string // %d = a number
}

// line is the i-th message: a fact where there is one, else small talk, a matter that comes back, or more of the one at hand.
func (t talk) line(dice *rand.Rand, i int) string {
	if f, ok := t.facts[i]; ok {
		return f.said
	}
	at := t.affairs[i/9%len(t.affairs)]
	switch {
	case i%9 == 0:
		return fmt.Sprintf(t.back, at.name)
	case dice.IntN(4) == 0:
		return t.idle[dice.IntN(len(t.idle))]
	}
	line := at.lines[dice.IntN(len(at.lines))]
	if strings.Contains(line, "%d") {
		return fmt.Sprintf(line, alike(i/9%len(t.affairs), dice.IntN(3)))
	}
	return line
}

// alike is one of the three numbers of a matter, of the same digits.
func alike(matter, n int) int { return [...]int{4410, 4401, 4140}[n] + 111*matter }

// everydayTalks are the conversations by language.
func everydayTalks() map[string]talk {
	return map[string]talk{
		"en": {
			facts: map[int]fact{
				1:   {"Hi there. Our allotment plot has the number 31-7K, next to the beehives.", "What is the number of our allotment plot?", "31-7K"},
				10:  {"The hamster's vet is called Oyelaran and her surgery is in Mill Lane.", "What is the hamster's vet called?", "Oyelaran"},
				100: {"I lent the cement mixer to Gwendolyn until June.", "Who did I lend the cement mixer to?", "Gwendolyn"},
				500: {"The piano tuner charges 135 euros and comes on Tuesdays.", "How much does the piano tuner charge?", "135"},
			},
			back: "Back to the %s for a moment.",
			idle: []string{
				"Thanks, that helps.", "Haha, good one.", "It is raining again.", "I had soup for lunch.", "The cat is asleep on my keyboard.", "Sorry, the phone rang.",
				"I slept badly.", "My tea went cold.", "What a week.", "The neighbours are drilling again.", "Okay.", "Fine, let me think.",
			},
			answers: []string{
				"Good, I have that.",
				"There are several ways to go about it, and none of them is wrong.",
				"Most people would wait a day before they decide.",
				"I can write it down for you if you like.",
				"It sounds as if you have thought it through already.",
				"Let me know when there is news, and we look at it again together.",
				"That is a little more than I expected.",
			},
			affairs: []affair{
				{"garden fence", []string{"The fence posts come as item %d.", "The carpenter wants to start with the gate.", "Larch or spruce for the fence?", "Fence quote %d is too high.", "Should the fence be painted?"}},
				{"school trip", []string{"The coach for the school trip has the number %d.", "Eleven children need a vegetarian lunch on the trip.", "The trip goes to the copper mine.", "Permission slips for the trip are due on Friday.", "Trip fund account %d got a payment."}},
				{"broken dishwasher", []string{"The dishwasher shows fault %d.", "It leaks under the door of the dishwasher.", "The repair man for the dishwasher comes after four.", "Spare pump %d is on order.", "Is a new dishwasher cheaper?"}},
				{"choir concert", []string{"We sing in the chapel, row %d is for families.", "The altos of the choir need more rehearsals.", "The choir concert begins at seven.", "Posters for the concert cost too much.", "The organist has flu."}},
				{"tax return", []string{"Form %d of the tax return confuses me.", "Can I deduct the bicycle in the tax return?", "The tax office wants receipts.", "Letter %d from the tax office arrived.", "The deadline of the tax return moved."}},
				{"aunt's birthday", []string{"Aunt Mabel turns eighty.", "The cake for aunt Mabel is order %d.", "We book the room above the pub for the birthday.", "Cousin Neil brings the projector.", "Should we sing for her?"}},
				{"bicycle repair", []string{"The bicycle has a loose chain.", "Frame number %d is on the receipt.", "The bicycle shop closes at six.", "New brake pads cost less online.", "The saddle of the bicycle is torn."}},
			},
		},
		"cs": {
			facts: map[int]fact{
				1:   {"Ahoj. Naše zahrádka v kolonii má číslo 31-7K, hned vedle úlů.", "Jaké číslo má naše zahrádka v kolonii?", "31-7K"},
				10:  {"Veterinářka křečka se jmenuje Oyelaranová a ordinuje v Mlýnské.", "Jak se jmenuje veterinářka křečka?", "Oyelaranová"},
				100: {"Míchačku na beton jsem půjčil Bohuslavovi do června.", "Komu jsem půjčil míchačku na beton?", "Bohuslavovi"},
				500: {"Ladič piana si účtuje 1350 korun a jezdí v úterý.", "Kolik si účtuje ladič piana?", "1350"},
			},
			back: "Vraťme se na chvíli k tématu %s.",
			idle: []string{"Díky, to pomůže.", "Haha, dobrý.", "Zase prší.", "K obědu byla polévka.", "Kočka mi spí na klávesnici.", "Promiň, zvonil telefon.", "Špatně jsem spal.", "To je týden.", "Dobře."},
			answers: []string{
				"Dobře, rozumím.",
				"Jde to udělat několika způsoby a žádný z nich není špatný.",
				"Většina lidí by s tím den počkala.",
				"Jestli chceš, sepíšu ti to.",
				"Zní to, že to máš dobře rozmyšlené.",
				"Dej vědět, až bude něco nového, a podíváme se na to spolu.",
				"To je o něco víc, než jsem čekal.",
			},
			affairs: []affair{
				{"plot na zahradě", []string{"Sloupky na plot mají položku %d.", "Tesař chce začít brankou.", "Modřín, nebo smrk na plot?", "Nabídka na plot %d je moc drahá."}},
				{"školní výlet", []string{"Autobus na výlet má číslo %d.", "Jedenáct dětí chce na výletě oběd bez masa.", "Výlet jede do měděného dolu.", "Souhlasy na výlet se odevzdávají v pátek."}},
				{"rozbitá myčka", []string{"Myčka hlásí chybu %d.", "Myčka teče pod dvířky.", "Opravář myčky přijde po čtvrté.", "Čerpadlo %d je na cestě."}},
				{"koncert sboru", []string{"Zpíváme v kapli, řada %d je pro rodiny.", "Alty ve sboru potřebují zkoušet.", "Koncert sboru začíná v sedm.", "Varhaník má chřipku."}},
				{"daňové přiznání", []string{"Formulář %d daňového přiznání je zmatený.", "Finanční úřad chce účtenky.", "Z úřadu přišel dopis %d.", "Termín daňového přiznání se posunul."}},
			},
		},
		"pl": {
			facts: map[int]fact{
				1:   {"Cześć. Nasza działka w ogródkach ma numer 31-7K, zaraz obok uli.", "Jaki numer ma nasza działka w ogródkach?", "31-7K"},
				10:  {"Weterynarz chomika nazywa się Oyelaran i przyjmuje na Młyńskiej.", "Jak nazywa się weterynarz chomika?", "Oyelaran"},
				100: {"Betoniarkę pożyczyłem Bogusławowi do czerwca.", "Komu pożyczyłem betoniarkę?", "Bogusławowi"},
				500: {"Stroiciel pianina bierze 135 złotych i przyjeżdża we wtorki.", "Ile bierze stroiciel pianina?", "135"},
			},
			back: "Wróćmy na chwilę do tematu %s.",
			idle: []string{"Dzięki, to pomaga.", "Haha, dobre.", "Znowu pada.", "Na obiad była zupa.", "Kot śpi mi na klawiaturze.", "Przepraszam, dzwonił telefon.", "Źle spałem.", "Co za tydzień.", "Dobrze."},
			answers: []string{
				"Dobrze, rozumiem.",
				"Można to zrobić na kilka sposobów i żaden nie jest zły.",
				"Większość ludzi poczekałaby z tym dzień.",
				"Jeśli chcesz, spiszę ci to.",
				"Brzmi to tak, jakbyś dobrze to przemyślał.",
				"Daj znać, gdy będzie coś nowego, popatrzymy razem.",
				"To trochę więcej, niż się spodziewałem.",
			},
			affairs: []affair{
				{"płot w ogrodzie", []string{"Słupki na płot mają pozycję %d.", "Stolarz chce zacząć od furtki.", "Modrzew czy świerk na płot?", "Oferta na płot %d jest za droga."}},
				{"wycieczka szkolna", []string{"Autokar na wycieczkę ma numer %d.", "Jedenaścioro dzieci chce na wycieczce obiad bez mięsa.", "Wycieczka jedzie do kopalni miedzi.", "Zgody na wycieczkę oddajemy w piątek."}},
				{"zepsuta zmywarka", []string{"Zmywarka pokazuje błąd %d.", "Zmywarka cieknie pod drzwiczkami.", "Serwisant zmywarki będzie po czwartej.", "Pompa %d jest w drodze."}},
				{"koncert chóru", []string{"Śpiewamy w kaplicy, rząd %d jest dla rodzin.", "Alty w chórze muszą ćwiczyć.", "Koncert chóru zaczyna się o siódmej.", "Organista ma grypę."}},
				{"zeznanie podatkowe", []string{"Formularz %d zeznania jest zagmatwany.", "Urząd skarbowy chce paragonów.", "Z urzędu przyszedł list %d.", "Termin zeznania się przesunął."}},
			},
		},
		"ru": {
			facts: map[int]fact{
				1:   {"Привет. Наш участок в садоводстве под номером 31-7К, рядом с ульями.", "Какой номер у нашего участка в садоводстве?", "31-7К"},
				10:  {"Ветеринара хомяка зовут Оеларан, она принимает на Мельничной.", "Как зовут ветеринара хомяка?", "Оеларан"},
				100: {"Бетономешалку я одолжил Богуславу до июня.", "Кому я одолжил бетономешалку?", "Богуславу"},
				500: {"Настройщик пианино берёт 1350 рублей и приезжает по вторникам.", "Сколько берёт настройщик пианино?", "1350"},
			},
			back: "Вернёмся на минуту к теме %s.",
			idle: []string{"Спасибо, помогло.", "Ха-ха, смешно.", "Опять дождь.", "На обед был суп.", "Кошка спит на клавиатуре.", "Извини, звонил телефон.", "Плохо спал.", "Ну и неделя.", "Хорошо."},
			answers: []string{
				"Хорошо, понимаю.",
				"Это можно сделать по-разному, и ни один способ не плохой.",
				"Большинство людей подождали бы день.",
				"Если хочешь, я тебе это запишу.",
				"Похоже, ты всё хорошо обдумал.",
				"Дай знать, когда будут новости, посмотрим вместе.",
				"Это немного больше, чем я ожидал.",
			},
			affairs: []affair{
				{"забор в саду", []string{"Столбы для забора это позиция %d.", "Плотник хочет начать с калитки.", "Лиственница или ель для забора?", "Смета на забор %d слишком большая."}},
				{"школьная поездка", []string{"Автобус для поездки под номером %d.", "Одиннадцать детей просят в поездке обед без мяса.", "Поездка будет на медный рудник.", "Согласия на поездку сдаём в пятницу."}},
				{"сломанная посудомойка", []string{"Посудомойка показывает ошибку %d.", "Посудомойка течёт под дверцей.", "Мастер по посудомойке придёт после четырёх.", "Насос %d уже едет."}},
				{"концерт хора", []string{"Поём в часовне, ряд %d для семей.", "Альтам в хоре надо репетировать.", "Концерт хора начинается в семь.", "У органиста грипп."}},
				{"налоговая декларация", []string{"Форма %d в декларации запутанная.", "Налоговая хочет чеки.", "Из налоговой пришло письмо %d.", "Срок декларации перенесли."}},
			},
		},
	}
}
