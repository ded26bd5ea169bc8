package mcpgate

import (
	"fmt"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// longestResult is how much of a result is reported, in bytes. The client has all of it.
const longestResult = 32 << 10

// resultOf is what a server has answered to a call, to be reported.
func resultOf(answer message) tool.Result {
	if answer.failed {
		why := member(answer.raw, "error")
		return tool.Failed(bounded(text(why, "message")))
	}
	var parts []string
	for i, block := range blocks(member(answer.result, "content")) {
		switch kind := text(block, "type"); kind {
		case "text":
			parts = append(parts, text(block, "text"))
		default:
			parts = append(parts, fmt.Sprintf("[%d: %s]", i+1, kind))
		}
	}
	r := tool.Result{Text: bounded(strings.Join(parts, "\n")), IsError: string(member(answer.result, "isError")) == "true"}
	if len(parts) == 0 && member(answer.result, "task") != nil {
		return tool.Result{Text: "The server goes on with this call as a task. Its result is not recorded here."}
	}
	if len(parts) == 0 {
		r.Text = bounded(string(answer.result))
	}
	return r
}

func bounded(text string) string {
	if len(text) <= longestResult {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:longestResult], "") + "…"
}
