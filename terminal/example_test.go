package terminal_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/terminal"
	"github.com/lineclear/lineclear/tool"
)

// What hides in a request is written out.
func ExampleShow() {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	err := terminal.Show(os.Stdout, approval.Request{
		ApprovalID: "a-1", AgentID: "demo", Type: approval.ToolConfirmation, ToolName: "shell",
		Args:      tool.JSON(`{"command":"echo \"hi\"\u200b\nrm -rf build"}`),
		ExpiresAt: now.Add(time.Minute),
	}, terminal.ShowOptions{Now: now})
	fmt.Println(err)
	// Output:
	// A tool call waits for your approval.
	//   agent      demo
	//   tool       shell
	//   answer     within 1m0s, until 12:01:00 UTC; then it is denied
	//   id         a-1
	//
	//   arguments
	//     command: 2 lines, no newline at the end
	//       │ echo "hi"⟨U+200B⟩
	//       │ rm -rf build
	//
	//   covers     this call, once
	// <nil>
}

// Without a person behind the input nobody was asked: what waits is denied, and not by
// a person.
func ExamplePrompt_Ask() {
	p := terminal.New(strings.NewReader(""), io.Discard, terminal.Options{})
	defer p.Close()
	_, err := p.Ask(context.Background(), approval.Request{Type: approval.ToolConfirmation, ToolName: "shell"})
	fmt.Println(err)
	// Output: approval: nobody could be asked: the terminal's input ended before anybody answered
}
