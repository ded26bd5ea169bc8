package anthropic_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/anthropic"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var provider = modeltest.Provider{Name: "anthropic", New: func(o remote.Options) (model.Model, error) { return anthropic.New(o) }}

func TestTheContractOfModels(t *testing.T) { modeltest.Run(t, provider) }

func TestAnyPromptIsARequestThatServersTake(t *testing.T) {
	modeltest.AnyPrompt(t, provider, wellFormed)
}

func FuzzAnAnswerIsAReplyOrAFailure(f *testing.F) { modeltest.FuzzAnswers(f, provider) }

func FuzzNothingInAPromptSpoilsTheRequest(f *testing.F) { modeltest.FuzzPrompts(f, provider) }

// block has the fields of all kinds of blocks.
type block struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Input     tool.JSON `json:"input"`
	ToolUseID string    `json:"tool_use_id"`
	IsError   bool      `json:"is_error"`
	Content   []block   `json:"content"`
	Source    struct {
		MIME string `json:"media_type"`
		Data []byte `json:"data"`
	} `json:"source"`
}

// wellFormed returns an error for a request that servers refuse. The shape of a request
// is compared in the recorded exchanges.
func wellFormed(raw []byte) error {
	var b struct {
		System   []block `json:"system"`
		Messages []struct {
			Role    string  `json:"role"`
			Content []block `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string    `json:"name"`
			Schema tool.JSON `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	names, seen := map[string]bool{}, map[string]bool{}
	for _, t := range b.Tools {
		if t.Name != model.WireName(t.Name) || names[t.Name] || string(remote.Schema(t.Schema)) != string(t.Schema) {
			return fmt.Errorf("the tool %q: wrong, or given twice", t.Name)
		}
		names[t.Name] = true
	}
	for _, c := range b.System {
		if err := c.wellFormed("text"); err != nil {
			return fmt.Errorf("system: %w", err)
		}
	}
	if len(b.Messages)%2 == 0 {
		return errors.New("the last word is not the user's")
	}
	var open []string // calls that wait for their results
	for i, m := range b.Messages {
		role, kinds := "user", []string{"text", "image", "tool_result"}
		if i%2 == 1 {
			role, kinds = "assistant", []string{"text", "tool_use"}
		}
		if m.Role != role || len(m.Content) == 0 {
			return fmt.Errorf("message %d: empty, or not the turn of %s", i, m.Role)
		}
		var calls, results []string
		for n, c := range m.Content {
			err := c.wellFormed(kinds...)
			switch {
			case c.Type == "tool_result" && n == len(results):
				results = append(results, c.ToolUseID)
			case c.Type == "tool_result":
				err = errors.New("a result that does not come first")
			case c.Type == "tool_use" && seen[c.ID]:
				err = fmt.Errorf("the id %q is given twice", c.ID)
			case c.Type == "tool_use":
				seen[c.ID], calls = true, append(calls, c.ID)
			}
			if err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
		}
		if !slices.Equal(results, open) {
			return fmt.Errorf("message %d: the results of %q, where those of %q are open", i, results, open)
		}
		open = calls
	}
	return nil
}

// wellFormed returns an error unless the block is of one of the kinds, and whole.
func (b block) wellFormed(kinds ...string) error {
	fault := fmt.Errorf("a %s that is not valid: %+v", b.Type, b)
	if !slices.Contains(kinds, b.Type) {
		return fault
	}
	switch b.Type {
	case "text":
		if remote.Blank(b.Text) {
			return fault
		}
	case "image":
		if ok, _ := remote.CanShow(tool.Image{MIME: b.Source.MIME, Data: b.Source.Data}); !ok {
			return fault
		}
	case "tool_use":
		if _, err := strictjson.Object(b.Input); err != nil || b.ID == "" || b.Name != model.WireName(b.Name) {
			return fault
		}
	case "tool_result":
		inside := []string{"text", "image"}
		if b.IsError {
			inside = inside[:1] // and one at least
			if len(b.Content) == 0 {
				return fault
			}
		}
		for _, c := range b.Content {
			if err := c.wellFormed(inside...); err != nil {
				return err
			}
		}
	}
	return nil
}
