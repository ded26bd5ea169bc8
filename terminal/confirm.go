package terminal

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// confirm asks about a call until there is an answer.
func (p *Prompt) confirm(ctx context.Context, r approval.Request) (approval.Response, error) {
	var edit tool.JSON
	for {
		key, err := p.line(ctx, "Approve? "+keys(r)+" >")
		if err != nil {
			return approval.Response{}, err
		}
		switch key := strings.ToLower(strings.TrimSpace(key)); {
		case key == "y":
			return approval.Response{Status: approval.Approved, Scope: approval.Once, Edit: edit}, nil
		case key == "n":
			return p.deny(ctx)
		case key == "s" && len(offered(r)) > 0:
			answer, back, err := p.forSession(ctx, r, edit)
			if err != nil || !back {
				return answer, err
			}
		case key == "e" && editable(r):
			if edit, err = p.edit(ctx, r, edit); err != nil {
				return approval.Response{}, err
			}
		case key == "?":
			p.say(help(r))
		default:
			p.say("That is no answer here. Type one of " + keys(r) + " and Enter.")
		}
	}
}

func editable(r approval.Request) bool {
	return r.Type == approval.ToolConfirmation && strictjson.Kind(r.Args) == '{'
}

func keys(r approval.Request) string {
	all := "y"
	if len(offered(r)) > 0 {
		all += "/s"
	}
	all += "/n"
	if editable(r) {
		all += "/e"
	}
	return all + "/?"
}

func help(r approval.Request) string {
	lines := []string{"  y  yes, this call, once"}
	if len(offered(r)) > 0 {
		lines = append(lines, "  s  yes, and don't ask again in this session; you choose what that covers")
	}
	lines = append(lines, "  n  no; you can say why, and the model reads it")
	if editable(r) {
		lines = append(lines, "  e  change the arguments first")
	}
	return strings.Join(append(lines, "  Nothing else answers; without an answer the call does not run."), "\n")
}

func (p *Prompt) deny(ctx context.Context) (approval.Response, error) {
	reason, err := p.line(ctx, "Why not? (Enter: no reason) >")
	if err != nil {
		return approval.Response{}, err
	}
	return approval.Response{Status: approval.Denied, Message: strings.TrimSpace(reason)}, nil
}

// forSession asks what is to be remembered. Changed arguments can only be
// remembered exactly.
func (p *Prompt) forSession(ctx context.Context, r approval.Request, edit tool.JSON) (answer approval.Response, back bool, err error) {
	offers := offered(r)
	if len(edit) > 0 {
		offers = []approval.Coverage{approval.Exactly()}
	}
	page := p.page()
	page.line(0, "For the rest of the session, without asking:")
	page.offers(offers)
	p.print(page)
	for {
		text, err := p.line(ctx, fmt.Sprintf("Which? (1 to %d; Enter: 1; b: back) >", len(offers)))
		if err != nil {
			return approval.Response{}, false, err
		}
		text = strings.TrimSpace(text)
		if text == "" {
			text = "1"
		}
		if strings.EqualFold(text, "b") {
			return approval.Response{}, true, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(offers) {
			return approval.Response{
				Status: approval.Approved, Scope: approval.Session, Edit: edit,
				Grant: approval.GrantTerms{Covers: offers[n-1].Kind},
			}, false, nil
		}
		p.say("There is no such number.")
	}
}
