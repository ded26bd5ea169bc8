package openai_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/openai"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var provider = modeltest.Provider{Name: "openai", New: func(o remote.Options) (model.Model, error) { return openai.New(o) }}

func TestTheContractOfModels(t *testing.T) { modeltest.Run(t, provider) }

func TestAnyPromptIsARequestThatServersTake(t *testing.T) {
	modeltest.AnyPrompt(t, provider, wellFormed)
}

func FuzzAnAnswerIsAReplyOrAFailure(f *testing.F) { modeltest.FuzzAnswers(f, provider) }

func FuzzNothingInAPromptSpoilsTheRequest(f *testing.F) { modeltest.FuzzPrompts(f, provider) }

// wellFormed returns an error for a request that servers refuse. The shape of a request
// is compared in the recorded exchanges.
func wellFormed(raw []byte) error {
	var b struct {
		Messages []message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name       string    `json:"name"`
				Parameters tool.JSON `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	names, seen := map[string]bool{}, map[string]bool{}
	for _, t := range b.Tools {
		f := t.Function
		if f.Name != model.WireName(f.Name) || names[f.Name] || string(remote.Schema(f.Parameters)) != string(f.Parameters) {
			return fmt.Errorf("the tool %q: wrong, or given twice", f.Name)
		}
		names[f.Name] = true
	}
	var open []string // calls that wait for their results
	for i, m := range b.Messages {
		calls, err := m.wellFormed()
		switch {
		case err != nil:
		case m.Role == "system" && i > 0:
			err = errors.New("not the first")
		case m.Role == "tool" && (len(open) == 0 || open[0] != m.ToolCallID):
			err = fmt.Errorf("the result of %q, where those of %q are open", m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
		case len(open) > 0:
			err = fmt.Errorf("no results for %q", open)
		}
		for _, id := range calls {
			if seen[id] {
				err = fmt.Errorf("the id %q is given twice", id)
			}
			seen[id], open = true, append(open, id)
		}
		if err != nil {
			return fmt.Errorf("message %d: %s: %w", i, m.Role, err)
		}
	}
	if last := b.Messages[len(b.Messages)-1].Role; len(open) > 0 || last != "user" && last != "tool" {
		return fmt.Errorf("ends with %s, and %q open", last, open)
	}
	return nil
}

type message struct {
	Role      string    `json:"role"`
	Content   tool.JSON `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string    `json:"name"`
			Arguments tool.JSON `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// wellFormed returns the ids of the message's calls.
func (m message) wellFormed() (calls []string, err error) {
	for _, c := range m.ToolCalls {
		args, _ := remote.Text(c.Function.Arguments)
		if _, err := strictjson.Object([]byte(args)); err != nil || c.ID == "" || c.Function.Name != model.WireName(c.Function.Name) {
			return nil, fmt.Errorf("the call %q: wrong: %w", c.ID, err)
		}
		calls = append(calls, c.ID)
	}
	if len(calls) > 0 && m.Role != "assistant" {
		return nil, errors.New("calls")
	}
	text, isText := remote.Text(m.Content)
	switch {
	case isText && !remote.Blank(text), len(m.Content) == 0 && len(calls) > 0:
		return calls, nil
	case m.Role != "user" || strictjson.Kind(m.Content) != '[':
		return nil, fmt.Errorf("a content that is not valid: %s", m.Content)
	}
	var parts []struct {
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil || len(parts) == 0 {
		return nil, fmt.Errorf("parts: %w", err)
	}
	for _, p := range parts {
		mime, data, _ := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
		image, err := base64.StdEncoding.DecodeString(data)
		if ok, _ := remote.CanShow(tool.Image{MIME: mime, Data: image}); remote.Blank(p.Text) == !ok || err != nil {
			return nil, fmt.Errorf("neither a text nor an image: %+v", p)
		}
	}
	return nil, nil
}
