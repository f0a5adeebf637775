// Package page is the web page of a service: what a person sees of a memory, and does with it. It is a program for browsers, in TypeScript with Preact, that
// uses the HTTP API and nothing else; what is built of it lies in dist, is part of the binary, and needs neither Node nor a network.
//
//	if page.Asks(r) {
//		page.Serve(w, r)
//		return
//	}
//
// # Words
//
// The document is the one HTML file; it shows what its address says (/s/SESSION, /memory, /brain ...), so each view can be sent. Its files lie below /page/.
//
// # What a changer must not break
//
//   - Nothing of the page is anybody's data: it is served without a key. All it shows comes from the API, which wants one.
//   - A browser signs in with an access key and has it as a cookie that no script reads (HttpOnly) and no other site sends (SameSite=Strict); what changes
//     something needs a header besides that only the page's own script can set.
//   - What users and models say never becomes HTML: it is drawn node by node. The policy (Content-Security-Policy) runs no script but the page's files.
//   - What is written and not sent yet is kept by the browser for its user and session, and is gone when it is sent or nobody is signed in.
//   - Notices stand above the page and cover nothing of it: what is as tall as the screen is as tall as --room.
//   - Each text that is shown stands in ui/src/texts, in four languages, each of which addresses the user in one form. Reasons of decisions are sentences of the service: reasons.json is a copy of them.
//   - dist is what `npm run build` in ui makes of ui; a test builds it again and compares.
//
// # To change it
//
//	cd graph/serve/page/ui && npm ci && npm run types && npm run check && npm run build
package page
