package facts_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
)

// said is a message and the facts expected of it, each "kind label = value".
type said struct {
	message string
	want    []string
}

func TestExtractCzech(t *testing.T) {
	t.Parallel()
	checkExtract(t, "cs", []said{
		{"Vybral jsem a koupil tenhle díl: https://www.ebay.com/itm/256781234509", []string{"link odkaz = https://www.ebay.com/itm/256781234509", "item položka = 256781234509"}},
		{"Posílám objednávku, číslo 11-20344-77150, $41.20", []string{"reference objednávka = 11-20344-77150", "price cena = $41.20"}},
		{"Fajn, teď jiná záležitost. Přišel email od univerzita Feniks.", nil},
		{"Objednávka č. 4471 dorazí 20. 2. mezi 14:00 a 16:00.", []string{"reference objednávka = 4471", "date doručení = 20. 2.", "time čas = 14:00 a 16:00"}},
		{"Faktura č. 2026001234 na 1 250 Kč, splatnost 28. 2. 2026, VS 2026001234.", []string{"reference faktura = 2026001234", "price cena = 1 250 Kč", "deadline splatnost = 28. 2. 2026", "reference VS = 2026001234"}},
		{"Zaplatil jsem zálohu 15 000 Kč a nájem je 12 tis. Kč měsíčně.", []string{"price záloha = 15 000 Kč", "price nájem = 12 tis. Kč"}},
		{"Zavolejte mi na 777 123 456 nebo napište na jana.novakova@seznam.cz.", []string{"phone telefon = 777 123 456", "email e-mail = jana.novakova@seznam.cz"}},
		{"Moje zubařka se jmenuje Jana Dvořáková, ordinace je na adrese Dlouhá 15, Praha 1.", []string{"name zubařka = Jana Dvořáková", "address adresa = Dlouhá 15, Praha 1"}},
		{"Heslo k wifi je modra-krava-42.", []string{"statement heslo k wifi = modra-krava-42"}},
		{"Číslo pojistky 556677, platí do 31. 12. 2026.", []string{"reference číslo pojistky = 556677", "deadline termín = do 31. 12. 2026"}},
		{"Moje SPZ je 3AB 1234.", []string{"reference SPZ = 3AB 1234"}},
		{"Letím 5. března v 14:30 letem OK 123 do Londýna.", []string{"date odlet = 5. března v 14:30", "reference let = OK 123"}},
		{"Musím poslat přepis známek do pátku a zaplatit poplatek 500 Kč.", []string{"deadline termín = do pátku", "price poplatek = 500 Kč"}},
		{"Zkontrolovat doručení 20. 2.", []string{"date doručení = 20. 2."}},
		{"Zubař je 15.12.", []string{"date datum = 15.12."}},
		{"Vlak jede v 15.12 z Brna.", []string{"time čas = 15.12"}},
		{"Přijedu kolem 15.12.", []string{"date datum = 15.12."}},
		{"Nezapomeň, že mám zítra v 9:00 schůzku s panem Novákem.", []string{"date schůzka = zítra v 9:00", "name jméno = panem Novákem"}},
		{"IČO: 12345678, DIČ: CZ12345678, účet 19-2000145399/0800", []string{"reference IČO = 12345678", "reference DIČ = CZ12345678", "reference účet = 19-2000145399/0800"}},
		{"IBAN CZ65 0800 0000 1920 0014 5399", []string{"reference IBAN = CZ65 0800 0000 1920 0014 5399"}},
		{"V roce 2014 jsem koupil Jeep Grand Cherokee, stál 250,- Kč.", []string{"price cena = 250,- Kč"}},
		{"velikost 42, barva: modrá, 2 ks", []string{"measure velikost = 42", "statement barva = modrá", "measure množství = 2 ks"}},
		{"Mimochodem, potřebuji pojištění auta u Kooperativy.", nil},
		{"Rezervace hotelu QXZKLM, check-in 12.6.2026", []string{"reference rezervace = QXZKLM", "date check-in = 12.6.2026"}},
		{"Balík má číslo zásilky DR1234567890C a dorazí příští úterý.", []string{"reference číslo zásilky = DR1234567890C", "date doručení = příští úterý"}},
		{"Můj šéf je Petr Svoboda.", []string{"name šéf = Petr Svoboda"}},
		{"Připomeň mi zítra zavolat na úřad.", nil},
		{"Mám raději kávu bez cukru.", nil},
		{"Rozhodli jsme se pro Prahu, ne Brno.", nil},
		{"Přihláška na Phoenix University: termín podání je 15. 3. 2026, poplatek 690 Kč.", []string{"date termín = 15. 3. 2026", "price poplatek = 690 Kč"}},
		{"Na auto jedu 5 let, 120 km/h, 2024.", nil},
		{"Objednávka dorazila, hotovo.", nil},
		{"Ahoj, pomoz mi s reklamací pračky Bosch, koupil jsem ji v Alze za 12 990 Kč.", []string{"price cena = 12 990 Kč"}},
		{"Pan Novák bydlí v ulici Korunní 810/104, 101 00 Praha 10.", []string{"name jméno = Pan Novák", "address adresa = ulici Korunní 810/104, 101 00 Praha 10"}},
		{"Je mi 35 let a mám 2 děti. V roce 1998 jsem se přestěhoval.", nil},
		{"Objednal jsem 3 kusy. Verze 10.0.19045, skóre 2:1, 50 %.", []string{"measure množství = 3 kusy"}},
		{"Jedeme do Prahy na 3 dny, od 20. do 25. března.", []string{"date datum = od 20. do 25. března"}},
		{"Objednávku 2026 nemám.", nil},
		{"Ten jeep má motor 3.0 CRD, kód motoru OM642.", []string{"reference kód motoru = OM642"}},
		{"Termín u zubaře je v pátek v 9:00.", []string{"date termín = pátek v 9:00"}},
		{"Nezapomeň koupit mléko!", nil},
		{"Už jsem to poslal, hotovo.", nil},
		{"Potřebuju nový telefon.", nil},
		{"Moje dcera Anička chodí do 3. třídy.", nil},
		{"Oprava: cena je 42,50 $, ne 41,20 $.", []string{"price cena = 42,50 $"}},
		{"tak teď k té škole: přihláška stojí 690 Kč a posílá se do 15.3.", []string{"price cena = 690 Kč", "deadline termín = do 15.3."}},
		{"Kontakt na řemeslníka: Karel Dvořák, 602111222, karel@dvorak.cz", []string{"name kontakt na řemeslníka = Karel Dvořák", "phone telefon = 602111222", "email e-mail = karel@dvorak.cz"}},
		{"Úkoly:\n- zavolat pojišťovně\n- zaplatit fakturu 4471\n- objednat pneumatiky", []string{"reference faktura = 4471"}},
		{"Díl jsem objednal za $41.20, č. obj. 11-20344-77150, doručení 2.3.2026", []string{"price cena = $41.20", "reference objednávka = 11-20344-77150", "date doručení = 2.3.2026"}},
		{"Adresa pro doručení je Na Příkopě 12/34, 110 00 Praha 1.", []string{"address adresa pro doručení = Na Příkopě 12/34, 110 00 Praha 1"}},
		{"Voucher na masáž má kód AB12CD34.", []string{"reference kód = AB12CD34"}},
		{"Schůzka s účetní je 7. dubna v 10:15.", []string{"date schůzka = 7. dubna v 10:15"}},
		{"Reklamace č. R-2026-118 byla přijata.", []string{"reference reklamace = R-2026-118"}},
		{"Nájem je 18 500 Kč a kauce 37 000 Kč.", []string{"price nájem = 18 500 Kč", "price kauce = 37 000 Kč"}},
		{"Vyzvednout balík do 3. 4. v Zásilkovně.", []string{"deadline termín = do 3. 4."}},
		{"Pošli mi odkaz na tu sekačku.", nil},
	})
}

func TestExtractPolish(t *testing.T) {
	t.Parallel()
	checkExtract(t, "pl", []said{
		{"Wybrałem i zamówiłem to: https://www.ebay.com/itm/256781234509", []string{"link link = https://www.ebay.com/itm/256781234509", "item pozycja = 256781234509"}},
		{"Oto zamówienie, numer 11-20344-77150, 41,20 USD", []string{"reference zamówienie = 11-20344-77150", "price cena = 41,20 USD"}},
		{"Super, teraz moja sprawa. Masz e-mail od uniwersytetu Feniks.", nil},
		{"Zamówienie nr 998877 kosztowało 99,90 zł, dostawa 20 lutego.", []string{"reference zamówienie = 998877", "price cena = 99,90 zł", "date dostawa = 20 lutego"}},
		{"Mój dentysta to dr Kowalski, tel. 501 234 567.", []string{"name dentysta = dr Kowalski", "phone telefon = 501 234 567"}},
		{"Muszę wysłać świadectwo do piątku.", []string{"deadline termin = do piątku"}},
		{"Trzeba zapłacić fakturę FV/2026/02/123 do 15.03.2026.", []string{"reference faktura = FV/2026/02/123", "deadline termin = do 15.03.2026"}},
		{"Adres: ul. Długa 5, 00-950 Warszawa", []string{"address adres = ul. Długa 5, 00-950 Warszawa"}},
		{"Hasło do wifi to zielona-zaba.", []string{"statement hasło do wifi = zielona-zaba"}},
		{"Moja siostra nazywa się Anna Nowak.", []string{"name siostra = Anna Nowak"}},
		{"Numer polisy 556677, składka 1 200 zł rocznie.", []string{"reference numer polisy = 556677", "price składka = 1 200 zł"}},
		{"Wizyta u lekarza 5 marca o 14:30.", []string{"date wizyta = 5 marca o 14:30"}},
		{"Przypomnij mi, żebym zadzwonił do banku jutro.", nil},
		{"Numer rejestracyjny WX 12345", []string{"reference numer rejestracyjny = WX 12345"}},
		{"Rozmiar 38, kolor: czerwony", []string{"measure rozmiar = 38", "statement kolor = czerwony"}},
		{"Teraz coś innego: szukam mieszkania w Krakowie, budżet 3 000 zł.", []string{"price budżet = 3 000 zł"}},
		{"Lot LO 3907 o 6:45, rezerwacja ABC123.", []string{"reference lot = LO 3907", "time godzina = 6:45", "reference rezerwacja = ABC123"}},
		{"Wolę herbatę bez cukru.", nil},
		{"Nie muszę dzwonić do banku.", nil},
		{"Czynsz wynosi 2 500 zł, kaucja 5 tys. zł.", []string{"price czynsz = 2 500 zł", "price kaucja = 5 tys. zł"}},
		{"Zdecydowaliśmy się na Gdańsk.", nil},
		{"Paczka 00340434161234567890 jest w drodze.", []string{"reference paczka = 00340434161234567890"}},
		{"Dzień dobry, chciałbym zgłosić reklamację butów kupionych w CCC.", nil},
		{"Spotkanie w piątek o 10:00 z panią Kowalską.", []string{"date spotkanie = piątek o 10:00", "name imię = panią Kowalską"}},
		{"Mój NIP to 526-10-40-567.", []string{"reference NIP = 526-10-40-567"}},
		{"Mam 35 lat i 2 dzieci, w 1998 roku się przeprowadziłem.", nil},
		{"Kupiłem bilety za 2 x 45 zł, pociąg IC 3510, wagon 12.", []string{"price cena = 45 zł", "reference pociąg = IC 3510"}},
		{"Nie zapomnij kupić mleka i zapłacić za internet do 10.03.", []string{"deadline termin = do 10.03."}},
		{"Mój adres: ul. Marszałkowska 10/5, 00-590 Warszawa, tel. +48 501 234 567", []string{"address adres = ul. Marszałkowska 10/5, 00-590 Warszawa", "phone telefon = +48 501 234 567"}},
		{"Konto PL61 1090 1014 0000 0712 1981 2874", []string{"reference IBAN = PL61 1090 1014 0000 0712 1981 2874"}},
		{"Samochód stoi na ul. Długiej, kluczyki ma pani Ania.", []string{"name imię = pani Ania"}},
		{"Voucher na masaż ma kod AB12CD34.", []string{"reference kod = AB12CD34"}},
		{"Mój numer klienta to 889900.", []string{"reference numer klienta = 889900"}},
		{"Spotkanie z księgową 7 kwietnia o 10:15.", []string{"date spotkanie = 7 kwietnia o 10:15"}},
		{"Reklamacja nr R-2026-118 została przyjęta.", []string{"reference reklamacja = R-2026-118"}},
		{"Postanowiliśmy wziąć kredyt w ING.", nil},
		{"Lubię miejsca przy oknie.", nil},
		{"Przy okazji, muszę odnowić ubezpieczenie samochodu.", nil},
		{"Fakturę nr 4471 trzeba zapłacić do 10 maja.", []string{"reference faktura = 4471", "deadline termin = do 10 maja"}},
		{"Napisz na adres jan.kowalski@firma.pl albo zadzwoń: 601-234-567.", []string{"email e-mail = jan.kowalski@firma.pl", "phone telefon = 601-234-567"}},
	})
}

func TestExtractRussian(t *testing.T) {
	t.Parallel()
	checkExtract(t, "ru", []said{
		{"Выбрал и заказал вот это: https://www.ebay.com/itm/256781234509", []string{"link ссылка = https://www.ebay.com/itm/256781234509", "item товар = 256781234509"}},
		{"Вот заказ, номер 11-20344-77150, $41.20", []string{"reference заказ = 11-20344-77150", "price цена = $41.20"}},
		{"Супер, теперь моё дело. У тебя есть письмо от университета Феникс.", nil},
		{"Заказ № 4471 стоит 4 500 руб., доставка 20 февраля.", []string{"reference заказ = 4471", "price цена = 4 500 руб.", "date доставка = 20 февраля"}},
		{"Меня зовут Иван Петров, телефон +7 912 345-67-89.", []string{"name имя = Иван Петров", "phone телефон = +7 912 345-67-89"}},
		{"Нужно отправить аттестат до пятницы.", []string{"deadline срок = до пятницы"}},
		{"Напомни мне оплатить счёт № 12345 завтра.", []string{"reference счёт = 12345"}},
		{"Адрес: ул. Ленина, д. 12, Москва", []string{"address адрес = ул. Ленина, д. 12, Москва"}},
		{"Пароль от вайфая — зелёная-лягушка.", []string{"statement пароль от вайфая = зелёная-лягушка"}},
		{"Мой врач — доктор Иванова.", []string{"name врач = доктор Иванова"}},
		{"Номер полиса 556677, срок до 31.12.2026.", []string{"reference номер полиса = 556677", "deadline срок = до 31.12.2026"}},
		{"Встреча 5 марта в 14:30.", []string{"date встреча = 5 марта в 14:30"}},
		{"Размер 42, цвет: синий", []string{"measure размер = 42", "statement цвет = синий"}},
		{"Кстати, нужна страховка на машину.", nil},
		{"Рейс SU 1234 вылетает в 6:45.", []string{"reference рейс = SU 1234", "time вылет = 6:45"}},
		{"Госномер А123ВС 77", []string{"reference госномер = А123ВС 77"}},
		{"Предпочитаю чай без сахара.", nil},
		{"Не нужно звонить в банк.", nil},
		{"Аренда 45 тыс. руб., залог 90 000 ₽.", []string{"price аренда = 45 тыс. руб.", "price залог = 90 000 ₽"}},
		{"Посылка RR123456789RU уже в пути, придёт во вторник.", []string{"reference посылка = RR123456789RU", "date доставка = вторник"}},
		{"ИНН 7707083893", []string{"reference ИНН = 7707083893"}},
		{"Здравствуйте, хочу оформить возврат ботинок.", nil},
		{"Мы решили ехать в Казань.", nil},
		{"Мне 35 лет, в 1998 году я переехал.", nil},
		{"Забронировал отель, бронь № 778899, заезд 12.06, выезд 15.06, 2 человека.", []string{"reference бронь = 778899", "date заезд = 12.06", "date выезд = 15.06", "measure количество = 2 человека"}},
		{"Позвони мне на 8 (912) 345-67-89.", []string{"phone телефон = 8 (912) 345-67-89"}},
		{"Не забудь купить молоко и оплатить интернет.", nil},
		{"Моя машина — Лада Веста, номер А123ВС77.", []string{"statement машина = Лада Веста", "reference номер = А123ВС77"}},
		{"Ваучер на массаж, код AB12CD34.", []string{"reference код = AB12CD34"}},
		{"Мой номер клиента 889900.", []string{"reference номер клиента = 889900"}},
		{"Встреча с бухгалтером 7 апреля в 10:15.", []string{"date встреча = 7 апреля в 10:15"}},
		{"Обращение № R-2026-118 принято.", []string{"reference обращение = R-2026-118"}},
		{"Люблю места у окна.", nil},
		{"Кстати, мне нужно продлить страховку машины.", nil},
		{"Счёт № 4471 надо оплатить до 10 мая.", []string{"reference счёт = 4471", "deadline срок = до 10 мая"}},
		{"Пишите на ivan.petrov@mail.ru или звоните +7 495 123-45-67.", []string{"email e-mail = ivan.petrov@mail.ru", "phone телефон = +7 495 123-45-67"}},
		{"Моя сестра Анна живёт на ул. Садовая, 5.", []string{"address адрес = ул. Садовая, 5"}},
		{"Зарплата 120 тыс. руб., премия 15 000 руб.", []string{"price зарплата = 120 тыс. руб.", "price премия = 15 000 руб."}},
	})
}

func TestExtractEnglish(t *testing.T) {
	t.Parallel()
	checkExtract(t, "en", []said{
		{"I picked and ordered this: https://www.ebay.com/itm/256781234509", []string{"link link = https://www.ebay.com/itm/256781234509", "item item = 256781234509"}},
		{"Here is the order, number 11-20344-77150, $41.20", []string{"reference order = 11-20344-77150", "price price = $41.20"}},
		{"Great, now my own matter. You have an email from Phoenix University.", nil},
		{"My order number is 112-3456789-1234567 and the total was $1,249.99.", []string{"reference order number = 112-3456789-1234567", "price total = $1,249.99"}},
		{"Invoice no. 4471 is due on March 5, 2026.", []string{"reference invoice = 4471", "deadline due = March 5, 2026"}},
		{"My dentist is Dr. Kowalska, phone +1 (555) 123-4567.", []string{"name dentist = Dr. Kowalska", "phone phone = +1 (555) 123-4567"}},
		{"I need to send the transcript by Friday.", []string{"deadline deadline = by Friday"}},
		{"Remind me to check the delivery on 20 Feb.", []string{"date delivery = 20 Feb"}},
		{"My plate is 3AB 1234.", []string{"reference plate = 3AB 1234"}},
		{"The wifi password is tulip42.", []string{"statement wifi password = tulip42"}},
		{"We live at 221B Baker Street, London NW1 6XE.", []string{"address address = 221B Baker Street, London NW1 6XE"}},
		{"My name is John Smith.", []string{"name name = John Smith"}},
		{"Flight BA 287 departs 12 June at 6:45 am.", []string{"reference flight = BA 287", "date departure = 12 June at 6:45 am"}},
		{"My booking reference is QXZKLM.", []string{"reference booking reference = QXZKLM"}},
		{"Size M, 3 pcs please", []string{"measure size = M", "measure quantity = 3 pcs"}},
		{"I prefer window seats.", nil},
		{"We decided to go with the blue one.", nil},
		{"By the way, I want to renew my car insurance.", nil},
		{"In 2014 I bought a Jeep Grand Cherokee for 25 thousand dollars.", []string{"price price = 25 thousand dollars"}},
		{"Rent is €950 and the deposit is 1900 EUR.", []string{"price rent = €950", "price deposit = 1900 EUR"}},
		{"Call me at 555-123-4567.", []string{"phone phone = 555-123-4567"}},
		{"You don't need to call the bank.", nil},
		{"Invoices 4471 and 4472 are unpaid.", []string{"reference invoice = 4471", "reference invoice = 4472"}},
		{"My sister is called Jane.", []string{"name sister = Jane"}},
		{"The meeting is next Tuesday at 3 pm.", []string{"date meeting = next Tuesday at 3 pm"}},
		{"Tracking: 1Z999AA10123456784", []string{"reference tracking = 1Z999AA10123456784"}},
		{"I have version 1.2.3 installed, 5.10 works too.", nil},
		{"The gate code is 4821#.", []string{"reference gate code = 4821#"}},
		{"TODO: call the landlord", nil},
		{"My account number is 123456789, sort code 12-34-56.", []string{"reference account number = 123456789", "reference sort code = 12-34-56"}},
		{"My mother's birthday is on July 14.", []string{"date birthday = July 14"}},
		{"policy number: 556677", []string{"reference policy number = 556677"}},
		{"Buy milk, eggs and bread", nil},
		{"thanks!", nil},
		{"ok", nil},
		{"I am 35 years old and have 2 kids. In 1998 I moved.", nil},
		{"I scored 100 in the test, 3 out of 5, ratio 16:9, call of duty 4.", nil},
		{"The order of 2026 things does not matter.", nil},
		{"My problem is that the car won't start.", nil},
		{"I think the deadline is March 3rd, 2026 at noon.", []string{"deadline deadline = March 3rd, 2026"}},
		{"Dr. Smith's office: 12 Main Street, Springfield, open 9:00-17:00", []string{"name name = Dr. Smith's", "address Smith's office = 12 Main Street, Springfield"}},
		{"USB 3.0, 802.11ac, IPv6, iPhone 15 and 4K.", nil},
		{"Don't forget to buy milk and remember to call mom, because it's her birthday.", nil},
		{"When I arrive, I will call you.", nil},
		{"ok so about my tax return: I have to file it by April 15", []string{"deadline deadline = by April 15"}},
		{"Please store that my passport number is X1234567.", []string{"reference passport number = X1234567"}},
		{"Our landlord is Mr. Peter Parker and he lives at 5 Oak Lane.", []string{"name landlord = Mr. Peter Parker", "address address = 5 Oak Lane"}},
		{"The voucher for the massage has the code AB12CD34.", []string{"reference code = AB12CD34"}},
		{"My customer number is 889900.", []string{"reference customer number = 889900"}},
		{"Meeting with the accountant on 7 April at 10:15.", []string{"date meeting = 7 April at 10:15"}},
		{"Claim no. R-2026-118 was accepted.", []string{"reference claim = R-2026-118"}},
		{"I like it.", nil},
	})
}

func TestExtractGerman(t *testing.T) {
	t.Parallel()
	checkExtract(t, "de", []said{
		{"Bestellnummer 4711-0815 kostet 49,90 €, Lieferung am 20. März.", []string{"reference Bestellnummer = 4711-0815", "price Preis = 49,90 €", "date Lieferung = 20. März"}},
		{"Ich muss bis Freitag das Zeugnis schicken.", []string{"deadline Frist = bis Freitag"}},
		{"Meine Adresse ist Hauptstraße 5, 10115 Berlin.", []string{"address Adresse = Hauptstraße 5, 10115 Berlin"}},
		{"Mein Passwort ist Tulpe42.", []string{"statement Passwort = Tulpe42"}},
		{"Der Termin ist am 9. Dezember um 10:15.", []string{"date Termin = 9. Dezember um 10:15"}},
	})
}

// Messages as people write them, several facts at a time, among them numbers that are none.
func TestExtractMixed(t *testing.T) {
	t.Parallel()
	checkExtract(t, "cs", []said{
		{"Čeká na odeslání, doručit by to měli kolem 20.2.2026", []string{"date doručení = 20.2.2026"}},
		{"Příští týden letíme do Říma, letenky stály 6 480 Kč, rezervační kód XK7P2Q.", []string{"date odlet = Příští týden", "price cena = 6 480 Kč", "reference rezervace = XK7P2Q"}},
		{"Doktorka Malá mi změnila léky, teď beru Prestarium 5 mg ráno.", []string{"name jméno = Doktorka Malá"}},
		{"Syn má alergii na ořechy a chodí do školky Sluníčko.", nil},
		{"Účet za elektřinu přišel, 3 456,70 Kč, zaplatit do 28.2.", []string{"price cena = 3 456,70 Kč", "deadline termín = do 28.2."}},
		{"Instalatér přijde ve středu mezi 8 a 10 hodinou, jmenuje se Karel Vodička, mobil 603 555 444", []string{"date doručení = středu", "name jméno = Karel Vodička", "phone telefon = 603 555 444"}},
		{"Přihlašovací jméno je honza.novak a heslo Tygr2026!", []string{"statement heslo = Tygr2026"}},
		{"Bydlíme na Vinohradech, Slezská 25.", []string{"address adresa = Slezská 25"}},
		{"Rozhodl jsem se vzít hypotéku u ČSOB na 4,79 % na 5 let.", nil},
		{"Pojistka auta u Allianz končí 30.6., číslo smlouvy 8901234567, roční platba 9 870 Kč.", []string{"date konec = 30.6.", "reference číslo smlouvy = 8901234567", "price cena = 9 870 Kč"}},
		{"ještě prosím zapiš že barvu chceme RAL 7016", nil},
		{"Mám dluh u Petra, 2000,-", []string{"price dluh = 2000,-"}},
		{"Obj. č. 2026/00123 jsem stornoval.", []string{"reference objednávka = 2026/00123"}},
	})
	checkExtract(t, "pl", []said{
		{"Zamówiłam kurtkę w Zalando, numer zamówienia 10105012345678, zapłaciłam 459,99 zł kartą.", []string{"reference numer zamówienia = 10105012345678", "price cena = 459,99 zł"}},
		{"Mechanik Marek mówi że naprawa wyniesie 1800 zł i auto będzie gotowe we wtorek.", []string{"price cena = 1800 zł"}},
		{"Wizyta u dr Nowak jest 12.03 o 16:40, ul. Piękna 18/3.", []string{"name imię = dr Nowak", "date data = 12.03 o 16:40", "address adres = ul. Piękna 18/3"}},
		{"PIN do karty to 4821, nie zapomnij.", []string{"reference PIN do karty = 4821"}},
		{"Do końca miesiąca muszę złożyć PIT.", []string{"deadline termin = Do końca miesiąca"}},
		{"Córka ma uczulenie na orzechy.", nil},
	})
	checkExtract(t, "ru", []said{
		{"Заказала пальто на Wildberries, номер заказа 1234567890, отдала 7 999 ₽.", []string{"reference номер заказа = 1234567890", "price цена = 7 999 ₽"}},
		{"Сантехник Олег придёт в среду с 10:00 до 12:00, его телефон 8 916 123 45 67.", []string{"date доставка = среду с 10:00 до 12:00", "phone телефон = 8 916 123 45 67"}},
		{"До конца месяца нужно сдать декларацию.", []string{"deadline срок = До конца месяца"}},
		{"Код домофона 45к1234, этаж 5, квартира 78.", []string{"reference код домофона = 45к1234"}},
		{"Бюджет на поездку — 150 тысяч рублей.", []string{"price бюджет = 150 тысяч рублей"}},
	})
	checkExtract(t, "en", []said{
		{"I've just booked a table for 4 at Mario's for Saturday 7pm, confirmation code MR-4821.", []string{"date date = Saturday 7pm", "reference confirmation code = MR-4821"}},
		{"Our mortgage with Lloyds is 4.79% for 5 years, £1,250/month.", []string{"statement mortgage with Lloyds = 4.79% for 5 years", "price price = £1,250"}},
		{"The plumber (Karl, 07700 900123) comes on Wed between 8 and 10.", []string{"phone phone = 07700 900123"}},
		{"Please remember I'm allergic to nuts and my shoe size is 43.", []string{"measure size = 43"}},
		{"Tax return is due 31 January; UTR 1234567890.", []string{"deadline due = 31 January", "reference number = 1234567890"}},
		{"We need milk.", nil},
		{"Order #1042-77 shipped via UPS, tracking number 1Z999AA10123456784, arriving Feb 20.", []string{"reference order = 1042-77", "reference tracking number = 1Z999AA10123456784", "date delivery = Feb 20"}},
	})
}

func checkExtract(t *testing.T, lang string, tests []said) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range facts.Extract(tt.message, lang) {
				got = append(got, string(f.Kind)+" "+f.Label+" = "+f.Value)
				if in := strings.Join(strings.Fields(tt.message[f.Start:f.End]), " "); in != f.Value {
					t.Errorf("value %q stands at [%d:%d], which is %q", f.Value, f.Start, f.End, in)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("facts of %q (-want +got):\n%s", tt.message, diff)
			}
		})
	}
}

// A code that is keyed in up to a # has its signs; what stands before a number alone, or sets it in bold, is none of it.
func TestKeyedCodes(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"kód od branky je 4471#":                    "4471#",
		"Řemeslníci potřebují kód od branky 4471#.": "4471#",
		"kód k bráně: *4471#":                       "*4471#",
		"kod do bramy to *100*4471#, zapisz":        "*100*4471#",
		"код от калитки 4471#, не забудь":           "4471#",
		"the door code is *4471#, keep it":          "*4471#",
		"der Code für das Tor ist 4471#":            "4471#",
		"objednávka #4471 dorazila":                 "4471",
		"kód od branky je 4471":                     "4471",
		"kód od branky je 4471*":                    "4471",
	} {
		var got []string
		for _, f := range facts.Extract(message, "") {
			got = append(got, f.Value)
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", message, diff)
		}
	}
}
