package google

import (
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

type body struct {
	System   *content  `json:"systemInstruction,omitzero"`
	Contents []content `json:"contents"`
	Tools    []toolDef `json:"tools,omitempty"`
	Config   settings  `json:"generationConfig,omitzero"`
}

type settings struct {
	MaxTokens int `json:"maxOutputTokens,omitzero"`
}

type content struct {
	Role  string `json:"role,omitzero"`
	Parts []part `json:"parts"`
}

// part is one of a text, a call, a result and an image. A signature may stand beside an
// empty text, which is sent as well: a part without anything is refused.
type part struct {
	Text      *string `json:"text,omitzero"`
	Thought   bool    `json:"thought,omitzero"`
	Call      *call   `json:"functionCall,omitzero"`
	Result    *result `json:"functionResponse,omitzero"`
	Image     *image  `json:"inlineData,omitzero"`
	Signature string  `json:"thoughtSignature,omitzero"`
}

type call struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Args tool.JSON `json:"args"`
}

type result struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Response response `json:"response"`
}

type response struct {
	Output string `json:"output,omitzero"`
	Error  string `json:"error,omitzero"`
}

type image struct {
	MIME string `json:"mimeType"`
	Data []byte `json:"data"`
}

type toolDef struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Parameters  tool.JSON `json:"parametersJsonSchema"`
}

// request is the body in which a prompt is sent.
func (m *Model) request(p model.Prompt) body {
	b := body{Contents: m.contents(p.Messages), Config: settings{MaxTokens: m.server.Options.MaxTokens}}
	if !remote.Blank(p.System) {
		b.System = &content{Parts: []part{text(p.System)}}
	}
	var all []function
	for _, t := range p.Tools {
		all = append(all, function{Name: model.WireName(t.Name), Description: t.Description, Parameters: remote.Schema(t.Schema)})
	}
	if len(all) > 0 {
		b.Tools = []toolDef{{Functions: all}}
	}
	return b
}

// contents makes messages whose roles alternate. Results of tools stand in a message of
// the user, before anything else.
func (m *Model) contents(said []model.Message) []content {
	var all []content
	var later []part // images that follow the results
	add := func(role string, parts ...part) {
		if len(parts) == 0 {
			return
		}
		if n := len(all); n > 0 && all[n-1].Role == role {
			all[n-1].Parts = append(all[n-1].Parts, parts...)
			return
		}
		all = append(all, content{Role: role, Parts: parts})
	}
	names := map[string]string{} // of the calls, by their ids
	for _, s := range said {
		if s.Role != model.ToolRole {
			add("user", later...)
			later = nil
		}
		switch s.Role {
		case model.User:
			add("user", text(remote.OrNote(s.Text)))
		case model.Assistant:
			for _, c := range s.Calls {
				names[c.ID] = c.Name
			}
			add("model", m.assistant(s)...)
		case model.ToolRole:
			add("user", resultOf(s, names[s.CallID]))
			later = append(later, images(s)...)
		}
	}
	add("user", later...)
	return all
}

// assistant is a message of the model in the parts in which it came. If they are not
// known, the text stands before the calls.
func (m *Model) assistant(said model.Message) []part {
	order := readKept(said, m.origin)
	if order == nil {
		order = []keptPart{{Text: len(said.Text)}}
		for range said.Calls {
			order = append(order, keptPart{Call: true})
		}
	}
	var parts []part
	rest, calls := said.Text, said.Calls
	for _, o := range order {
		p := part{Signature: o.Signature}
		switch {
		case o.Thought != nil:
			p.Text, p.Thought = o.Thought, true
		case o.Call:
			c := calls[0]
			calls = calls[1:]
			p.Call = &call{ID: c.ID, Name: model.WireName(c.Name), Args: remote.Arguments(c.Args)}
		default:
			piece := rest[:o.Text]
			rest = rest[o.Text:]
			if remote.Blank(piece) && o.Signature == "" {
				continue
			}
			p.Text = &piece
		}
		parts = append(parts, p)
	}
	if remote.Blank(said.Text) && len(said.Calls) == 0 {
		return nil // signatures alone say nothing
	}
	return parts
}

func resultOf(said model.Message, name string) part {
	r := result{ID: said.CallID, Name: model.WireName(name), Response: response{Output: remote.OrNote(said.Text)}}
	if said.IsError {
		r.Response = response{Error: r.Response.Output}
	}
	return part{Result: &r}
}

func images(said model.Message) []part {
	if len(said.Images) == 0 {
		return nil
	}
	parts := []part{text(remote.ImagesTitle(said.CallID))}
	for _, i := range said.Images {
		if ok, mark := remote.CanShow(i, "image/gif"); !ok {
			parts = append(parts, text(mark))
			continue
		}
		parts = append(parts, part{Image: &image{MIME: i.MIME, Data: i.Data}})
	}
	return parts
}

func text(s string) part { return part{Text: &s} }
