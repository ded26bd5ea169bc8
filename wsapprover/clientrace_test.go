package wsapprover

import (
	"testing"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/tool"
)

// The orders of a page's reload that a test over a socket meets only by chance.
func TestACallThatHasBegunIsNotGivenToTheTabThatComesNext(t *testing.T) {
	t.Parallel()
	clients := NewClientTools()
	hub := NewHub(Backend{Clients: clients, Origins: &auth.OriginCheck{}}, Options{})
	made, err := clients.Tool(door.ClientTool{Spec: tool.Spec{Name: "count"}})
	if err != nil {
		t.Fatal(err)
	}
	arrival := func() *tab {
		one := newTab(hub, nil, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Operator}})
		clients.addTab(one)
		return one
	}
	for name, begun := range map[string]bool{"begun": true, "not begun": false} {
		first := arrival()
		call := newClientCall(made.(*clientTool), toolCall{ToolCallID: name, ToolName: "count"})
		if why := clients.begin(call); why != "" {
			t.Fatal(why)
		}
		if begun {
			if err := clients.started(t.Context(), first, name); err != nil {
				t.Fatal(err)
			}
		}
		clients.removeTab(first)
		next := arrival() // before the call has heard that its tab went
		<-call.moved
		why := clients.assign(call)
		if given := call.tab == next; given == begun || (why == "") == begun {
			t.Errorf("%s: given %v, %q", name, given, why)
		}
		clients.end(t.Context(), call)
		clients.removeTab(next)
	}
}

// What has been heard twice comes after the call has moved already.
func TestACallThatSomebodyHasMovesNoMore(t *testing.T) {
	t.Parallel()
	clients := NewClientTools()
	hub := NewHub(Backend{Clients: clients, Origins: &auth.OriginCheck{}}, Options{})
	made, err := clients.Tool(door.ClientTool{Spec: tool.Spec{Name: "count"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		clients.addTab(newTab(hub, nil, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Operator}}))
	}
	call := newClientCall(made.(*clientTool), toolCall{ToolCallID: "c", ToolName: "count"})
	clients.add(call)
	for range 2 {
		if why := clients.place(t.Context(), call); why != "" || call.tab != clients.tabs[0] {
			t.Errorf("it has moved: %q", why)
		}
	}
}
