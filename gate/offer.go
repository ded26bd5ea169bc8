package gate

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// offers are the tools that one session has beside its agent's own, in sets,
// such as those of a server. Sessions share none, since what a server is to one
// of them it need not be to another.
type offers struct {
	order []string            // of the sets
	sets  map[string][]*Gated // by the set's name
}

// SetTerms are those of a set's tools.
type SetTerms struct {
	All   approval.Terms            // of each of them
	Tools map[string]approval.Terms // of single ones, by name
}

func (s SetTerms) of(name string) approval.Terms {
	if t, ok := s.Tools[name]; ok {
		return t
	}
	return s.All
}

func (o *offers) all() []*Gated {
	var all []*Gated
	if o != nil {
		for _, set := range o.order {
			all = append(all, o.sets[set]...)
		}
	}
	return all
}

func (o *offers) find(name string) *Gated {
	if o == nil {
		return nil
	}
	for _, set := range o.sets {
		if i := slices.IndexFunc(set, func(t *Gated) bool { return t.spec.Name == name }); i >= 0 {
			return set[i] // names are told apart by SetSessionTools
		}
	}
	return nil
}

// SetSessionTools puts tools behind the gate for one session, in place of those that it
// had under the set's name, and reports whether any is new. A name that is taken
// elsewhere stays there. Those that can't be put behind a gate are left out.
func (g *Gate) SetSessionTools(sessionID, set string, tools []tool.Tool) (changed bool, left []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.offers[sessionID]
	if o == nil {
		o = &offers{sets: map[string][]*Gated{}}
		g.offers[sessionID] = o
	}
	before := o.sets[set]
	o.sets[set] = nil
	if !slices.Contains(o.order, set) {
		o.order = append(o.order, set)
	}
	for _, t := range tools {
		spec := t.Spec()
		if g.find(sessionID, spec.Name) != nil {
			continue
		}
		i := slices.IndexFunc(before, func(t *Gated) bool { return t.spec.Name == spec.Name })
		if i >= 0 && reflect.DeepEqual(before[i].spec, spec) {
			o.sets[set] = append(o.sets[set], before[i])
			continue
		}
		gated, err := g.guarded(t, g.sets[set].of(spec.Name))
		if err != nil {
			left = append(left, spec.Name)
			continue
		}
		o.sets[set] = append(o.sets[set], gated)
		changed = true
	}
	g.known[set] = slices.Clone(o.sets[set])
	return changed, left
}

// Known are a set's tools as a session was last offered them.
func (g *Gate) Known(set string) []*Gated {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.known[set])
}

// Terms are the terms on which a tool is offered now.
func (g *Gate) Terms(t *Gated) approval.Terms {
	g.mu.Lock()
	defer g.mu.Unlock()
	return t.terms
}

// SessionTools lists what a session is offered.
func (g *Gate) SessionTools(sessionID string) []*Gated {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.offers[sessionID].all()
}

// DropSessionTools forgets what a session is offered, once nothing runs in it.
func (g *Gate) DropSessionTools(sessionID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.offers, sessionID)
}

// now is the tool as it is now, behind the same gate: most never change. An
// error says in words why that can't be found out.
func (t *Gated) now(ctx context.Context, sessionID string) (*Gated, error) {
	changing, ok := t.inner.(tool.Changing)
	if !ok {
		return t, nil
	}
	found, err := looked(ctx, changing, sessionID)
	if err == nil && found.Spec().Name != t.spec.Name {
		err = fmt.Errorf("it is called %q by now", found.Spec().Name)
	}
	if err != nil {
		return nil, fmt.Errorf("the tool %s is not what was approved: %s", t.spec.Name, tool.Words(err))
	}
	if reflect.DeepEqual(found.Spec(), t.spec) {
		return t, nil
	}
	gated, err := t.gate.guarded(found, t.gate.terms(sessionID, t.spec.Name))
	if err != nil {
		return nil, fmt.Errorf("the tool %s is not what was approved, and can't be used any more", t.spec.Name)
	}
	t.gate.renew(sessionID, gated)
	return gated, nil
}

// looked asks a tool what it is now; one that panics can't tell.
func looked(ctx context.Context, t tool.Changing, sessionID string) (now tool.Tool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("looking for it failed: %v", fault)
		}
	}()
	return t.Now(ctx, sessionID)
}

// renew puts a tool in the place of the one of that name that the session is
// offered.
func (g *Gate) renew(sessionID string, t *Gated) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.offers[sessionID]
	if o == nil {
		return
	}
	for _, set := range o.sets {
		for i := range set {
			if set[i].spec.Name == t.spec.Name {
				set[i] = t
			}
		}
	}
}
