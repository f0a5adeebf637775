// Package reason says in one sentence, in the user's language, why the rules decided so: "names “Roof repair”, parked since Monday".
package reason
