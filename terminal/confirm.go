package terminal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// reply is an answer and the key that gives it.
type reply struct {
	key    string
	word   string // of the tool's own; empty: the usual one
	status approval.Status
	scope  approval.Scope
}

// replies are the answers that a request offers.
func replies(r approval.Request) []reply {
	options := r.Options
	if len(options) == 0 {
		options = []approval.Option{
			{Status: approval.Approved, Scope: approval.Once}, {Status: approval.Approved, Scope: approval.Session}, {Status: approval.Denied},
		}
	}
	var all []reply
	for _, is := range []reply{
		{"y", "", approval.Approved, approval.Once}, {"s", "", approval.Approved, approval.Session}, {"n", "", approval.Denied, ""}, {"c", "", approval.Cancelled, ""},
	} {
		i := slices.IndexFunc(options, func(o approval.Option) bool { return o.Status == is.status && o.Scope == is.scope })
		if i < 0 || is.key == "s" && len(offered(r)) == 0 {
			continue
		}
		is.word = options[i].Word
		all = append(all, is)
	}
	for i := range all {
		if all[i].key == "c" && !slices.ContainsFunc(all, func(c reply) bool { return c.key == "n" }) {
			all[i].key = "n" // the one no that there is
		}
	}
	return all
}

// confirm asks about a call until there is an answer.
func (p *Prompt) confirm(ctx context.Context, r approval.Request) (approval.Response, error) {
	var edit tool.JSON
	all := replies(r)
	for {
		text, err := p.line(ctx, "Approve? "+keys(r, all)+" >")
		if err != nil {
			return approval.Response{}, err
		}
		key := strings.ToLower(strings.TrimSpace(text))
		chosen := slices.IndexFunc(all, func(c reply) bool { return key == c.key || c.word != "" && key == strings.ToLower(c.word) })
		switch {
		case chosen >= 0:
			answer, back, err := p.answer(ctx, r, all[chosen], edit)
			if err != nil || !back {
				return answer, err
			}
		case key == "e" && editable(r):
			if edit, err = p.edit(ctx, r, edit); err != nil {
				return approval.Response{}, err
			}
		case key == "?":
			p.say(help(r, all))
		default:
			p.say("That is no answer here. Type one of " + keys(r, all) + " and Enter.")
		}
	}
}

// answer is what a reply says, once its own question is answered; back is true where
// another one is wanted.
func (p *Prompt) answer(ctx context.Context, r approval.Request, c reply, edit tool.JSON) (answer approval.Response, back bool, err error) {
	switch {
	case c.status == approval.Denied:
		answer, err = p.deny(ctx)
		return answer, false, err
	case c.scope == approval.Session:
		return p.forSession(ctx, r, edit)
	case c.status == approval.Approved:
		return approval.Response{Status: approval.Approved, Scope: approval.Once, Edit: edit}, false, nil
	default:
		return approval.Response{Status: approval.Cancelled}, false, nil
	}
}

func editable(r approval.Request) bool {
	return r.Editable && strictjson.Kind(r.Args) == '{'
}

func keys(r approval.Request, all []reply) string {
	var list []string
	for _, c := range all {
		list = append(list, strings.TrimSpace(c.key+" "+c.word))
	}
	if editable(r) {
		list = append(list, "e")
	}
	return strings.Join(append(list, "?"), "/")
}

func help(r approval.Request, all []reply) string {
	var lines []string
	for _, c := range all {
		text := "it is withdrawn"
		switch {
		case c.scope == approval.Once:
			text = "yes, this call, once"
		case c.scope == approval.Session:
			text = "yes, and don't ask again in this session; you choose what that covers"
		case c.status == approval.Denied:
			text = "no; you can say why, and the model reads it"
		}
		if c.word != "" {
			text += ": " + c.word
		}
		lines = append(lines, "  "+c.key+"  "+text)
	}
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
