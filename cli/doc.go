// Package cli has the verbs of the program gateway.
//
// # What it promises
//
//   - What a verb prints has no control sequence, whoever wrote it.
//   - Exit codes are those of docs/cli.md.
//   - A verb that answers or manages asks for a person's login; the local key is not
//     enough.
//
// # How to use it
//
// The verbs that talk to a running gateway stand on packages client and terminal;
// serve runs one with package gateway; validate, doctor, policy and audit work on the
// file and the data folder.
package cli
