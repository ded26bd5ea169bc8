// Package policy is the gateway's judge: it holds the rules of agents.yaml and
// says what they, and the grants that people gave, find about a tool call.
//
// # What it promises
//
//   - Deny beats ask, ask beats allow, and all three beat grants and the mode:
//     the order is approval.Weigh's and nobody else's. The order in which rules
//     stand never matters.
//   - A rule that forbids or asks matches what it may mean: where it can't be
//     known whether it matches, a person is asked. A rule that allows matches
//     only where nothing else can happen.
//   - A command line is allowed if every command in it is, one by one. Commands read
//     where the rule's paths say, and write only where its writes say; a grant of
//     commands lets none write.
//   - A command line that is not known (it is not plain, or what it runs can't be
//     determined) is cleared by no rule and no grant of any kind. What runs unasked is what
//     was judged: the line, printed from what was read.
//   - In the sandbox of an allow rule, or of a grant for every call, anything runs that no
//     rule denies, asks about or may mean; unless the sandbox prevents that.
//   - What a person or a deny rule refused in a session is asked about, whatever would clear it.
//   - Arguments are what their tool declares. Where it declares nothing, every text may be a
//     path or a command.
//   - Nothing that allows a folder allows to write where programs run code from
//     without being told to, such as .git/config, unless it names that place.
//   - A path counts by its letters and by where symbolic links lead; where a
//     link that the same command line makes leads, is not known. What
//     is only named at run time, or by a program's own code, is not seen: a
//     deny rule on a folder is a help, and no replacement for a sandbox.
//   - A call of an agent without rules is an error, which denies. Nothing that
//     was decided is kept: every judgement is made again.
//   - A rule that could not work is a Fault when it is compiled, with what to
//     write instead.
//
// # How to use it
//
// Compile makes each Rule ready, New a Policy from every agent's Rules and the
// store of grants; the Policy is an approval.Judge. Replace changes the rules
// while it is used. Suggest offers rules that would have answered a request.
package policy

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/lineclear/lineclear/approval"
)

// Rules are those of one agent, the gateway's own included.
type Rules struct {
	AlwaysAllow      []string    // patterns on the tool's name, see Covers
	AlwaysDeny       []string    // such patterns too
	Rules            []*Compiled // their order does not matter
	WorkingDirectory string      // absolute; where the paths of rules start
	Protected        Protected

	Places map[string]Place // where each stands, by its name as the ground of a decision
}

// Place is where a rule stands.
type Place struct {
	File string // with the line, for people
	Own  bool   // of one agent alone
}

// Protected are files of the gateway itself, by absolute paths. They are
// guarded where a call names them.
type Protected struct {
	Deny []string // never touched: the data folder
	Ask  []string // always asked about: agents.yaml, and settings of coding agents that have the hook

	// Endings are ends of paths, in any folder: settings of coding agents in projects. A call that names such
	// a path and may change it is always asked about.
	Endings []string

	Programs []string // names of programs that are always asked about: the gateway's verbs
}

// Policy judges the calls of all agents.
type Policy struct {
	// Path has the folders in which programs are looked for, as $PATH; empty: they are not.
	Path string
	// Home is what ~ stands for; empty: that is not known.
	Home string

	grants approval.Grants
	agents atomic.Pointer[map[string]Rules]
	known  known
}

var _ approval.Judge = (*Policy)(nil)

// New makes a policy from each agent's rules.
func New(grants approval.Grants, agents map[string]Rules) *Policy {
	p := &Policy{grants: grants}
	p.Replace(agents)
	return p
}

// Replace puts other rules in the place of all that there are. A judgement sees
// the old ones or the new ones, never some of each.
func (p *Policy) Replace(agents map[string]Rules) {
	copied := maps.Clone(agents)
	p.agents.Store(&copied)
}

// Judge implements approval.Judge.
func (p *Policy) Judge(ctx context.Context, c approval.Case) (approval.Verdict, error) {
	call, err := p.call(&c)
	if err != nil {
		return approval.Verdict{}, err
	}
	found := find(call)
	if found.open() && !found.onlyFenced && c.Terms.Need != approval.NeedNone {
		if err := p.findGrant(ctx, call, &found); err != nil {
			return approval.Verdict{}, err
		}
	}
	v := approval.Weigh(found.weighed(), c.Terms.Need, c.Mode)
	held := ground{}
	if v.Effect == approval.Allow || c.Observe {
		if held, err = p.heldBack(ctx, call, &found, v); err != nil {
			return approval.Verdict{}, err
		}
	}
	if held != (ground{}) {
		found.ask = append(found.ask, held)
		v = approval.Weigh(found.weighed(), c.Terms.Need, c.Mode)
	}
	asked := v.Effect == approval.AskPerson
	if asked {
		v.Approvers, v.Observed = found.approvers, c.Observe && held == (ground{}) && !found.person
	}
	if asked || len(found.deny) > 0 {
		v.Touches = call.refusable()
	}
	v.Risk = call.risk(found, asked)
	if asked && v.Scopes == nil {
		v.Covers = call.covers(found)
	}
	if asked && len(found.ask) == 0 {
		found.explain(call)
	}
	if asked || v.Effect == approval.Deny && call.parsed { // what clears a call has to be quick
		v.Commands = call.listed()
	}
	if v.Effect == approval.Allow {
		// If unread code may write, every unasked call runs in the same fence: it might run what was written.
		if found.fence != nil && (v.Fenced || len(found.fence.Writes) > 0) {
			if v.Fenced {
				v.Grant = found.fence.grant
			}
			v.Edit, err = found.fence.edit(call)
		} else {
			v.Edit, err = call.reprint()
		}
		if err != nil {
			return approval.Verdict{}, err
		}
	}
	v.Trace = found.trace()
	return v, nil
}

// call is a case with its agent's rules.
func (p *Policy) call(c *approval.Case) (*call, error) {
	rules, ok := (*p.agents.Load())[c.Request.AgentID]
	if !ok {
		return nil, fmt.Errorf("policy: no rules for agent %q", c.Request.AgentID)
	}
	made, err := newCall(c, rules, c.Now())
	if err == nil {
		made.path, made.homeFolder, made.known = p.Path, p.Home, &p.known
	}
	return made, err
}
