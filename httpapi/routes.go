package httpapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

const jsonType = "application/json"

// Routes lists every route; Handler serves these and no others.
func (s *Server) Routes() []Route {
	text := func(name, what string) Param { return Param{Name: name, What: what, Kind: reflect.String} }
	number := func(name, what string) Param { return Param{Name: name, What: what, Kind: reflect.Int64} }
	oneOf := func(name, what string, words ...any) Param { return Param{name, what, reflect.String, words} }
	wait := text("wait", "how long to wait for the answer, such as 30s; at most 60s")
	before := text("before", "only what comes before this id in the list: next of the page before")
	limit := number("limit", "how many at most: 1 to 500; 100 when left out")
	return slices.Concat(s.accessRoutes(), s.mcpRoutes(), []Route{
		route("GET /api/agents", auth.See, "Lists the agents in the order of agents.yaml.", s.agents),
		route("PUT /api/agents/{id}/mode", auth.Manage, "Sets an agent's mode, at the version at which it was seen.", s.setMode),

		route("GET /api/sessions", auth.See, "Lists the sessions, newest first.", s.sessions, limit, before),
		created(route("POST /api/sessions", auth.Talk, "Starts a session with an agent.", s.newSession)),
		route("GET /api/sessions/{id}", auth.See, "Returns a session.", s.session),
		route("GET /api/sessions/{id}/events", auth.See, "Returns a session's journal.", s.events,
			number("after", "only events numbered above"), limit),
		route("GET /api/sessions/{id}/messages", auth.See, "Returns a session's journal as OpenAI chat messages.", s.messages,
			oneOf("view", "full: with the requests and their answers, also when left out; model: what a model may see", "full", "model")),
		also(auth.Answer, route("POST /api/sessions/{id}/messages", auth.Talk,
			"Says something to a session's agent, or answers what waits: in words, or by a tool message.", s.say)),
		ends(bodyless(route("POST /api/sessions/{id}/interrupt", auth.Talk, "Stops a session's turn and withdraws all it asks.", s.interrupt))),
		ends(route("POST /api/sessions/{id}/cancel", auth.Talk, "Ends a session for good.", s.cancelSession)),
		ends(bodyless(route("POST /api/sessions/{id}/approve", auth.Answer, "Answers the only request that waits in a session.", s.answerSole))),
		ends(route("POST /api/sessions/{id}/approvals/{toolCallId}", auth.Answer, "Answers the request of a tool call.", s.answerCall)),

		created(route("POST /api/runs", auth.Ask,
			"Begins a program's run, or returns the open one of that name. Send its id, which can't be guessed, as sessionId with each request.", s.beginRun)),
		route("DELETE /api/runs/{id}", auth.Ask, "Ends the program's own run and withdraws its pending requests.", s.endRun),

		also(auth.Ask, route("GET /api/approvals", auth.See, "Lists requests, newest first; for a program its own, by its key.", s.approvals,
			append(filters(), limit, before, text("idempotencyKey", "the program's own requests with this key; no other parameter counts then"))...)),
		raw("GET /api/approvals/export", auth.See, csvType+", "+linesType, "Downloads requests, newest first: all that the filters leave.", s.export,
			append(filters(), oneOf("format", "csv: a table; jsonl: each request as the list has it, one a line", "csv", "jsonl"))...),
		large(created(route("POST /api/approvals", auth.Ask, "Asks for an approval; for programs that run the call themselves.", s.ask,
			wait, text("Idempotency-Key", "names the call: the same key asks the same thing again and gets the same request"),
			text("traceparent", "W3C Trace Context: what the request is part of; one that can't be read is left out")))),
		also(auth.Ask, route("GET /api/approvals/{id}", auth.See, "Returns a request, and, with wait, once it is answered.", s.approval, wait)),
		also(auth.Ask, route("GET /api/approvals/{id}/change", auth.See, "Returns what a call would change in a file, with the whole diff.", s.change)),
		ends(route("POST /api/approvals/{id}", auth.Answer, "Answers a request.", s.answer)),
		route("POST /api/approvals/{id}/reveal", auth.Answer, "Shows a request with its secrets, and writes down who has looked.", s.reveal),
		ends(also(auth.Ask, bodyless(route("POST /api/approvals/{id}/cancel", auth.Answer,
			"Withdraws a request; a program can withdraw its own, and decline one that nobody is there to answer in a session that it runs. An approved call that has not started will not.", s.cancelApproval)))),
		route("POST /api/approvals/{id}/extend", auth.Ask, "Moves the deadline of the program's own request to expiresIn from now, but not beyond the policy's limit.", s.extend),
		ends(route("POST /api/approvals/cancel", auth.Answer,
			"Withdraws all that waits in a session and below it, of an agent, or of all; turns go on.", s.cancelWaiting)),
		route("GET /api/halts", auth.See, "Lists the halts that are on.", s.halts),
		ends(route("POST /api/halts", auth.Halt, "Halts an agent, or all: what waits is denied, nothing more is started or begun.", s.halt)),
		ends(route("POST /api/halts/lift", auth.Manage, "Lifts a halt.", s.lift)),
		route("POST /api/approvals/{id}/claim", auth.Ask, "Claims an approval, once: the program that asked may run the call now.", s.claim),
		route("POST /api/approvals/{id}/result", auth.Ask, "Reports what came of a claimed call.", s.result),
		route("GET /api/approvals/{id}/suggestions", auth.See, "Suggests rules that would have cleared a request.", s.suggestions),
		route("GET /api/approvals/{id}/tool", auth.See, "Returns the tool that a request is about, as its agent has it now.", s.tool),

		keepsNothing(route("POST /api/reload", auth.Manage, "Reads the configuration file again and takes over what can be changed while the gateway runs, all or nothing; returns what has changed.", s.reload)),
		route("GET /api/policy", auth.See, "Lists the rules of each agent.", s.policy),
		keepsNothing(route("POST /api/policy/explain", auth.See, "Says what would be decided about a call, and why; nothing is asked.", s.explain)),
		keepsNothing(route("POST /api/policy/suggestions", auth.See, "Suggests rules that would allow a call; nothing is asked.", s.suggestFor)),
		route("GET /api/stats", auth.See, "Counts requests and answers, and how long they took.", s.stats,
			text("since", "from when on, such as 2026-11-28T00:00:00Z; seven days ago when left out")),

		route("GET /api/grants", auth.See, "Lists what is remembered, newest first.", s.grants,
			text("sessionId", "only of this session"), Param{Name: "all", What: "also those that have ended", Kind: reflect.Bool}),
		created(route("POST /api/grants", auth.Answer, "Allows calls in every session before one is made, where the file offers that.", s.give)),
		route("DELETE /api/grants/{id}", auth.Answer, "Ends a grant at once.", s.revoke),

		raw("GET /api/events", auth.See, "text/event-stream", "Streams what happens, as server-sent events.", s.stream,
			text("sessionId", "the journal of this session instead of what concerns everyone"),
			number("after", "with sessionId: only events numbered above"),
			text("Last-Event-ID", "where a stream of a session goes on, as the browser sends it")),
	}, s.ownRoutes())
}

// ownRoutes are about the gateway itself.
func (s *Server) ownRoutes() []Route {
	return []Route{
		route("GET /api/nodes", auth.See, "Lists the gateways of the cluster, the one that has worked for the longest first.", s.nodes),
		route("GET /healthz", open, "Says that the gateway serves.", health),
		route("GET /readyz", open, "Says whether the gateway can do its work now: 503 names what is missing.", s.ready),
		raw("GET /metrics", auth.See, "text/plain", "Returns what was counted, as Prometheus reads it.", s.metrics),
		raw("GET /openapi.json", open, jsonType, "Describes this API (OpenAPI 3.1).", s.describe),
		raw("GET /asyncapi.json", open, jsonType, "Describes the WebSocket (AsyncAPI 3.0).", s.describeFrames),
		hidden("GET /docs", s.docs),
		hidden(socketRoute, handled(s.WebSocket)), // by ticket
		hidden("/", s.page),
		hidden("/api/", s.notFound),
	}
}

// filters are the parameters that select requests.
func filters() []Param {
	text := func(name, what string, words ...any) Param { return Param{name, what, reflect.String, words} }
	return []Param{
		text("q", "only those in which each of these words is found, as a part of one: in the tool's name, the call as it is shown, who answered and what was said"),
		text("outcome", "only those that ended so, or wait", wordsOf[approval.Outcome]()...),
		text("status", "only those that stand there", wordsOf[approval.Status]()...),
		text("sessionId", "only of this session and those below it"), text("agentId", "only of this agent"), text("toolName", "only of this tool"),
		text("risk", "only of this risk", wordsOf[approval.RiskLevel]()...), text("answeredBy", "only those that this person answered"),
		text("since", "only those that were asked from then on, such as 2026-11-28T00:00:00Z"), text("until", "only those that were asked before then"),
	}
}

// accessRoutes are about logins, tokens and links.
func (s *Server) accessRoutes() []Route {
	return []Route{
		route("POST /api/login", open, "Uses up a login link's token, or takes a lasting one, and sets the login cookie.", s.login),
		route("POST /api/login/look", open, "Says as whom a link logs in, and leaves it unused.", s.look),
		route("GET /api/login/challenge", open, "Makes a challenge that a page signs to be given a proof.", s.challenge),
		route("POST /api/login/proof", open, "Gives a page that holds a login's key a fresh proof.", s.prove),
		also(auth.Ask, route("POST /api/logout", auth.See, "Ends the login or token with which it is asked.", s.logout)),
		also(auth.Ask, route("GET /api/me", auth.See, "Says who has logged in.", s.me)),
		route("POST /api/ws-ticket", auth.See, "Makes a ticket that opens one WebSocket within 30 s.", s.ticket),

		route("GET /api/push", auth.See, "Says whether the gateway calls browsers when something needs approval, and whether it calls the caller's.", s.push),
		route("POST /api/push/subscriptions", auth.Answer, "Has the caller's browser called, until its login ends. Browsers only.", s.subscribe),
		ends(route("DELETE /api/push/subscriptions", auth.See, "Has the caller's browser called no more.", s.unsubscribe)),

		route("GET /api/tokens", auth.Manage, "Lists the tokens.", s.tokens),
		created(route("POST /api/tokens", auth.Manage, "Makes a token, and shows its secret this once.", s.newToken)),
		route("PATCH /api/tokens/{id}", auth.Manage, "Changes a token. Open connections reconnect with the new rights.", s.changeCredential),
		route("DELETE /api/tokens/{id}", auth.Manage, "Revokes a token, with the logins created by it, at once.", s.revokeCredential),
		route("GET /api/logins", auth.Manage, "Lists the browsers and terminals that are logged in.", s.logins),
		route("PATCH /api/logins/{id}", auth.Manage, "Changes a login's rights. Its tabs reconnect with them.", s.changeCredential),
		route("DELETE /api/logins/{id}", auth.Manage, "Ends a login at once.", s.revokeCredential),
		route("DELETE /api/people/{subject}", auth.Manage, "Removes a person: ends all logins and tokens in their name, and withdraws their links.", s.removePerson),
		route("GET /api/links", auth.Manage, "Lists the login links that are open, and those that ended in the last days, newest first.", s.links),
		route("DELETE /api/links/{id}", auth.Manage, "Withdraws a login link that nobody has used.", s.withdrawLink),
		created(route("POST /api/links/{id}/again", auth.Manage, "Makes another link in place of one, which logs nobody in any more.", s.linkAgain)),
		created(route("POST /api/links", auth.Manage, "Makes a link that logs one person in, once.", s.newLink)),
		created(route("POST /api/links/first", auth.Talk, "Makes a link for the first admin. Needs the local key, and works only while no admin is logged in.", s.firstLink)),

		created(route("POST /api/device-logins", open, "Asks for a terminal's login, which a person approves in their browser.", s.askDevice)),
		route("POST /api/device-logins/collect", open, "Returns an approved terminal's secret, once.", s.collectDevice),
		route("GET /api/device-logins/{code}", auth.See, "Returns a terminal that is waiting to log in.", s.device),
		route("POST /api/device-logins/{code}", auth.See, "Lets a terminal log in as the caller, or refuses it. Browsers only.", s.answerDevice),
	}
}

const socketRoute = "GET /ws"

type healthBody struct {
	Status string `json:"status" enum:"ok"` // ok
}

func health(*call, none) (healthBody, error) { return healthBody{"ok"}, nil }

func handled(h http.Handler) func(*call) error {
	return func(c *call) error {
		h.ServeHTTP(c.w, c.r)
		return nil
	}
}

// page is the dashboard's, at addresses that no other route has.
func (s *Server) page(c *call) error {
	if allowed := s.allowed(c); len(allowed) > 0 {
		return s.notFound(c)
	}
	s.Dashboard.ServeHTTP(c.w, c.r)
	return nil
}

// allowed are the methods that a path has.
func (s *Server) allowed(c *call) (allowed []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := &http.Request{Method: method, URL: c.r.URL, Host: c.r.Host}
		if _, pattern := s.mux.Handler(other); strings.HasPrefix(pattern, method+" ") {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// notFound answers 404, or 405 with the methods that the path has (RFC 9110, section 15.5.6).
func (s *Server) notFound(c *call) error {
	allowed := s.allowed(c)
	if len(allowed) == 0 {
		return &fault{http.StatusNotFound, "there is no " + c.r.Method + " " + c.r.URL.Path}
	}
	c.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return &fault{http.StatusMethodNotAllowed, c.r.Method + " can't be used here: use " + strings.Join(allowed, " or ")}
}
