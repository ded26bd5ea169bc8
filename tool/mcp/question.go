package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Question is what a server wants to know from a person: the fields of a Schema,
// or whether a page may be opened.
type Question struct {
	SessionID        string
	AgentID          string
	ToolCallID       string // of the call that it belongs to; empty where that is not known
	WorkingDirectory string
	Server           string
	Message          string
	Schema           tool.JSON // of a form, as the server wrote it
	URL              string    // of a page, with http or https
}

// Answer is what a person says. Content is for a form that is accepted.
type Answer struct {
	Action  Action
	Content tool.JSON
}

// Action says what a person does with a question.
type Action string

// The actions. The zero value counts as Cancel.
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel"
)

// maxQuestions is how many questions of a connection are open at once, and how
// many pages or answers a call may ask for.
const maxQuestions = 8

// maxURL is how long the URL of a page may be, in bytes.
const maxURL = 2 << 10

// maxPagesOpen is of how many pages it is kept whether they are done.
const maxPagesOpen = 64

// asked has the library's questions answered by ask alone: what the library would
// fill into an answer afterwards has not been recorded.
func (c *connection) asked(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if q, ok := req.(*mcp.ElicitRequest); ok && c.server.options.Ask != nil {
			return c.ask(ctx, q)
		}
		return next(ctx, method, req)
	}
}

// ask puts a question to the host. Where that fails, it is cancelled.
func (c *connection) ask(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	q := Question{SessionID: c.sessionID, Server: c.server.config.Name, Message: bounded(req.Params.Message, maxMessageText), URL: req.Params.URL}
	mode := cmp.Or(req.Params.Mode, "form")
	switch {
	case mode != "form" && mode != "url":
		return nil, invalid(fmt.Sprintf("the mode %q is not known", head64(mode)))
	case (mode == "url") != (q.URL != ""):
		return nil, invalid("a url belongs to the mode url, and only to that")
	case q.URL != "" && !isPage(q.URL):
		return nil, invalid(fmt.Sprintf("the url has to be one of http:// or https://, and no longer than %d bytes", maxURL))
	case q.URL == "":
		var err error
		if q.Schema, err = form(req.Params); err != nil {
			return nil, invalid("requestedSchema: " + err.Error())
		}
	}
	ctx, over, ok := c.asking(ctx, &q)
	defer over()
	if !ok {
		return &mcp.ElicitResult{Action: string(Cancel)}, nil
	}
	a, err := c.server.options.Ask(ctx, q)
	if err != nil || ctx.Err() != nil {
		return &mcp.ElicitResult{Action: string(Cancel)}, nil
	}
	return a.result(q)
}

func invalid(why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why}
}

func (a Answer) result(q Question) (*mcp.ElicitResult, error) {
	switch a.Action {
	case Decline:
		return &mcp.ElicitResult{Action: string(Decline)}, nil
	case Accept:
		if q.URL != "" {
			return &mcp.ElicitResult{Action: string(Accept)}, nil
		}
		content, err := contentOf(a.Content)
		if err != nil {
			return &mcp.ElicitResult{Action: string(Cancel)}, nil
		}
		if err := fits(q.Schema, a.Content); err != nil {
			return nil, invalid("the answer does not match requested schema: " + err.Error())
		}
		return &mcp.ElicitResult{Action: string(Accept), Content: content}, nil
	case Cancel:
	}
	return &mcp.ElicitResult{Action: string(Cancel)}, nil
}

func isPage(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && len(raw) <= maxURL && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// contentOf are the fields of an answer, each as it was written.
func contentOf(v tool.JSON) (map[string]any, error) {
	var fields map[string]tool.JSON
	if err := strictjson.Decode(strictjson.OrEmptyObject(v), &fields); err != nil {
		return nil, err
	}
	content := map[string]any{}
	for name, field := range fields {
		content[name] = field
	}
	return content, nil
}

// asking says whose question it is, and stops the clocks of the calls that may
// wait for its answer. The context ends with the last of these calls, or with
// the connection. A server that was asked nothing has nothing to ask, and one
// that has too many questions open has to wait for answers: that is not ok.
func (c *connection) asking(ctx context.Context, q *Question) (_ context.Context, over func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.inflightLocked()
	if f := inflightOf(ctx); f != nil {
		waiting = []*inflight{f}
	}
	if !c.ready || c.ended || len(waiting) == 0 || c.questions == maxQuestions {
		return ctx, func() {}, false
	}
	c.questions++
	about := c.newest
	if len(waiting) == 1 {
		about = waiting[0].call
		q.ToolCallID = about.ID
	}
	q.AgentID, q.WorkingDirectory = about.AgentID, directory(about, c.server.config)

	releases := make([]func(), len(waiting))
	for i, w := range waiting {
		releases[i] = w.hold()
	}
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer cancel()
		c.watch(ctx, waiting)
	}()
	return ctx, func() {
		cancel()
		<-watched
		for _, release := range releases {
			release()
		}
		c.mu.Lock()
		c.questions--
		c.mu.Unlock()
	}, true
}

// watch waits until all of the calls are over, or the connection or ctx is.
func (c *connection) watch(ctx context.Context, calls []*inflight) {
	for _, f := range calls {
		select {
		case <-f.finished:
		case <-c.closing:
			return
		case <-ctx.Done():
			return
		}
	}
}

func directory(call tool.Call, c Config) string {
	if call.WorkingDirectory != "" {
		return call.WorkingDirectory
	}
	return c.WorkingDirectory
}

// page is what a server needs a person to do before it takes a call.
type page struct {
	Mode    string `json:"mode"`
	Message string `json:"message"`
	URL     string `json:"url"`
	ID      string `json:"elicitationId"`
}

// questionsOf are the pages that an error of a call asks for.
func questionsOf(err error) ([]page, bool) {
	var told *jsonrpc.Error
	if !errors.As(err, &told) || told.Code != mcp.CodeURLElicitationRequired {
		return nil, false
	}
	var data struct {
		Elicitations []page `json:"elicitations"`
	}
	if err := json.Unmarshal(told.Data, &data); err != nil || len(data.Elicitations) == 0 || len(data.Elicitations) > maxQuestions {
		return nil, false
	}
	for _, p := range data.Elicitations {
		if p.Mode != "url" || len(p.ID) > maxLine || p.ID == "" || !isPage(p.URL) {
			return nil, false
		}
	}
	return data.Elicitations, true
}

// askAll asks for the pages and waits until the server says that they are done.
// It returns why the call can't be made again; empty where it can.
func (c *connection) askAll(ctx context.Context, pages []page) string {
	if c.server.options.Ask == nil {
		return c.says("needs a person to open " + pages[0].URL + ", and nobody can be asked; the call did not run")
	}
	for _, p := range pages {
		a, err := c.ask(ctx, &mcp.ElicitRequest{Session: c.session, Params: &mcp.ElicitParams{Mode: "url", Message: p.Message, URL: p.URL, ElicitationID: p.ID}})
		if err != nil || a.Action != string(Accept) {
			return c.says("needs a page to be opened, which was not accepted; the call did not run")
		}
	}
	for _, p := range pages {
		select {
		case <-c.doneWith(p.ID):
			c.mu.Lock()
			delete(c.pages, p.ID)
			c.mu.Unlock()
		case <-ctx.Done():
			return c.says("did not say that the page it needs is done; the call did not run")
		}
	}
	return ""
}

// doneWith is closed when the server has said that a page is done, which may be
// before anybody asks.
func (c *connection) doneWith(id string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages[id] == nil {
		if len(c.pages) == maxPagesOpen {
			clear(c.pages)
		}
		c.pages[id] = make(chan struct{})
	}
	return c.pages[id]
}

// completed is told by the server when a page is done.
func (c *connection) completed(_ context.Context, req *mcp.ElicitationCompleteNotificationRequest) {
	if len(req.Params.ElicitationID) > maxLine {
		return
	}
	done := c.doneWith(req.Params.ElicitationID)
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-done:
	default:
		close(done)
	}
}

// heard is told what the server logs.
func (c *connection) heard(_ context.Context, req *mcp.LoggingMessageRequest) {
	text, ok := req.Params.Data.(string)
	if !ok {
		data, err := json.Marshal(req.Params.Data, json.Deterministic(true))
		if err != nil {
			return
		}
		text = string(data)
	}
	if req.Params.Logger != "" {
		text = fmt.Sprintf("%s: %s", req.Params.Logger, text)
	}
	c.log.say(string(req.Params.Level), text)
}
