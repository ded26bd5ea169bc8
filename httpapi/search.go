package httpapi

import (
	"encoding"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
)

// maxQuery is how many bytes a text to search for may have.
const maxQuery = 200

type approvalsBody struct {
	Approvals  []door.Approval `json:"approvals"`
	Next       string          `json:"next,omitempty"`      // the next page's before; left out on the last page
	SearchedTo time.Time       `json:"searchedTo,omitzero"` // with next: how far back the search got
}

// approvals lists requests. The number that a search examines for one page is bounded, so a page can be
// short and still have a next one.
func (s *Server) approvals(c *call, _ none) (approvalsBody, error) {
	if key := c.query("idempotencyKey"); key != "" || !c.who.May(auth.See) {
		if key == "" {
			return approvalsBody{}, &fault{http.StatusForbidden, "your role does not allow this: a program can only look up its own requests, with their idempotencyKey"}
		}
		own, err := s.Door.Asked(c.r.Context(), c.who, key)
		slices.Reverse(own)
		return approvalsBody{Approvals: own}, err
	}
	limit, err := c.number("limit", pageSize, 1, maxPage)
	if err != nil {
		return approvalsBody{}, err
	}
	q, err := c.search()
	if err != nil {
		return approvalsBody{}, err
	}
	q.Before, q.Limit = c.query("before"), int(limit)
	over, err := s.read(c)
	if err != nil {
		return approvalsBody{}, err
	}
	defer over()
	page, err := s.found(c, q)
	return approvalsBody{page.Approvals, page.Next, page.NextAt}, err
}

// found reads a page. If it may have to examine many requests, the time counts against the caller's
// budget.
func (s *Server) found(c *call, q approval.Search) (page door.Page, err error) {
	find := func() (err error) {
		page, err = s.Door.Search(c.r.Context(), c.who, q)
		return err
	}
	if q.Sifts() && !q.Waiting() {
		err = s.costly(c, find)
	} else {
		err = find()
	}
	if errors.Is(err, approval.ErrUnknown) {
		err = invalid("before: there is no request %q: leave before out, and begin with the newest", q.Before)
	}
	return page, err
}

// search reads the parameters that select requests.
func (c *call) search() (approval.Search, error) {
	q := approval.Search{
		SessionID: c.query("sessionId"), AgentID: c.query("agentId"), ToolName: c.query("toolName"), AnsweredBy: c.query("answeredBy"),
	}
	if text := c.query("status"); text != "" && q.Status.UnmarshalText([]byte(text)) != nil {
		return q, invalid("status: unknown status %q: use pending, approved, denied or cancelled", text)
	}
	var errs [5]error
	errs[0], errs[1] = c.word("outcome", &q.Outcome), c.word("risk", &q.Risk)
	q.Since, errs[2] = c.time("since")
	q.Until, errs[3] = c.time("until")
	q.Words, errs[4] = c.words("q")
	for _, err := range errs {
		if err != nil {
			return q, err
		}
	}
	return q, sound(q)
}

// sound refuses filters that contradict each other.
func sound(q approval.Search) error {
	switch {
	case q.Status != "" && q.Outcome != "":
		return invalid("outcome: says more than status: leave status out")
	case q.AnsweredBy != "" && q.Waiting():
		return invalid("answeredBy: what is pending has no answer: leave one of them out")
	case !q.Until.IsZero() && !q.Since.Before(q.Until):
		return invalid("until: has to be later than since")
	}
	return nil
}

// word reads a parameter with a closed list of values, unless it is left out.
func (c *call) word(name string, into encoding.TextUnmarshaler) error {
	text := c.query(name)
	if text == "" {
		return nil
	}
	if err := into.UnmarshalText([]byte(text)); err != nil {
		return invalid("%s: %v", name, err)
	}
	return nil
}

// time reads a parameter as a time; zero if it is left out.
func (c *call) time(name string) (at time.Time, err error) {
	text := c.query(name)
	if text == "" {
		return at, nil
	}
	if at, err = time.Parse(time.RFC3339, text); err != nil {
		return at, invalid("%s: want a time such as 2026-11-28T00:00:00Z, not %q", name, text)
	}
	return at, nil
}

// words reads the words to search for.
func (c *call) words(name string) ([]string, error) {
	text := c.query(name)
	words := approval.ReadWords(text)
	switch {
	case len(text) > maxQuery || len(words) > approval.MaxWords:
		return nil, invalid("%s: at most %d words and %d bytes are taken", name, approval.MaxWords, maxQuery)
	case len(mask.HiddenIn(text)) > 0:
		return nil, invalid("%s: has characters that can't be seen: type it again", name)
	}
	return words, nil
}
