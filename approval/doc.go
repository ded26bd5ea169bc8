// Package approval is the heart: a tool call waits here until someone clears it.
//
// # What it promises
//
//   - One path in: only Manager.Ask makes a request, and every gated call gets
//     a row, also one that a rule allows or denies.
//   - One path to an answer: only Manager.Decide and Manager.Cancel change an
//     answer, and the first one wins. An answer never changes afterwards.
//   - Silence is no: at or after its deadline a request settles as denied with
//     reason timeout, whatever arrives then. An unknown word, a handler that
//     fails, panics or is missing, and a store that fails never approve.
//   - Shown is run: rows are immutable, an answer names the row, and what runs
//     is taken from the row when it is claimed. A row is claimed at most once.
//   - A tool runs only inside Gated.Run, and only a Gate makes a Gated.
//
// # How to use it
//
// A Manager over a store (Memory, or the SQLite one) serves all agents; each
// gets its Gate with Manager.Agent, and a Gate turns a tool.Tool into a *Gated.
// How a person is asked is a Handler: a plain function will do.
//
// The states, and what happens if the process dies in one of them, are drawn
// in docs/states.md.
package approval
