package words

import "time"

// Query asks for documents.
type Query struct {
	Text   string
	Limit  int  // hits at most; 0 = all
	Around bool // score for the neighbours in the group and for the group as well

	// Near are cosines by document id, from an index of vectors: one more field. Its documents are found without a word of
	// the query too. Those it does not name count as its mean.
	Near map[string]float32
	// Late are the documents whose vector is still being made: they count as near as their own words promise.
	Late map[string]bool
	// Now, unless zero, lets new documents count a little more.
	Now time.Time

	// Keep chooses. What it refuses is not found and lends no score to its neighbours.
	Keep Filter
}

// Filter lets documents through that both functions let through; nil lets all. They must not call the Index.
type Filter struct {
	Affair func(affair string) bool // asked once for each affair that there is, "" for none
	Doc    func(*Doc) bool          // asked for every document met; it has no Text and must not be changed
}

func (f Filter) lets(d *Doc) bool {
	return (f.Affair == nil || f.Affair(d.Affair)) && (f.Doc == nil || f.Doc(d))
}

// Hit is a document found, and why. Score compares hits of one query only: it is the fields, weighted by the profile
// of the index, plus the bonus, times the factors. Coverage compares across queries: the share of the query's terms that the
// document itself has, in [0,1], rare terms weighing more and words that only stand for a term less.
type Hit struct {
	ID       string
	Score    float64
	Coverage float64
	Share    float64 // of the best possible score of the query, in [0,1]; 0 behind the best 256
	Fields   Fields
	Factors  Factors
	Terms    []Match // in the order of the query
}

// Match is a term of the query that a document has, itself or by a word that stands for it.
type Match struct {
	Term string `json:"term"`
	Word string `json:"word"` // in the document, as a stem
	Via  Via    `json:"via"`
}

// Via says how a word of a document leads to a term of the query.
type Via string

// The ways, best first.
const (
	Exact  Via = "exact"
	Nearby Via = "nearby" // spelled much alike
	Kin    Via = "kin"    // of the same everyday matter
)

// Fields are the parts of a score, each divided by the largest of this query: 1 is the best document in that respect. A
// document without a group stands for its surroundings itself, and so does every document without Query.Around. Pair, Passage and Soft
// are read only where the profile counts them, and hits behind the best 256 carry no fields.
type Fields struct {
	Text    float64 `json:"text"`    // BM25 of the own words
	Own     float64 `json:"own"`     // BM25 of speaker, date and own words
	Prev    float64 `json:"prev"`    // BM25 of Own and the words of the two documents before
	Win     float64 `json:"win"`     // BM25 of Own and the words of the two before and the two after
	Session float64 `json:"session"` // BM25 of the whole group
	Lead    float64 `json:"lead"`    // BM25 of the first 60 words, code left out
	Pair    float64 `json:"pair"`    // BM25 of the leads of a question and its answer
	Passage float64 `json:"passage"` // BM25 of the best 80 words in a row
	Soft    float64 `json:"soft"`    // cosine with the own words, where words spelled alike are alike
	Near    float64 `json:"near"`    // how far the cosine of Query.Near lies above their mean
}

// Factors are what the score was multiplied with, 1 for no effect, and the Bonus that was added before.
type Factors struct {
	Speaker  float64 `json:"speaker"`  // who said it is named in the query
	Question float64 `json:"question"` // it asks rather than tells
	Length   float64 `json:"length"`   // it has few words
	Time     float64 `json:"time"`     // a time is asked for and it has one
	Number   float64 `json:"number"`   // a number is asked for and it has one
	Date     float64 `json:"date"`     // it is of the month or day that the query names
	Role     float64 `json:"role"`     // the user said it
	Recency  float64 `json:"recency"`  // it is new; only with Query.Now
	Weight   float64 `json:"weight"`   // Doc.Weight
	Bonus    float64 `json:"bonus"`    // it is a standing instruction or a preference
}

func (f Fields) max(g Fields) Fields {
	return Fields{
		max(f.Text, g.Text), max(f.Own, g.Own), max(f.Prev, g.Prev), max(f.Win, g.Win), max(f.Session, g.Session),
		max(f.Lead, g.Lead), max(f.Pair, g.Pair), max(f.Passage, g.Passage), max(f.Soft, g.Soft), max(f.Near, g.Near),
	}
}

// over divides each field; by 0 it is 0.
func (f Fields) over(most Fields) Fields {
	part := func(x, of float64) float64 {
		if of == 0 {
			return 0
		}
		return x / of
	}
	return Fields{
		part(f.Text, most.Text), part(f.Own, most.Own), part(f.Prev, most.Prev), part(f.Win, most.Win), part(f.Session, most.Session),
		part(f.Lead, most.Lead), part(f.Pair, most.Pair), part(f.Passage, most.Passage), part(f.Soft, most.Soft), part(f.Near, most.Near),
	}
}

func (f Fields) dot(w Fields) float64 {
	return f.Text*w.Text + f.Own*w.Own + f.Prev*w.Prev + f.Win*w.Win + f.Session*w.Session +
		f.Lead*w.Lead + f.Pair*w.Pair + f.Passage*w.Passage + f.Soft*w.Soft + f.Near*w.Near
}

func (f Factors) product() float64 {
	return f.Speaker * f.Question * f.Length * f.Time * f.Number * f.Date * f.Role * f.Recency * f.Weight
}
