package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// AskUserName is the name of the tool with which a model asks a person.
const AskUserName = "ask_user"

// AskUser is a tool with which a model puts a question to a person, as a form
// where it says which fields it wants. Asking does no harm, so it needs no
// approval of its own; the question is a request of type elicitation.
func AskUser(m *gate.Manager) Tool {
	return Tool{Tool: askUser{m}, Terms: approval.Terms{Need: approval.NeedNone}}
}

type askUser struct{ approvals *gate.Manager }

// Spec implements tool.Tool.
func (askUser) Spec() tool.Spec {
	return tool.Spec{
		Name: AskUserName,
		Description: "Asks the person a question and returns the answer. Give a JSON Schema (an object with properties) for the fields " +
			"of a form; without one the answer is a text. The person may decline.",
		Schema: tool.JSON(`{
  "type": "object",
  "properties": {
    "question": {"type": "string", "minLength": 1, "description": "what the person reads"},
    "schema": {"type": "object", "description": "a JSON Schema of the form: an object with properties of type string, number, integer or boolean"}
  },
  "required": ["question"],
  "additionalProperties": false
}`),
		Resume: tool.ResumeReenter,
		Hints:  tool.Hints{ReadOnly: true, Trusted: true},
	}
}

// Asks implements tool.Questioner.
func (askUser) Asks() {}

// plainAnswer is the form of a question without one.
const plainAnswer = `{"type":"object","properties":{"answer":{"type":"string","title":"Answer","minLength":1}},"required":["answer"]}`

// Run implements tool.Tool. Entered again after a restart it finds the question
// that was asked.
func (t askUser) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		Question string    `json:"question"`
		Schema   tool.JSON `json:"schema"`
	}
	if err := strictjson.Decode(call.Args, &args); err != nil {
		return tool.Result{}, err
	}
	if len(args.Schema) == 0 {
		args.Schema = tool.JSON(plainAnswer)
	}
	if err := approval.CheckForm(args.Schema); err != nil {
		return tool.Failed("schema: " + tool.Words(err)), nil
	}
	row, err := t.approvals.Ask(ctx, approval.Request{
		Type: approval.Elicitation, SessionID: call.SessionID, AgentID: call.AgentID,
		ToolName: AskUserName, ToolCallID: call.ID + "/question", Position: call.Position,
		Message: args.Question, Schema: args.Schema, WorkingDirectory: call.WorkingDirectory,
		Origin: approval.Origin{Kind: "agent", Parent: call.Path}, Traceparent: call.Traceparent,
	}, approval.Terms{})
	switch why := cancelledBy(ctx); {
	case err != nil && why != nil:
		return tool.Result{}, why
	case err != nil && ctx.Err() != nil:
		return tool.Result{}, tool.ErrSuspended // the gateway stops; the question waits on
	case errors.Is(err, approval.ErrConflict):
		return tool.Failed("the question was asked before in other words"), nil
	case err != nil:
		return tool.Result{}, tool.ErrSuspended
	}
	return answered(row), nil
}

// answered is what the model reads of an answer: accepting, declining and
// dismissing are told apart, and all of them from silence.
func answered(row approval.Approval) tool.Result {
	r := row.Response
	switch {
	case row.Status == approval.Approved:
		return tool.Result{Text: string(r.FormData), Structured: r.FormData}
	case r.Reason == approval.UserDenied && r.Message != "":
		return tool.Result{Text: fmt.Sprintf("%s declined to answer: %s", r.By.Subject, r.Message)}
	case r.Reason == approval.UserDenied:
		return tool.Result{Text: r.By.Subject + " declined to answer."}
	case r.Reason == approval.UserCancelled:
		return tool.Result{Text: r.By.Subject + " dismissed the question without answering."}
	default:
		return tool.Failed(row.Explain())
	}
}
