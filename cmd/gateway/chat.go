package main

import (
	"context"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/transcript"
)

// chat is the chat door as tabs use it.
type chat struct{ door *transcript.Door }

// Say implements wsapprover.Chat.
func (c chat) Say(ctx context.Context, who auth.Identity, sessionID, text string, seen int64) (seq int64, note string, err error) {
	said, err := c.door.Say(ctx, who, "chat", sessionID, text, seen)
	return said.Seq, said.Text, err
}
