package modeltest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

func conversation(t *testing.T, p Provider) {
	picture := tool.Image{MIME: "image/png", Data: []byte("\x89PNG")}
	prompt := said("Look.")
	prompt.System = "You run trains."
	prompt.Messages = append(prompt.Messages,
		model.Message{Role: model.Assistant, Text: "Both.", Calls: []model.Call{
			{ID: "a", Name: "ui.show", Args: jsontext.Value(`{"n":1}`)}, {ID: "b", Name: "shell", Args: jsontext.Value(`{"command":"ls"}`)}, {ID: "c", Name: "gone.tool"},
		}},
		model.Message{Role: model.ToolRole, CallID: "a", Text: "shown", Images: []tool.Image{picture, {MIME: "image/svg+xml", Data: []byte("<svg/>")}}},
		model.Message{Role: model.ToolRole, CallID: "b", Text: "denied-by-ada", IsError: true, Images: []tool.Image{picture}},
		model.Message{Role: model.ToolRole, CallID: "c", IsError: true},
		model.Message{Role: model.Assistant, Text: " "},
		model.Message{Role: model.User, Text: "Again."},
		model.Message{Role: model.Assistant, Calls: []model.Call{{ID: "d", Name: "shell"}}},
		model.Message{Role: model.ToolRole, CallID: "d", Images: []tool.Image{picture}},
		model.Message{Role: model.User, Text: "last-words"},
	)
	f := p.loopback(t, remote.Options{}, Answer{Text: []string{"Seen."}})
	f.generate(t, prompt)
	body := string(f.Requests()[0].Body)
	for _, want := range []string{
		"You run trains.", "denied-by-ada", "last-words", "image/svg+xml", `"` + model.WireName("ui.show") + `"`, `"` + model.WireName("gone.tool") + `"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	if n := strings.Count(body, "iVBORw=="); n != 3 {
		t.Errorf("%d images, want 3: %s", n, body)
	}
	if first, second := strings.Index(body, "Look."), strings.Index(body, "Again."); first < 0 || second < first {
		t.Errorf("out of order: %s", body)
	}
}

// anyPrompt draws prompts that keep what model.Prompt says, and nothing more.
func anyPrompt(t *testing.T, p Provider) {
	f := p.loopback(t, remote.Options{})
	f.Always = Answer{Text: []string{"Yes."}}
	rapid.Check(t, func(rt *rapid.T) {
		prompt := drawPrompt(rt)
		before := len(f.Requests())
		_, err := f.model.Generate(t.Context(), prompt, nil)
		all := f.Requests()
		if err != nil || len(all) != before+1 {
			rt.Fatalf("%v\n%s\n%+v", err, all[len(all)-1].Body, prompt)
		}
	})
}

func drawText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(), rapid.StringMatching(`[a-z]{1,9}`),
		rapid.SampledFrom([]string{"", " ", "\n\t", "\u00a0\u3000", "\x1c\x1f", "\x00", "\u200b", "\u202e", "a\xffb", "\xf0\x9f", odd, "{}", "data: [DONE]\n\n"}),
	)
}

func drawPrompt(t *rapid.T) model.Prompt {
	p := model.Prompt{System: drawText().Draw(t, "system")}
	name := rapid.OneOf(rapid.SampledFrom([]string{"shell", "ui.show", "ui_show", "files.read", ""}), rapid.String(), rapid.StringMatching(`[a-z.]{60,80}`))
	for _, n := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "tools") {
		p.Tools = append(p.Tools, tool.Spec{Name: n, Description: drawText().Draw(t, "description"), Schema: drawSchema(t)})
	}
	ids := 0
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		p.Messages = append(p.Messages, model.Message{Role: model.User, Text: drawText().Draw(t, "user")})
		for range rapid.IntRange(0, 3).Draw(t, "rounds") {
			said := model.Message{Role: model.Assistant, Text: drawText().Draw(t, "assistant"), Kept: jsontext.Value(drawText().Draw(t, "kept"))}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				ids++
				said.Calls = append(said.Calls, model.Call{ID: fmt.Sprintf("call_%d", ids), Name: name.Draw(t, "name"), Args: drawArgs(t)})
			}
			p.Messages = append(p.Messages, said)
			for _, c := range said.Calls {
				p.Messages = append(p.Messages, model.Message{
					Role: model.ToolRole, CallID: c.ID, Text: drawText().Draw(t, "result"),
					IsError: rapid.Bool().Draw(t, "error"), Images: drawImages(t),
				})
			}
			if len(said.Calls) == 0 {
				break
			}
		}
	}
	if last := p.Messages[len(p.Messages)-1]; last.Role == model.Assistant {
		p.Messages = append(p.Messages, model.Message{Role: model.User, Text: "And now?"})
	}
	return p
}

func drawArgs(t *rapid.T) jsontext.Value {
	return jsontext.Value(rapid.OneOf(
		rapid.SampledFrom([]string{"", "{}", `{"a":1,"a":2}`, `{"a":`, "null", "[1]", `"x"`, strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80), `{"a":"` + "\xff" + `"}`}),
		rapid.String(),
		rapid.Map(rapid.MapOf(rapid.String(), rapid.String()), func(m map[string]string) string {
			raw, _ := json.Marshal(m)
			return string(raw)
		}),
	).Draw(t, "args"))
}

func drawSchema(t *rapid.T) jsontext.Value {
	return jsontext.Value(rapid.SampledFrom([]string{
		"", "{}", "true", "null", "{", `{"type":"object"}`, `{"type":["object","null"]}`, `{"properties":{"a":{"type":"string"}},"required":["a"]}`,
		`{"type":"object","properties":null,"additionalProperties":false}`, `{"$schema":"x","type":"object","properties":{"a":{}},"anyOf":[{}]}`,
	}).Draw(t, "schema"))
}

func drawImages(t *rapid.T) []tool.Image {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tool.Image {
		return tool.Image{
			MIME: rapid.SampledFrom([]string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "", "text/html"}).Draw(t, "mime"),
			Data: rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "data"),
		}
	}), 0, 2).Draw(t, "images")
}

func options(t *testing.T, p Provider) {
	f := p.loopback(t, remote.Options{
		MaxTokens: 777, Headers: map[string]string{"X-Depot": "north"}, Parameters: jsontext.Value(`{"tool_choice":"auto"}`),
	}, Answer{})
	f.generate(t, said("Go on."))
	r := f.Requests()[0]
	if r.Header.Get("X-Depot") != "north" || !strings.Contains(string(r.Body), "777") || !strings.Contains(string(r.Body), `"tool_choice":"auto"`) {
		t.Errorf("%v\n%s", r.Header, r.Body)
	}
}

// environment names what the libraries of the providers would read.
func environment(t *testing.T, p Provider) {
	for _, name := range []string{
		"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE",
	} {
		t.Setenv(name, "from-the-environment")
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "http://127.0.0.1:1/")
	}
	for _, name := range []string{"OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"} {
		t.Setenv(name, "X-Stray: from-the-environment")
	}
	s := NewServer(p.Wire)
	url, client := s.Start(t)
	f := fixture{Server: s, model: p.make(t, remote.Options{BaseURL: url, HTTPClient: client})}
	f.generate(t, said("Go on."))
	for name, values := range f.Requests()[0].Header {
		if strings.Contains(strings.Join(values, " "), "from-the-environment") {
			t.Errorf("%s: %q", name, values)
		}
	}
}

func redirect(t *testing.T, p Provider) {
	elsewhere := NewServer(p.Wire)
	url, _ := elsewhere.Start(t)
	f := p.loopback(t, remote.Options{}, Answer{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": url}})
	f.fail(t, p, model.Rejected)
	if n := len(elsewhere.Requests()); n != 0 {
		t.Errorf("%d requests elsewhere", n)
	}
}
