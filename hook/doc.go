// Package hook speaks with coding agents that run a program before each of their tool
// calls: it reads what they are told on stdin, and writes the answer that they understand.
//
// # What it promises
//
//   - What can't be read is an error, never a call without arguments. The caller has to
//     block then: an agent runs the tool when its hook fails in any other way than the one
//     that it knows (see Blocked).
//   - An answer has only the fields that the agent takes; several run the tool when there is
//     another one beside a denial.
//
// # How to use it
//
// Of finds an agent by its name. Agent.Read reads the input, and Agent.Answer writes what
// came of asking. docs/agents.md says how each agent is set up, and how it fails.
package hook
