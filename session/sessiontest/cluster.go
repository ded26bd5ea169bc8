package sessiontest

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Cluster is nodes in memory that hand calls to each other.
type Cluster struct {
	mu    sync.Mutex
	nodes []*Member
	calls map[string]*handed
}

// Member is one of them.
type Member struct {
	*Cluster
	id      int64
	shown   []byte // JSON, as others read it
	changed chan struct{}
	gone    bool
}

type handed struct {
	session.ClientCall
	runner int64
}

// Join adds a node.
func (c *Cluster) Join() *Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &Member{Cluster: c, id: int64(len(c.nodes) + 1), shown: []byte(`{}`), changed: make(chan struct{}, 1)}
	c.nodes = append(c.nodes, m)
	if c.calls == nil {
		c.calls = map[string]*handed{}
	}
	return m
}

// Leave ends it, as if its process had died: what it does after that is refused.
func (m *Member) Leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = true
}

func (c *Cluster) at(id int64) *Member { return c.nodes[id-1] }

func (c *Cluster) tell(id int64) {
	select {
	case c.at(id).changed <- struct{}{}:
	default:
	}
}

// Show implements ClientCalls.
func (m *Member) Show(_ context.Context, here session.Clients) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown, err = json.Marshal(here)
	return err
}

// Others implements ClientCalls.
func (m *Member) Others(context.Context) (list []session.Clients, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, other := range m.nodes {
		if other == m || other.gone {
			continue
		}
		one := session.Clients{Node: other.id}
		if err := json.Unmarshal(other.shown, &one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Changed implements ClientCalls.
func (m *Member) Changed() <-chan struct{} { return m.changed }

var errThere = errors.New("the call was handed out already")

// Hand implements ClientCalls.
func (m *Member) Hand(_ context.Context, call session.ClientCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls[call.ID] != nil {
		return errThere
	}
	call.State = session.CallHanded
	m.calls[call.ID] = &handed{call, m.id}
	m.tell(call.Node)
	return nil
}

// TakeBack implements ClientCalls.
func (m *Member) TakeBack(_ context.Context, callID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if call := m.calls[callID]; call == nil || call.State.Begun() {
		return session.ErrCallBegun
	}
	m.tell(m.calls[callID].Node)
	delete(m.calls, callID)
	return nil
}

// End implements ClientCalls.
func (m *Member) End(_ context.Context, callID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if call := m.calls[callID]; call != nil {
		m.tell(call.Node)
	}
	delete(m.calls, callID)
	return nil
}

// Start implements ClientCalls.
func (m *Member) Start(_ context.Context, callID string) error {
	return m.step(callID, session.CallStarted, tool.Result{}, session.CallHanded, session.CallStarted)
}

// Return implements ClientCalls.
func (m *Member) Return(_ context.Context, callID string) error {
	return m.step(callID, session.CallReturned, tool.Result{}, session.CallHanded)
}

// Finish implements ClientCalls.
func (m *Member) Finish(_ context.Context, callID string, result tool.Result) error {
	return m.step(callID, session.CallFinished, result, session.CallHanded, session.CallStarted)
}

func (m *Member) step(callID string, to session.ClientCallState, result tool.Result, from ...session.ClientCallState) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	call := m.calls[callID]
	for _, state := range from {
		if call != nil && !m.gone && call.Node == m.id && call.State == state {
			call.State, call.Result = to, result
			m.tell(call.runner)
			return nil
		}
	}
	return session.ErrCallGone
}

// Open implements ClientCalls.
func (m *Member) Open(context.Context) (away, here []session.ClientCall, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, call := range m.calls {
		call.Gone = m.at(call.Node).gone
		switch {
		case call.runner == m.id:
			away = append(away, call.ClientCall)
		case call.Node == m.id && call.State != session.CallReturned && !m.at(call.runner).gone:
			here = append(here, call.ClientCall)
		}
	}
	return away, here, nil
}
