package facts_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/facts"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ lang, message, want string }{
		{"cs", "Vybral jsem a koupil tenhle díl: https://www.ebay.com/itm/256781234509", "Vybral jsem a koupil tenhle díl – ebay.com"},
		{"cs", "Posílám objednávku, číslo 11-20344-77150, $41.20", "Posílám objednávku"},
		{"cs", "Fajn, teď jiná záležitost. Přišel email od univerzita Feniks.", "Přišel email od univerzita Feniks"},
		{"cs", "Hele, kdy přijde ten díl na jeep?", "Kdy přijde ten díl na jeep"},
		{"cs", "Dobře, a co s tou přihláškou, jak mám pokračovat?", "Co s tou přihláškou, jak mám pokračovat"},
		{"cs", "Objednávka č. 4471 dorazí 20. 2. mezi 14:00 a 16:00.", "Objednávka dorazí 20. 2. mezi 14:00 a 16:00"},
		{"cs", "Faktura č. 2026001234 na 1 250 Kč, splatnost 28. 2. 2026, VS 2026001234.", "Faktura, splatnost 28. 2. 2026"},
		{"cs", "Zaplatil jsem zálohu 15 000 Kč a nájem je 12 tis. Kč měsíčně.", "Zaplatil jsem zálohu a nájem měsíčně"},
		{"cs", "Zavolejte mi na 777 123 456 nebo napište na jana.novakova@seznam.cz.", "Zavolejte mi nebo napište"},
		{"cs", "Moje zubařka se jmenuje Jana Dvořáková, ordinace je na adrese Dlouhá 15, Praha 1.", "Moje zubařka se jmenuje Jana Dvořáková"},
		{"cs", "Heslo k wifi je modra-krava-42.", "Heslo k wifi"},
		{"cs", "Číslo pojistky 556677, platí do 31. 12. 2026.", "Číslo pojistky"},
		{"cs", "Moje SPZ je 3AB 1234.", "Moje SPZ"},
		{"cs", "Letím 5. března v 14:30 letem OK 123 do Londýna.", "Letím 5. března v 14:30 letem do Londýna"},
		{"cs", "Musím poslat přepis známek do pátku a zaplatit poplatek 500 Kč.", "Poslat přepis známek do pátku a zaplatit poplatek"},
		{"cs", "Zkontrolovat doručení 20. 2.", "Zkontrolovat doručení 20. 2"},
		{"cs", "Nezapomeň, že mám zítra v 9:00 schůzku s panem Novákem.", "Zítra v 9:00 schůzku s panem Novákem"},
		{"cs", "IČO: 12345678, DIČ: CZ12345678, účet 19-2000145399/0800", "IČO"},
		{"cs", "IBAN CZ65 0800 0000 1920 0014 5399", "IBAN"},
		{"cs", "V roce 2014 jsem koupil Jeep Grand Cherokee, stál 250,- Kč.", "V roce 2014 jsem koupil Jeep Grand Cherokee"},
		{"cs", "velikost 42, barva: modrá, 2 ks", "Velikost 42, barva"},
		{"cs", "Mimochodem, potřebuji pojištění auta u Kooperativy.", "Pojištění auta u Kooperativy"},
		{"cs", "Rezervace hotelu QXZKLM, check-in 12.6.2026", "Rezervace hotelu"},
		{"cs", "Balík má číslo zásilky DR1234567890C a dorazí příští úterý.", "Balík má číslo zásilky a dorazí příští úterý"},
		{"cs", "Můj šéf je Petr Svoboda.", "Můj šéf je Petr Svoboda"},
		{"cs", "Připomeň mi zítra zavolat na úřad.", "Zítra zavolat na úřad"},
		{"cs", "Mám raději kávu bez cukru.", "Raději kávu bez cukru"},
		{"cs", "Kolik stála ta sprška?", "Kolik stála ta sprška"},
		{"cs", "Jaké je číslo objednávky?", "Jaké je číslo objednávky"},
		{"cs", "Rozhodli jsme se pro Prahu, ne Brno.", "Rozhodli jsme se pro Prahu"},
		{"cs", "Přihláška na Phoenix University: termín podání je 15. 3. 2026, poplatek 690 Kč.", "Přihláška na Phoenix University"},
		{"cs", "Na auto jedu 5 let, 120 km/h, 2024.", "Na auto jedu 5 let"},
		{"cs", "Objednávka dorazila, hotovo.", "Objednávka dorazila"},
		{"cs", "Ahoj, pomoz mi s reklamací pračky Bosch, koupil jsem ji v Alze za 12 990 Kč.", "Pomoz mi s reklamací pračky Bosch"},
		{"cs", "Pan Novák bydlí v ulici Korunní 810/104, 101 00 Praha 10.", "Pan Novák bydlí v ulici Korunní"},
		{"pl", "Wybrałem i zamówiłem to: https://www.ebay.com/itm/256781234509", "Wybrałem i zamówiłem – ebay.com"},
		{"pl", "Oto zamówienie, numer 11-20344-77150, 41,20 USD", "Zamówienie"},
		{"pl", "Super, teraz moja sprawa. Masz e-mail od uniwersytetu Feniks.", "E-mail od uniwersytetu Feniks"},
		{"pl", "Słuchaj, kiedy to ma przyjść, ta część do auta?", "Kiedy to ma przyjść, do auta"},
		{"pl", "Zamówienie nr 998877 kosztowało 99,90 zł, dostawa 20 lutego.", "Zamówienie kosztowało"},
		{"pl", "Mój dentysta to dr Kowalski, tel. 501 234 567.", "Mój dentysta to dr Kowalski"},
		{"pl", "Muszę wysłać świadectwo do piątku.", "Wysłać świadectwo do piątku"},
		{"pl", "Trzeba zapłacić fakturę FV/2026/02/123 do 15.03.2026.", "Zapłacić fakturę"},
		{"pl", "Adres: ul. Długa 5, 00-950 Warszawa", "Adres: ul. Długa 5"},
		{"pl", "Hasło do wifi to zielona-zaba.", "Hasło do wifi"},
		{"pl", "Moja siostra nazywa się Anna Nowak.", "Moja siostra nazywa się Anna Nowak"},
		{"pl", "Numer polisy 556677, składka 1 200 zł rocznie.", "Numer polisy"},
		{"pl", "Wizyta u lekarza 5 marca o 14:30.", "Wizyta u lekarza 5 marca o 14:30"},
		{"pl", "Przypomnij mi, żebym zadzwonił do banku jutro.", "Zadzwonił do banku jutro"},
		{"pl", "Ile kosztowała ta część?", "Ile kosztowała ta część"},
		{"pl", "Jaki jest numer zamówienia?", "Jaki jest numer zamówienia"},
		{"pl", "Numer rejestracyjny WX 12345", "Numer rejestracyjny"},
		{"pl", "Rozmiar 38, kolor: czerwony", "Rozmiar 38, kolor"},
		{"pl", "Teraz coś innego: szukam mieszkania w Krakowie, budżet 3 000 zł.", "Szukam mieszkania w Krakowie"},
		{"pl", "Lot LO 3907 o 6:45, rezerwacja ABC123.", "Lot o 6:45, rezerwacja"},
		{"pl", "Wolę herbatę bez cukru.", "Wolę herbatę bez cukru"},
		{"pl", "Nie muszę dzwonić do banku.", "Nie muszę dzwonić do banku"},
		{"pl", "Czynsz wynosi 2 500 zł, kaucja 5 tys. zł.", "Czynsz wynosi"},
		{"pl", "Zdecydowaliśmy się na Gdańsk.", "Zdecydowaliśmy się na Gdańsk"},
		{"pl", "Paczka 00340434161234567890 jest w drodze.", "Paczka jest w drodze"},
		{"pl", "Dzień dobry, chciałbym zgłosić reklamację butów kupionych w CCC.", "Zgłosić reklamację butów kupionych w CCC"},
		{"pl", "Spotkanie w piątek o 10:00 z panią Kowalską.", "Spotkanie w piątek o 10:00 z panią Kowalską"},
		{"pl", "Mój NIP to 526-10-40-567.", "Mój NIP"},
		{"ru", "Выбрал и заказал вот это: https://www.ebay.com/itm/256781234509", "Выбрал и заказал – ebay.com"},
		{"ru", "Вот заказ, номер 11-20344-77150, $41.20", "Заказ"},
		{"ru", "Супер, теперь моё дело. У тебя есть письмо от университета Феникс.", "Письмо от университета Феникс"},
		{"ru", "Слушай, когда она придёт, эта деталь для машины?", "Когда она придёт, эта деталь для машины"},
		{"ru", "Заказ № 4471 стоит 4 500 руб., доставка 20 февраля.", "Заказ, доставка 20 февраля"},
		{"ru", "Меня зовут Иван Петров, телефон +7 912 345-67-89.", "Меня зовут Иван Петров"},
		{"ru", "Нужно отправить аттестат до пятницы.", "Отправить аттестат до пятницы"},
		{"ru", "Напомни мне оплатить счёт № 12345 завтра.", "Оплатить счёт завтра"},
		{"ru", "Адрес: ул. Ленина, д. 12, Москва", "Адрес: ул. Ленина"},
		{"ru", "Пароль от вайфая — зелёная-лягушка.", "Пароль от вайфая"},
		{"ru", "Мой врач — доктор Иванова.", "Мой врач, доктор Иванова"},
		{"ru", "Номер полиса 556677, срок до 31.12.2026.", "Номер полиса"},
		{"ru", "Встреча 5 марта в 14:30.", "Встреча 5 марта в 14:30"},
		{"ru", "Сколько стоила деталь?", "Сколько стоила деталь"},
		{"ru", "Какой номер заказа?", "Какой номер заказа"},
		{"ru", "Размер 42, цвет: синий", "Размер 42, цвет"},
		{"ru", "Кстати, нужна страховка на машину.", "Нужна страховка на машину"},
		{"ru", "Рейс SU 1234 вылетает в 6:45.", "Рейс вылетает в 6:45"},
		{"ru", "Госномер А123ВС 77", "Госномер"},
		{"ru", "Предпочитаю чай без сахара.", "Предпочитаю чай без сахара"},
		{"ru", "Не нужно звонить в банк.", "Не нужно звонить в банк"},
		{"ru", "Аренда 45 тыс. руб., залог 90 000 ₽.", "Аренда, залог"},
		{"ru", "Посылка RR123456789RU уже в пути, придёт во вторник.", "Посылка уже в пути"},
		{"ru", "ИНН 7707083893", "ИНН"},
		{"ru", "Здравствуйте, хочу оформить возврат ботинок.", "Оформить возврат ботинок"},
		{"ru", "Мы решили ехать в Казань.", "Мы решили ехать в Казань"},
		{"en", "I picked and ordered this: https://www.ebay.com/itm/256781234509", "Picked and ordered – ebay.com"},
		{"en", "Here is the order, number 11-20344-77150, $41.20", "Order"},
		{"en", "Great, now my own matter. You have an email from Phoenix University.", "Email from Phoenix University"},
		{"en", "Hey, when is it supposed to arrive, the car part?", "When is it supposed to arrive"},
		{"en", "OK, and what about the school, what do I need to do next?", "What about the school, what do I need to do next"},
		{"en", "My order number is 112-3456789-1234567 and the total was $1,249.99.", "My order and the total"},
		{"en", "Invoice no. 4471 is due on March 5, 2026.", "Invoice is due on March 5"},
		{"en", "My dentist is Dr. Kowalska, phone +1 (555) 123-4567.", "My dentist is Dr. Kowalska"},
		{"en", "I need to send the transcript by Friday.", "Send the transcript by Friday"},
		{"en", "Remind me to check the delivery on 20 Feb.", "Check the delivery on 20 Feb"},
		{"en", "My plate is 3AB 1234.", "My plate"},
		{"en", "The wifi password is tulip42.", "Wifi password"},
		{"en", "We live at 221B Baker Street, London NW1 6XE.", "We live at 221B Baker Street"},
		{"en", "My name is John Smith.", "My name is John Smith"},
		{"en", "Flight BA 287 departs 12 June at 6:45 am.", "Flight departs 12 June at 6:45 am"},
		{"en", "My booking reference is QXZKLM.", "My booking reference"},
		{"en", "Size M, 3 pcs please", "Size M, 3 pcs please"},
		{"en", "I prefer window seats.", "Prefer window seats"},
		{"en", "We decided to go with the blue one.", "We decided to go with the blue one"},
		{"en", "By the way, I want to renew my car insurance.", "Renew my car insurance"},
		{"en", "In 2014 I bought a Jeep Grand Cherokee for 25 thousand dollars.", "In 2014 I bought a Jeep Grand Cherokee"},
		{"en", "Rent is €950 and the deposit is 1900 EUR.", "Rent and the deposit"},
		{"en", "Call me at 555-123-4567.", "Call me"},
		{"en", "You don't need to call the bank.", "You don't need to call the bank"},
		{"en", "How much did the part cost?", "How much did the part cost"},
		{"en", "What's the order number?", "What's the order number"},
		{"en", "Who is my dentist?", "Who is my dentist"},
		{"en", "Where do I live?", "Where do I live"},
		{"en", "Invoices 4471 and 4472 are unpaid.", "Invoices are unpaid"},
		{"en", "My sister is called Jane.", "My sister is called Jane"},
		{"en", "The meeting is next Tuesday at 3 pm.", "Meeting is next Tuesday at 3 pm"},
		{"en", "Tracking: 1Z999AA10123456784", "Tracking"},
		{"en", "I have version 1.2.3 installed, 5.10 works too.", "Version 1.2.3 installed"},
		{"en", "The gate code is 4821#.", "Gate"},
		{"en", "TODO: call the landlord", "TODO: call the landlord"},
		{"en", "Can you remind me to pay the rent?", "Pay the rent"},
		{"en", "My account number is 123456789, sort code 12-34-56.", "My account, sort"},
		{"en", "My mother's birthday is on July 14.", "My mother's birthday is on July 14"},
		{"en", "policy number: 556677", "Policy"},
		{"en", "Buy milk, eggs and bread", "Buy milk"},
		{"en", "thanks!", "Thanks"},
		{"en", "ok", "Ok"},
		{"de", "Bestellnummer 4711-0815 kostet 49,90 €, Lieferung am 20. März.", "Bestellnummer kostet"},
		{"de", "Ich muss bis Freitag das Zeugnis schicken.", "Bis Freitag das Zeugnis schicken"},
		{"de", "Meine Adresse ist Hauptstraße 5, 10115 Berlin.", "Meine Adresse ist Hauptstraße 5"},
		{"de", "Mein Passwort ist Tulpe42.", "Mein Passwort"},
		{"cs", "Je mi 35 let a mám 2 děti. V roce 1998 jsem se přestěhoval.", "V roce 1998 jsem se přestěhoval"},
		{"cs", "Objednal jsem 3 kusy. Verze 10.0.19045, skóre 2:1, 50 %.", "Objednal jsem 3 kusy"},
		{"cs", "Jedeme do Prahy na 3 dny, od 20. do 25. března.", "Jedeme do Prahy na 3 dny"},
		{"cs", "Objednávku 2026 nemám.", "Objednávku 2026 nemám"},
		{"cs", "Dobrý den, dnes je hezky. Můžeš mi prosím říct, kolik je hodin?", "Dnes je hezky"},
		{"cs", "Ten jeep má motor 3.0 CRD, kód motoru OM642.", "Jeep má motor 3.0 CRD"},
		{"cs", "Termín u zubaře je v pátek v 9:00.", "Termín u zubaře je v pátek v 9:00"},
		{"cs", "Nezapomeň koupit mléko!", "Koupit mléko"},
		{"cs", "Už jsem to poslal, hotovo.", "Už jsem to poslal, hotovo"},
		{"cs", "Potřebuju nový telefon.", "Nový telefon"},
		{"cs", "Moje dcera Anička chodí do 3. třídy.", "Moje dcera Anička chodí do 3. třídy"},
		{"cs", "Oprava: cena je 42,50 $, ne 41,20 $.", "Oprava: cena"},
		{"cs", "tak teď k té škole: přihláška stojí 690 Kč a posílá se do 15.3.", "K té škole: přihláška a posílá se do 15.3"},
		{"cs", "Kontakt na řemeslníka: Karel Dvořák, 602111222, karel@dvorak.cz", "Kontakt na řemeslníka"},
		{"cs", "Úkoly:\n- zavolat pojišťovně\n- zaplatit fakturu 4471\n- objednat pneumatiky", "Zavolat pojišťovně"},
		{"cs", "Díl jsem objednal za $41.20, č. obj. 11-20344-77150, doručení 2.3.2026", "Díl jsem objednal"},
		{"cs", "Adresa pro doručení je Na Příkopě 12/34, 110 00 Praha 1.", "Adresa pro doručení je Na Příkopě 12/34"},
		{"en", "I am 35 years old and have 2 kids. In 1998 I moved.", "35 years old and have 2 kids"},
		{"en", "I scored 100 in the test, 3 out of 5, ratio 16:9, call of duty 4.", "Scored 100 in the test"},
		{"en", "The order of 2026 things does not matter.", "Order of 2026 things does not matter"},
		{"en", "My problem is that the car won't start.", "My problem is that the car won't start"},
		{"en", "I think the deadline is March 3rd, 2026 at noon.", "Deadline is March 3rd"},
		{"en", "Dr. Smith's office: 12 Main Street, Springfield, open 9:00-17:00", "Dr. Smith's office"},
		{"en", "USB 3.0, 802.11ac, IPv6, iPhone 15 and 4K.", "iPhone 15 and 4K"},
		{"en", "Don't forget to buy milk and remember to call mom, because it's her birthday.", "Buy milk and remember to call mom"},
		{"en", "Where is the link to the item?", "Where is the link to the item"},
		{"en", "When I arrive, I will call you.", "When I arrive, will call you"},
		{"en", "ok so about my tax return: I have to file it by April 15", "My tax return"},
		{"en", "Please store that my passport number is X1234567.", "My passport"},
		{"en", "Our landlord is Mr. Peter Parker and he lives at 5 Oak Lane.", "Our landlord is Mr. Peter Parker and he lives at 5 Oak Lane"},
		{"ru", "Мне 35 лет, в 1998 году я переехал.", "Мне 35 лет, в 1998 году я переехал"},
		{"ru", "Забронировал отель, бронь № 778899, заезд 12.06, выезд 15.06, 2 человека.", "Забронировал отель"},
		{"ru", "Позвони мне на 8 (912) 345-67-89.", "Позвони мне"},
		{"ru", "Не забудь купить молоко и оплатить интернет.", "Купить молоко и оплатить интернет"},
		{"ru", "Моя машина — Лада Веста, номер А123ВС77.", "Моя машина, Лада Веста"},
		{"ru", "Сегодня хорошая погода, правда?", "Сегодня хорошая погода"},
		{"pl", "Mam 35 lat i 2 dzieci, w 1998 roku się przeprowadziłem.", "35 lat i 2 dzieci"},
		{"pl", "Kupiłem bilety za 2 x 45 zł, pociąg IC 3510, wagon 12.", "Kupiłem bilety za 2 x"},
		{"pl", "Nie zapomnij kupić mleka i zapłacić za internet do 10.03.", "Kupić mleka i zapłacić za internet do 10.03"},
		{"pl", "Mój adres: ul. Marszałkowska 10/5, 00-590 Warszawa, tel. +48 501 234 567", "Mój adres: ul. Marszałkowska 10/5"},
		{"pl", "Konto PL61 1090 1014 0000 0712 1981 2874", "Konto"},
		{"pl", "Samochód stoi na ul. Długiej, kluczyki ma pani Ania.", "Samochód stoi na ul. Długiej"},
		{"cs", "Voucher na masáž má kód AB12CD34.", "Voucher na masáž"},
		{"cs", "Schůzka s účetní je 7. dubna v 10:15.", "Schůzka s účetní je 7. dubna v 10:15"},
		{"cs", "Reklamace č. R-2026-118 byla přijata.", "Reklamace byla přijata"},
		{"cs", "Nájem je 18 500 Kč a kauce 37 000 Kč.", "Nájem a kauce"},
		{"cs", "Vyzvednout balík do 3. 4. v Zásilkovně.", "Vyzvednout balík do 3. 4. v Zásilkovně"},
		{"cs", "Jak se jmenuje moje zubařka?", "Jak se jmenuje moje zubařka"},
		{"cs", "Jaká je adresa skladu?", "Jaká je adresa skladu"},
		{"cs", "Pošli mi odkaz na tu sekačku.", "Pošli mi odkaz na tu sekačku"},
		{"pl", "Voucher na masaż ma kod AB12CD34.", "Voucher na masaż"},
		{"pl", "Mój numer klienta to 889900.", "Mój numer klienta"},
		{"pl", "Spotkanie z księgową 7 kwietnia o 10:15.", "Spotkanie z księgową 7 kwietnia o 10:15"},
		{"pl", "Reklamacja nr R-2026-118 została przyjęta.", "Reklamacja została przyjęta"},
		{"pl", "Kiedy przyjdzie paczka?", "Kiedy przyjdzie paczka"},
		{"pl", "Gdzie jest link do kosiarki?", "Gdzie jest link do kosiarki"},
		{"pl", "Kto jest moim dentystą?", "Kto jest moim dentystą"},
		{"pl", "Jaki jest adres magazynu?", "Jaki jest adres magazynu"},
		{"pl", "Postanowiliśmy wziąć kredyt w ING.", "Postanowiliśmy wziąć kredyt w ING"},
		{"pl", "Lubię miejsca przy oknie.", "Lubię miejsca przy oknie"},
		{"pl", "Przy okazji, muszę odnowić ubezpieczenie samochodu.", "Odnowić ubezpieczenie samochodu"},
		{"pl", "Fakturę nr 4471 trzeba zapłacić do 10 maja.", "Fakturę trzeba zapłacić do 10 maja"},
		{"pl", "Napisz na adres jan.kowalski@firma.pl albo zadzwoń: 601-234-567.", "Napisz na adres albo zadzwoń"},
		{"ru", "Ваучер на массаж, код AB12CD34.", "Ваучер на массаж"},
		{"ru", "Мой номер клиента 889900.", "Мой номер клиента"},
		{"ru", "Встреча с бухгалтером 7 апреля в 10:15.", "Встреча с бухгалтером 7 апреля в 10:15"},
		{"ru", "Обращение № R-2026-118 принято.", "Обращение принято"},
		{"ru", "Когда придёт посылка?", "Когда придёт посылка"},
		{"ru", "Где ссылка на газонокосилку?", "Где ссылка на газонокосилку"},
		{"ru", "Кто мой стоматолог?", "Кто мой стоматолог"},
		{"ru", "Какой адрес склада?", "Какой адрес склада"},
		{"ru", "Люблю места у окна.", "Люблю места у окна"},
		{"ru", "Кстати, мне нужно продлить страховку машины.", "Продлить страховку машины"},
		{"ru", "Счёт № 4471 надо оплатить до 10 мая.", "Счёт надо оплатить до 10 мая"},
		{"ru", "Пишите на ivan.petrov@mail.ru или звоните +7 495 123-45-67.", "Пишите или звоните"},
		{"ru", "Моя сестра Анна живёт на ул. Садовая, 5.", "Моя сестра Анна живёт на ул. Садовая"},
		{"ru", "Зарплата 120 тыс. руб., премия 15 000 руб.", "Зарплата, премия"},
		{"en", "The voucher for the massage has the code AB12CD34.", "Voucher for the massage"},
		{"en", "My customer number is 889900.", "My customer"},
		{"en", "Meeting with the accountant on 7 April at 10:15.", "Meeting with the accountant on 7 April at 10:15"},
		{"en", "Claim no. R-2026-118 was accepted.", "Claim was accepted"},
		{"en", "What is the address of the warehouse?", "What is the address of the warehouse"},
		{"en", "I like it.", "I like it"},
		{"cs", "", "Nová záležitost"},
		{"pl", "...", "Nowa sprawa"},
		{"ru", "!", "Новое дело"},
		{"en", "$5", "New affair"},
		{"de", "123456789", "Neue Angelegenheit"},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			t.Parallel()
			got := facts.Title(tt.message, tt.lang)
			if got != tt.want {
				t.Errorf("Title(%q, %s) = %q, want %q", tt.message, tt.lang, got, tt.want)
			}
			if n := utf8.RuneCountInString(got); n > 60 {
				t.Errorf("Title(%q) has %d runes", tt.message, n)
			}
			for _, f := range facts.Extract(tt.message, tt.lang) {
				if (f.Kind == facts.Reference || f.Kind == facts.Price || f.Kind == facts.Item) && strings.Contains(got, f.Value) {
					t.Errorf("Title(%q) = %q holds the %s %q", tt.message, got, f.Kind, f.Value)
				}
			}
		})
	}
}

func TestUntitled(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en", "de"} {
		if title := facts.Title("", lang); !facts.Untitled(title) {
			t.Errorf("Untitled(%q) = false", title)
		}
	}
	if facts.Untitled("Pojištění auta") {
		t.Error("a title with words counts as none")
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang, message string
		want          []string
	}{
		{"cs", "Hele, kdy přijde ten díl na jeep?", nil},
		{"cs", "Dobře, a co s tou přihláškou, jak mám pokračovat?", nil},
		{"cs", "Musím poslat přepis známek do pátku a zaplatit poplatek 500 Kč.", []string{"poslat přepis známek do pátku a zaplatit poplatek 500 Kč"}},
		{"cs", "Zkontrolovat doručení 20. 2.", []string{"zkontrolovat doručení 20. 2."}},
		{"cs", "Nezapomeň, že mám zítra v 9:00 schůzku s panem Novákem.", []string{"zítra v 9:00 schůzku s panem Novákem"}},
		{"cs", "Připomeň mi zítra zavolat na úřad.", []string{"zítra zavolat na úřad"}},
		{"cs", "Kolik stála ta sprška?", nil},
		{"cs", "Jaké je číslo objednávky?", nil},
		{"pl", "Słuchaj, kiedy to ma przyjść, ta część do auta?", nil},
		{"pl", "Muszę wysłać świadectwo do piątku.", []string{"wysłać świadectwo do piątku"}},
		{"pl", "Trzeba zapłacić fakturę FV/2026/02/123 do 15.03.2026.", []string{"zapłacić fakturę FV/2026/02/123 do 15.03.2026"}},
		{"pl", "Przypomnij mi, żebym zadzwonił do banku jutro.", []string{"zadzwonił do banku jutro"}},
		{"pl", "Ile kosztowała ta część?", nil},
		{"pl", "Jaki jest numer zamówienia?", nil},
		{"pl", "Nie muszę dzwonić do banku.", nil},
		{"ru", "Слушай, когда она придёт, эта деталь для машины?", nil},
		{"ru", "Нужно отправить аттестат до пятницы.", []string{"отправить аттестат до пятницы"}},
		{"ru", "Напомни мне оплатить счёт № 12345 завтра.", []string{"оплатить счёт № 12345 завтра"}},
		{"ru", "Сколько стоила деталь?", nil},
		{"ru", "Какой номер заказа?", nil},
		{"ru", "Не нужно звонить в банк.", nil},
		{"en", "Hey, when is it supposed to arrive, the car part?", nil},
		{"en", "OK, and what about the school, what do I need to do next?", nil},
		{"en", "I need to send the transcript by Friday.", []string{"send the transcript by Friday"}},
		{"en", "Remind me to check the delivery on 20 Feb.", []string{"check the delivery on 20 Feb"}},
		{"en", "You don't need to call the bank.", nil},
		{"en", "How much did the part cost?", nil},
		{"en", "What's the order number?", nil},
		{"en", "Who is my dentist?", nil},
		{"en", "Where do I live?", nil},
		{"en", "TODO: call the landlord", []string{"call the landlord"}},
		{"en", "Can you remind me to pay the rent?", []string{"pay the rent"}},
		{"de", "Ich muss bis Freitag das Zeugnis schicken.", []string{"bis Freitag das Zeugnis schicken"}},
		{"cs", "Dobrý den, dnes je hezky. Můžeš mi prosím říct, kolik je hodin?", nil},
		{"cs", "Nezapomeň koupit mléko!", []string{"koupit mléko"}},
		{"cs", "Potřebuju nový telefon.", nil},
		{"cs", "Úkoly:\n- zavolat pojišťovně\n- zaplatit fakturu 4471\n- objednat pneumatiky", []string{"zavolat pojišťovně", "zaplatit fakturu 4471", "objednat pneumatiky"}},
		{"en", "Don't forget to buy milk and remember to call mom, because it's her birthday.", []string{"buy milk", "call mom"}},
		{"en", "Where is the link to the item?", nil},
		{"en", "ok so about my tax return: I have to file it by April 15", []string{"file it by April 15"}},
		{"ru", "Не забудь купить молоко и оплатить интернет.", []string{"купить молоко и оплатить интернет"}},
		{"ru", "Сегодня хорошая погода, правда?", nil},
		{"pl", "Nie zapomnij kupić mleka i zapłacić za internet do 10.03.", []string{"kupić mleka i zapłacić za internet do 10.03."}},
		{"cs", "Vyzvednout balík do 3. 4. v Zásilkovně.", []string{"vyzvednout balík do 3. 4. v Zásilkovně"}},
		{"cs", "Jak se jmenuje moje zubařka?", nil},
		{"cs", "Jaká je adresa skladu?", nil},
		{"pl", "Kiedy przyjdzie paczka?", nil},
		{"pl", "Gdzie jest link do kosiarki?", nil},
		{"pl", "Kto jest moim dentystą?", nil},
		{"pl", "Jaki jest adres magazynu?", nil},
		{"pl", "Przy okazji, muszę odnowić ubezpieczenie samochodu.", []string{"odnowić ubezpieczenie samochodu"}},
		{"pl", "Fakturę nr 4471 trzeba zapłacić do 10 maja.", []string{"fakturę nr 4471 zapłacić do 10 maja"}},
		{"ru", "Когда придёт посылка?", nil},
		{"ru", "Где ссылка на газонокосилку?", nil},
		{"ru", "Кто мой стоматолог?", nil},
		{"ru", "Какой адрес склада?", nil},
		{"ru", "Кстати, мне нужно продлить страховку машины.", []string{"продлить страховку машины"}},
		{"ru", "Счёт № 4471 надо оплатить до 10 мая.", []string{"счёт № 4471 оплатить до 10 мая"}},
		{"en", "What is the address of the warehouse?", nil},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, facts.Pending(tt.message, tt.lang)); diff != "" {
				t.Errorf("Pending(%q) (-want +got):\n%s", tt.message, diff)
			}
		})
	}
}

func TestTopics(t *testing.T) {
	t.Parallel()
	tests := []struct {
		message string
		want    []string
	}{
		{"Vybral jsem díl na jeep: https://www.ebay.com/itm/256781234509", []string{"ebay", "jeep"}},
		{"Mimochodem, potřebuji pojištění auta u Kooperativy.", []string{"pojist"}},
		{"Rent, rent and again the rent of the flat in Prague", []string{"rent"}},
		{"", nil},
		{"42 100 3.5", nil},
	}
	for _, tt := range tests {
		got := facts.Topics(tt.message)
		if len(got) > 8 {
			t.Errorf("Topics(%q) has %d terms", tt.message, len(got))
		}
		for _, w := range tt.want {
			if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+w) {
				t.Errorf("Topics(%q) = %v, want %q in it", tt.message, got, w)
			}
		}
		if tt.want == nil && len(got) > 0 {
			t.Errorf("Topics(%q) = %v, want none", tt.message, got)
		}
	}
	if got := facts.Topics("Rent, rent and again the rent of the flat in Prague"); got[0] != "rent" {
		t.Errorf("the most frequent term is not first: %v", got)
	}
}
