// Package gate is the road of a tool call: it is asked, answered, claimed and run,
// or refused.
//
// # What it promises
//
//   - A tool runs only inside Gated.Run, and only a Gate makes a Gated.
//   - Every gated call gets a row, also one that a rule allows or denies.
//   - One path to an answer: only Desk.Decide and Desk.Cancel change one for a
//     person, and the first wins. What stands on the bus is a hint: who waits is
//     woken by it, and believes the store.
//   - Without a handler, or when the handler fails or panics, a call is denied; so is
//     everything when the policy or the store fails.
//   - Shown is run: what runs is taken from the row when it is claimed, after the
//     current policy has judged it again. What nobody is asked about runs as the judge read
//     it; what is read otherwise by then is a new round.
//   - Asking again for the same call and round gives the same row, so resuming
//     after a crash is asking again.
//
// # How to use it
//
// A Manager over a store serves all agents; each gets its Gate with Manager.Agent,
// and a Gate turns a tool.Tool into a *Gated. The Manager has three faces: an Asker
// for those who ask, a Desk for those who answer, and Settings for modes, terms and
// grants. Run sweeps up what nobody waits for.
package gate
