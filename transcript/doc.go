// Package transcript shows a session's journal as OpenAI chat messages, and
// takes messages as answers: for chat clients that know nothing of approvals.
//
// # What it promises
//
//   - What is shown of a journal is made from the journal alone and is the same each time. History
//     that a client sends is never read: who sends a list of messages has
//     approved nothing.
//   - It has each request for approval once, as a call of client.requestApproval,
//     and its answer as that call's tool message.
//   - What a model is sent is shown as it is sent, with no trace of approvals.
//   - An answer is one in exactly one way. A misspelt, unknown, repeated or
//     contradicting word in a tool message is an error that names it; in a chat
//     line it is an ordinary message. Neither decides anything.
//   - The text of a tool message is an answer too. What was meant as one and is
//     none is refused, and never reaches an agent.
//   - A chat line without an id answers only what its sender had seen, and only
//     where there is no doubt what it is about.
//   - Every answer goes through Desk.Decide, which says who may and which
//     answer was first.
//
// # How to use it
//
// Messages shows a journal, Sent what a model is sent of it. A Door takes what clients send: Say a line of
// chat, which is an answer or goes to the agent, and Post a tool message, which
// ToolAnswer.Message builds and ReadToolAnswer reads.
package transcript
