package httpapi

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
)

const (
	statsPeriod = 7 * 24 * time.Hour // what is counted unless a time is named
	maxCounted  = 100_000            // requests, the newest
)

type statsBody struct {
	Since    time.Time               `json:"since"`    // when the period begins
	Requests int                     `json:"requests"` // how many were asked
	Outcomes                         // of them
	Partial  bool                    `json:"partial,omitzero"` // more than 100,000: the newest are counted
	ByStatus map[approval.Status]int `json:"byStatus"`         // how many stand there
	ByReason map[approval.Reason]int `json:"byReason"`         // how many ended so
	ByPolicy int                     `json:"byPolicy"`         // answered by a rule or the mode
	ByGrant  int                     `json:"byGrant"`          // answered by a remembered approval
	ByPerson int                     `json:"byPerson"`         // answered by people
	Waits    waits                   `json:"waits"`            // of people's answers
	Tools    []toolStats             `json:"tools"`            // most requests first
	People   []personStats           `json:"people"`           // most answers first
	Observed []observedStats         `json:"observed"`         // agents of which calls ran because they are observed, by name
	Days     []dayStats              `json:"days"`             // of UTC, oldest first, without those on which nothing was asked
}

// Outcomes counts requests by how they ended. The first five add up to all of them.
type Outcomes struct {
	Approved     int `json:"approved"`     // by people, rules, grants and modes
	Denied       int `json:"denied"`       // by people, rules and halts, or for invalid arguments; not the unanswered
	Timeouts     int `json:"timeouts"`     // nobody answered in time, or nobody could be asked
	Cancelled    int `json:"cancelled"`    // withdrawn
	Pending      int `json:"pending"`      // not yet answered
	DeniedByRule int `json:"deniedByRule"` // of denied: nobody was asked
}

// add counts one more request.
func (o *Outcomes) add(row door.Outcome) {
	switch row.Outcome {
	case approval.OutcomePending:
		o.Pending++
	case approval.OutcomeApproved, approval.OutcomeAllowedByRule, approval.OutcomeAllowedByGrant, approval.OutcomeObserved:
		o.Approved++
	case approval.OutcomeDenied, approval.OutcomeHalted:
		o.Denied++
	case approval.OutcomeDeniedByRule, approval.OutcomeInvalid:
		o.Denied++
		o.DeniedByRule++
	case approval.OutcomeTimedOut, approval.OutcomeNotAsked:
		o.Timeouts++
	case approval.OutcomeCancelled:
		o.Cancelled++
	}
}

// waits are times from a request to its answer, in seconds.
type waits struct {
	Median float64 `json:"median"` // of half of them at most
	P90    float64 `json:"p90"`    // of nine in ten at most
	Max    float64 `json:"max"`    // of the slowest
}

// toolStats are the requests for one tool.
type toolStats struct {
	ToolName   string  `json:"toolName"` // empty for questions
	Requests   int     `json:"requests"` // how many were asked
	Outcomes           // of them
	MedianWait float64 `json:"medianWait"` // of people's answers, in seconds

	took []time.Duration
}

// personStats are one person's answers.
type personStats struct {
	Subject    string  `json:"subject"`    // who answered
	Approved   int     `json:"approved"`   // how many were approved
	Denied     int     `json:"denied"`     // how many were denied
	Cancelled  int     `json:"cancelled"`  // how many were withdrawn
	MedianWait float64 `json:"medianWait"` // in seconds

	took []time.Duration
}

// observedStats are the calls of an agent that is observed.
type observedStats struct {
	AgentID  string `json:"agentId"`
	WouldAsk int    `json:"wouldAsk"` // calls that ran, and about which a person would have been asked
	Denied   int    `json:"denied"`   // by rules, the mode or people, since the first of those calls, while it was observed

	between, after int // denied before the oldest observed call that was counted; after the newest
}

// dayStats are the answers of one day.
type dayStats struct {
	Day string `json:"day"` // such as 2026-11-28
	Outcomes
}

func (s *Server) stats(c *call, _ none) (statsBody, error) {
	since, err := c.time("since")
	if err != nil {
		return statsBody{}, err
	}
	if since.IsZero() {
		since = s.Door.Now().Add(-statsPeriod)
	}
	k := newCount(since.UTC().Truncate(time.Second))
	err = s.eachSince(c, since, k)
	for _, a := range s.Door.Agents(c.who) {
		if of(k.agents, a.AgentID); !a.Observed.IsZero() {
			k.agents[a.AgentID].Denied += k.agents[a.AgentID].after // it is observed still
		}
	}
	return k.body(), err
}

// eachSince counts the requests of a period, newest first.
func (s *Server) eachSince(c *call, since time.Time, k *count) error {
	for q := (approval.Search{Since: since, Limit: maxPage}); ; {
		rows, next, err := s.Door.Outcomes(c.r.Context(), c.who, q)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if k.stats.Requests == maxCounted {
				k.stats.Partial = true
				return nil
			}
			k.add(row)
		}
		if next == "" {
			return nil
		}
		q.Before = next
	}
}

// count is statistics as they are being made.
type count struct {
	stats  statsBody
	took   []time.Duration
	tools  map[string]*toolStats
	people map[string]*personStats
	days   map[string]*dayStats
	agents map[string]*observedStats
}

func newCount(since time.Time) *count {
	return &count{
		stats: statsBody{Since: since, ByStatus: map[approval.Status]int{}, ByReason: map[approval.Reason]int{}},
		tools: map[string]*toolStats{}, people: map[string]*personStats{}, days: map[string]*dayStats{}, agents: map[string]*observedStats{},
	}
}

func of[T any](all map[string]*T, name string) *T {
	if all[name] == nil {
		all[name] = new(T)
	}
	return all[name]
}

func (k *count) add(row door.Outcome) {
	st := &k.stats
	st.Requests++
	st.ByStatus[row.Status]++
	tool := of(k.tools, row.ToolName)
	tool.Requests++
	for _, counted := range []*Outcomes{&st.Outcomes, &tool.Outcomes, &of(k.days, row.RequestedAt.UTC().Format(time.DateOnly)).Outcomes} {
		counted.add(row)
	}
	if row.Status == approval.Pending {
		return
	}
	if row.Reason != "" {
		st.ByReason[row.Reason]++
	}
	switch observed := of(k.agents, row.AgentID); {
	case row.Reason == approval.Observed:
		observed.WouldAsk++
		observed.Denied, observed.between = observed.Denied+observed.between, 0
	case row.Reason != approval.PolicyDenied && row.Reason != approval.UserDenied:
	case observed.WouldAsk > 0:
		observed.between++
	default:
		observed.after++
	}
	switch {
	case row.Reason.Unanswered() || row.Reason == approval.AskerGone:
	case row.Status == approval.Approved && row.By.Via == approval.ViaGrant:
		st.ByGrant++
	case row.By.Via == approval.ViaPolicy:
		st.ByPolicy++
	case row.By.Via != approval.ViaSystem:
		k.answered(row, tool)
	}
}

// answered counts what a person has decided.
func (k *count) answered(row door.Outcome, tool *toolStats) {
	k.stats.ByPerson++
	took, person := row.At.Sub(row.RequestedAt), of(k.people, row.By.Subject)
	switch row.Status {
	case approval.Approved:
		person.Approved++
	case approval.Denied:
		person.Denied++
	default:
		person.Cancelled++
	}
	k.took, tool.took, person.took = append(k.took, took), append(tool.took, took), append(person.took, took)
}

func (k *count) body() statsBody {
	st := k.stats
	st.Waits = waits{Median: quantile(k.took, 0.5), P90: quantile(k.took, 0.9), Max: quantile(k.took, 1)}
	st.Tools, st.People, st.Days = []toolStats{}, []personStats{}, []dayStats{}
	for name, t := range k.tools {
		t.ToolName, t.MedianWait = name, quantile(t.took, 0.5)
		st.Tools = append(st.Tools, *t)
	}
	for name, p := range k.people {
		p.Subject, p.MedianWait = name, quantile(p.took, 0.5)
		st.People = append(st.People, *p)
	}
	st.Observed = []observedStats{}
	for _, name := range slices.Sorted(maps.Keys(k.agents)) {
		if a := k.agents[name]; a.WouldAsk > 0 {
			a.AgentID = name
			st.Observed = append(st.Observed, *a)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.days)) {
		k.days[name].Day = name
		st.Days = append(st.Days, *k.days[name])
	}
	slices.SortFunc(st.Tools, func(a, b toolStats) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.ToolName, b.ToolName))
	})
	slices.SortFunc(st.People, func(a, b personStats) int {
		return cmp.Or(cmp.Compare(len(b.took), len(a.took)), cmp.Compare(a.Subject, b.Subject))
	})
	return st
}

// quantile is the time within which that share was answered, in seconds; 0 of
// none.
func quantile(took []time.Duration, share float64) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	i := int(share * float64(len(took)-1))
	return took[i].Seconds()
}
