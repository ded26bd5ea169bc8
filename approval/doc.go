// Package approval has the words of an approval and its transitions: values, no
// I/O. The road on which a call is asked, answered, claimed and run is package
// gate.
//
// # What it promises
//
//   - An Approval changes by its methods alone, which take and return values; a
//     Store only applies them.
//   - The first answer wins, and never changes afterwards.
//   - Silence is no: at or after its deadline a request settles as denied with
//     reason timeout, whatever the answer says. An unknown word never approves.
//   - A row is claimed at most once, and has at most one result.
//   - Deny beats all; then an ask rule, an allow rule, a grant, the tool's own
//     need, the mode (Weigh).
//
// # How to use it
//
// A Handler says how a person is asked: a plain function will do (HandlerFunc),
// and handlers compose (Race, WithTimeout, ByType). A Judge decides whether a
// person has to be asked. A Store keeps the rows; approvaltest is its contract.
//
// The states, and what happens if the process dies in one of them, are drawn
// in docs/states.md.
package approval
