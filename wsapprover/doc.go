// Package wsapprover brings approvals to people on WebSockets.
//
// # What it promises
//
//   - Handler keeps a promise and a timer for every request that is asked. It
//     needs no tab: an answer through any door resolves it.
//   - Hub sends what the bus carries to every tab, in one order. A tab that
//     connects is registered first, then sent a snapshot, then what has come
//     meanwhile: it misses nothing. A session that it follows reaches it with
//     every event after the one it named, once.
//   - A tab that reads too slowly is cut off with a close code that means
//     "reconnect and resume"; nothing is ever left out of the middle, and no
//     tab holds up another.
//   - What a tab says is decoded strictly, and decides nothing unless
//     gate.Desk.Decide takes it. Every frame gets an ack or an error.
//   - Only a tab that has said that it takes approvals counts as somebody who is
//     there. One that says that it does not is sent no requests and can't answer.
//
// # How to use it
//
// Make the Handler with the promises that the bus wakes, give it to the agents.
// Make the Hub, give Run a goroutine, and serve it at /ws behind auth.OriginCheck.
// The wire is described in docs/protocol.md and pinned in testdata/frames.
package wsapprover
