package modeltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

// AnyPrompt draws valid prompts, and checks each request with wellFormed, which returns
// an error for what the provider's servers refuse.
func AnyPrompt(t *testing.T, p Provider, wellFormed func(body []byte) error) {
	f := p.fixture(t, remote.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		f.answer(f.good.whole(0))
		prompt := drawPrompt(rt)
		got, _, err := ask(t.Context(), f.model, prompt)
		if err != nil || got.Error != "" {
			rt.Fatalf("%+v, %v\n%+v", got, err, prompt)
		}
		if body := f.sent()[0].body; wellFormed(body) != nil {
			rt.Fatalf("%v\n%s\n%+v", wellFormed(body), body, prompt)
		}
	})
}

func drawText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.String(), rapid.StringMatching(`[a-z]{1,9}`),
		rapid.SampledFrom([]string{"", " ", "\n\t", "\u00a0\u3000", "\x1c\x1f", "\x00", "\u200b", "\u202e", "a\xffb", "\xf0\x9f", "{}", "data: [DONE]\n\n"}),
	).Draw(t, label)
}

// drawPrompt draws prompts that keep the rules of model.Prompt, and are odd otherwise.
func drawPrompt(t *rapid.T) model.Prompt {
	p := model.Prompt{System: drawText(t, "system")}
	name := rapid.OneOf(rapid.SampledFrom([]string{"shell", "ui.show", "ui_show", "files.read", ""}), rapid.String(), rapid.StringMatching(`[a-z.]{60,80}`))
	for _, n := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "tools") {
		p.Tools = append(p.Tools, tool.Spec{Name: n, Description: drawText(t, "description"), Schema: drawSchema(t)})
	}
	ids := 0
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		p.Messages = append(p.Messages, model.Message{Role: model.User, Text: drawText(t, "user")})
		for range rapid.IntRange(0, 3).Draw(t, "rounds") {
			said := model.Message{Role: model.Assistant, Text: drawText(t, "assistant"), Kept: tool.JSON(drawText(t, "kept"))}
			var results []model.Message
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				ids++
				id := fmt.Sprintf("call_%d", ids)
				said.Calls = append(said.Calls, model.Call{ID: id, Name: name.Draw(t, "name"), Args: drawArgs(t)})
				results = append(results, model.Message{
					Role: model.ToolRole, CallID: id, Text: drawText(t, "result"), IsError: rapid.Bool().Draw(t, "error"), Images: drawImages(t),
				})
			}
			p.Messages = append(append(p.Messages, said), results...)
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

func drawArgs(t *rapid.T) tool.JSON {
	object := rapid.Map(rapid.MapOf(rapid.String(), rapid.String()), func(m map[string]string) string { return written(m) })
	return tool.JSON(rapid.OneOf(rapid.String(), object, rapid.SampledFrom([]string{
		"", "{}", `{"a":1,"a":2}`, `{"a":`, "null", "[1]", `"x"`, strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80), `{"a":"` + "\xff" + `"}`,
	})).Draw(t, "args"))
}

func drawSchema(t *rapid.T) tool.JSON {
	return tool.JSON(rapid.SampledFrom([]string{
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

func written(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // the values are our own
	}
	return string(raw)
}
