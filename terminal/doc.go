// Package terminal asks a person at a terminal.
//
// Show writes everything about a request, so that what hides in it can be seen.
// Prompt is an approval.Handler that shows a request and waits for a key and
// Enter: only a key that it has named answers, never an empty line, never what
// was typed before the question was shown. The end of the input denies, with
// approval.ErrNobody.
//
//	p := terminal.New(os.Stdin, os.Stdout, terminal.Options{})
//	defer p.Close()
//	gate := manager.Agent("demo", approval.AgentOptions{Handler: p})
//
// NewOrDeny is for programs that may be started without a terminal.
package terminal
