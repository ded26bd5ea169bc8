// Package door is what every door shares: the WebSocket, the REST API and the
// chat lead to the same gateway, and so does the next one that is built.
//
// # What it promises
//
//   - What a door shows is masked: a Door returns views (Approval, Response,
//     Session, Event, Grant), in which what looks like a secret is taken out. There
//     are three exceptions, each a type of its own: Claimed for the program that
//     runs the call, OwnAnswer for the program that asked the question, and
//     Revealed, which is written down first. A search matches only what is shown.
//   - Whatever is decided through a door bears its name (approval.Via); As gives it
//     another one.
//   - An error means the same at every door: FaultOf has its code, HTTP status and
//     words.
//   - Where an identity is handed in, its rights are checked, and what one for some
//     agents may not know of is not there for it. Get, Tool, Session, AgentOf, Events,
//     Messages and View take none: check first, with Identity.Check and InScope.
//
// # How to use it
//
// Make a Door with New, once for each way in, and stand on it alone.
package door
