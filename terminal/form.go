package terminal

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

const formHelp = `  a  answer, field by field; nothing is sent before you have seen it whole
  d  decline: the answer is no
  c  cancel: no answer is given
  Nothing else answers.`

// elicit asks a question that has a form: accept, decline or cancel.
func (p *Prompt) elicit(ctx context.Context, r approval.Request) (approval.Response, error) {
	fields, err := fieldsOf(r.Schema)
	if err != nil {
		p.say("The form can't be read; it can only be declined or cancelled.")
	}
	keys := "a/d/c/?"
	if err != nil {
		keys = "d/c/?"
	}
	for {
		key, lineErr := p.line(ctx, "Answer? "+keys+" >")
		if lineErr != nil {
			return approval.Response{}, lineErr
		}
		switch key := strings.ToLower(strings.TrimSpace(key)); {
		case key == "a" && err == nil:
			data, send, err := p.fill(ctx, fields)
			if err != nil {
				return approval.Response{}, err
			}
			if send {
				return approval.Response{Status: approval.Approved, FormData: data}, nil
			}
		case key == "d":
			return approval.Response{Status: approval.Denied}, nil
		case key == "c":
			return approval.Response{Status: approval.Cancelled}, nil
		case key == "?":
			p.say(formHelp)
		default:
			p.say("That is no answer here. Type one of " + keys + " and Enter.")
		}
	}
}

// fill asks for each field, shows what came of it, and asks whether to send it.
func (p *Prompt) fill(ctx context.Context, fields []field) (data tool.JSON, send bool, err error) {
	data = tool.JSON("{")
	for _, f := range fields {
		value, err := p.field(ctx, f)
		if err != nil {
			return nil, false, err
		}
		if value == nil {
			continue
		}
		if len(data) > 1 {
			data = append(data, ',')
		}
		if data, err = jsontext.AppendQuote(data, f.name); err != nil {
			return nil, false, fmt.Errorf("terminal: form: %w", err)
		}
		data = append(append(data, ':'), value...)
	}
	data = append(data, '}')
	page := &page{width: WidthOf(p.out)} // the person's own words: nothing is masked
	page.document("your answer", data)
	p.print(page)
	for {
		key, err := p.line(ctx, "Send it? y/n >")
		if err != nil {
			return nil, false, err
		}
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "y":
			return data, true, nil
		case "n":
			return nil, false, nil
		default:
			p.say("Type y to send it, or n to go back, and Enter.")
		}
	}
}

// field asks for one field's value until it is one; nil leaves the field out.
func (p *Prompt) field(ctx context.Context, f field) (tool.JSON, error) {
	page := p.page()
	page.line(0, "")
	page.entry(0, "▸", f.heading())
	page.row("", f.Description)
	for i, choice := range f.choices {
		page.entry(4, fmt.Sprintf("%d", i+1), choice.label)
	}
	p.print(page)
	for {
		text, err := p.line(ctx, f.wanted()+" >")
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			if len(f.Default) > 0 {
				return f.Default, nil
			}
			if !f.required {
				return nil, nil
			}
			p.say("This field is needed.")
			continue
		}
		value, err := f.parse(text)
		if err == nil {
			return value, nil
		}
		p.say("That can't be taken: " + err.Error() + ".")
	}
}
