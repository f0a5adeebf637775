package facts_test

import "testing"

// The last day of a stretch of days is no deadline, and its first one no day by itself; what must be done by a day keeps its deadline, also beside a number, and
// what is moved from one day to another is no stretch.
func TestAStretchOfDays(t *testing.T) {
	t.Parallel()
	for lang, all := range map[string][]said{
		"de": {
			{"Ich möchte 15. bis 26. Februar frei nehmen.", []string{"date Datum = 15. bis 26. Februar"}},
			{"Der Urlaub ist vom 22. Februar bis 5. März genehmigt.", []string{"date Datum = vom 22. Februar bis 5. März"}},
			{"Der Kurs ist von 15.2. bis 26.2. in Wien.", []string{"date Datum = von 15.2. bis 26.2."}},
			{"Das Hotel ist 15.-26. Februar gebucht.", []string{"date Datum = 15.-26. Februar"}},
			{"Ich bin von Montag bis Freitag in Wien.", []string{"date Datum = von Montag bis Freitag"}},
			{"Die Unterlagen müssen bis 26. Februar da sein.", []string{"deadline Frist = bis 26. Februar"}},
			{"Ich brauche 5 bis 26. Februar.", []string{"deadline Frist = bis 26. Februar"}},
			{"230 Euro müssen bis 10.12. überwiesen sein.", []string{"price Preis = 230 Euro", "deadline Frist = bis 10.12."}},
			{"Ich melde mich am Montag bis Freitag muss es fertig sein.", []string{"deadline Frist = bis Freitag"}},
		},
		"cs": {
			{"Dovolená od 22. 2. do 5. 3. je schválená.", []string{"date dovolená = od 22. 2. do 5. 3."}},
			{"Jedeme od pondělí do pátku do Vídně.", []string{"date datum = od pondělí do pátku"}},
			{"Hotel máme 15. až 26. února.", []string{"date datum = 15. až 26. února"}},
			{"Potřebuju jich 20 do 26. února.", []string{"deadline termín = do 26. února"}},
			{"Zavolám v pondělí, do středy to musí být hotové.", []string{"deadline termín = do středy"}},
		},
		"en": {
			{"I want 15 to 26 February off.", []string{"date date = 15 to 26 February"}},
			{"We are away from 3 May until 10 May.", []string{"date date = from 3 May until 10 May"}},
			{"Send it by 10 May.", []string{"deadline deadline = by 10 May"}},
			{"The fitting was moved from 3 May to 10 May.", []string{"date date = 3 May", "date date = 10 May"}},
			{"I need 20 by 26 February.", []string{"deadline deadline = by 26 February"}},
		},
		"pl": {
			{"Jestem od poniedziałku do piątku w Łodzi.", []string{"date data = od poniedziałku do piątku"}},
			{"Muszę to wysłać do piątku.", []string{"deadline termin = do piątku"}},
		},
		"ru": {
			{"Отпуск с 15 по 26 февраля.", []string{"date дата = с 15 по 26 февраля"}},
			{"Отправить надо до 26 февраля.", []string{"deadline срок = до 26 февраля"}},
		},
	} {
		checkExtract(t, lang, all)
	}
}
