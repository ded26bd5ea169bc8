package httpapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/auth"
)

// operation is the name of a route for clients that are generated, and what it can refuse
// beside what follows from its form.
type operation struct {
	id   string
	also []int
}

const (
	unknown  = http.StatusNotFound
	conflict = http.StatusConflict
	late     = http.StatusGone
)

// operations are those of all routes.
var operations = map[string]operation{
	"POST /api/reload":                               {"reloadConfiguration", []int{unknown}},
	"GET /api/agents":                                {"listAgents", nil},
	"PUT /api/agents/{id}/mode":                      {"setAgentMode", []int{conflict}},
	"GET /api/sessions":                              {"listSessions", nil},
	"POST /api/sessions":                             {"createSession", []int{unknown, conflict}},
	"GET /api/sessions/{id}":                         {"getSession", nil},
	"GET /api/sessions/{id}/events":                  {"listSessionEvents", nil},
	"GET /api/sessions/{id}/messages":                {"listMessages", nil},
	"POST /api/sessions/{id}/messages":               {"sendMessage", []int{conflict, late}},
	"POST /api/sessions/{id}/interrupt":              {"interruptSession", []int{conflict}},
	"POST /api/sessions/{id}/cancel":                 {"cancelSession", []int{conflict}},
	"POST /api/sessions/{id}/approve":                {"answerSession", []int{conflict, late}},
	"POST /api/sessions/{id}/approvals/{toolCallId}": {"answerToolCall", []int{conflict, late}},
	"POST /api/runs":                                 {"beginRun", []int{unknown, conflict}},
	"DELETE /api/runs/{id}":                          {"endRun", []int{conflict}},
	"GET /api/approvals":                             {"listApprovals", []int{http.StatusForbidden}},
	"GET /api/approvals/export":                      {"exportApprovals", nil},
	"POST /api/approvals":                            {"requestApproval", []int{unknown, conflict}},
	"GET /api/approvals/{id}":                        {"getApproval", []int{http.StatusForbidden}},
	"GET /api/approvals/{id}/change":                 {"getChange", []int{http.StatusForbidden}},
	"POST /api/approvals/{id}":                       {"answerApproval", []int{conflict, late}},
	"POST /api/approvals/{id}/reveal":                {"revealApproval", nil},
	"POST /api/approvals/{id}/cancel":                {"cancelApproval", []int{conflict, late}},
	"POST /api/approvals/{id}/extend":                {"extendApproval", []int{conflict, late}},
	"POST /api/approvals/cancel":                     {"cancelApprovals", []int{unknown, conflict}},
	"POST /api/approvals/{id}/claim":                 {"claimApproval", []int{conflict}},
	"POST /api/approvals/{id}/result":                {"reportResult", []int{conflict}},
	"GET /api/approvals/{id}/suggestions":            {"listSuggestions", nil},
	"GET /api/approvals/{id}/tool":                   {"getApprovalTool", nil},
	"GET /api/halts":                                 {"listHalts", nil},
	"POST /api/halts":                                {"halt", []int{unknown}},
	"POST /api/halts/lift":                           {"liftHalt", []int{unknown}},
	"GET /api/policy":                                {"getPolicy", nil},
	"POST /api/policy/explain":                       {"explainCall", []int{unknown}},
	"POST /api/policy/suggestions":                   {"suggestRules", []int{unknown}},
	"GET /api/stats":                                 {"getStats", nil},
	"GET /api/nodes":                                 {"listNodes", nil},
	"GET /api/grants":                                {"listGrants", nil},
	"POST /api/grants":                               {"giveGrant", []int{unknown, conflict}},
	"DELETE /api/grants/{id}":                        {"revokeGrant", nil},
	"GET /api/events":                                {"streamEvents", nil},
	"GET /healthz":                                   {"getHealth", nil},
	"GET /readyz":                                    {"getReadiness", []int{http.StatusServiceUnavailable}},
	"GET /metrics":                                   {"getMetrics", []int{unknown}},
	"GET /openapi.json":                              {"getOpenAPI", nil},
	"GET /asyncapi.json":                             {"getAsyncAPI", []int{unknown}},
	"POST /api/login":                                {"logIn", []int{http.StatusUnauthorized, late}},
	"POST /api/login/look":                           {"lookAtLink", []int{http.StatusUnauthorized, late}},
	"GET /api/login/challenge":                       {"getLoginChallenge", nil},
	"POST /api/login/proof":                          {"proveLogin", []int{http.StatusUnauthorized}},
	"POST /api/logout":                               {"logOut", nil},
	"GET /api/me":                                    {"getMe", nil},
	"POST /api/ws-ticket":                            {"createTicket", nil},
	"GET /api/push":                                  {"getPush", nil},
	"POST /api/push/subscriptions":                   {"subscribePush", []int{conflict}},
	"DELETE /api/push/subscriptions":                 {"unsubscribePush", nil},
	"GET /api/tokens":                                {"listTokens", nil},
	"POST /api/tokens":                               {"createToken", nil},
	"PATCH /api/tokens/{id}":                         {"changeToken", nil},
	"DELETE /api/tokens/{id}":                        {"revokeToken", nil},
	"GET /api/logins":                                {"listLogins", nil},
	"PATCH /api/logins/{id}":                         {"changeLogin", nil},
	"DELETE /api/logins/{id}":                        {"revokeLogin", nil},
	"POST /api/links":                                {"createLink", nil},
	"GET /api/links":                                 {"listLinks", nil},
	"DELETE /api/links/{id}":                         {"withdrawLink", []int{late}},
	"POST /api/links/{id}/again":                     {"replaceLink", nil},
	"DELETE /api/people/{subject}":                   {"removePerson", nil},
	"POST /api/links/first":                          {"createFirstLink", []int{conflict}},
	"POST /api/device-logins":                        {"beginDeviceLogin", nil},
	"POST /api/device-logins/collect":                {"collectDeviceLogin", []int{unknown}},
	"GET /api/device-logins/{code}":                  {"getDeviceLogin", nil},
	"POST /api/device-logins/{code}":                 {"answerDeviceLogin", nil},
}

// name is what generated clients call a route's function.
func (r Route) name() string {
	if named, ok := operations[r.Pattern]; ok {
		return named.id
	}
	return operationID(r.method(), r.path())
}

func (r Route) method() string { method, _, _ := strings.Cut(r.Pattern, " "); return method }
func (r Route) path() string   { _, path, _ := strings.Cut(r.Pattern, " "); return path }

// forms are the refusals that follow from a route's form.
var forms = []struct {
	status int
	of     func(Route) bool
}{
	{http.StatusBadRequest, Route.hasBody},
	{http.StatusUnauthorized, Route.closed},
	{http.StatusForbidden, Route.isForSome},
	{http.StatusNotFound, func(r Route) bool {
		return strings.Contains(r.path(), "{") || slices.ContainsFunc(r.Params, func(p Param) bool { return p.Name == "sessionId" })
	}},
	{http.StatusRequestEntityTooLarge, Route.hasBody},
	{http.StatusMisdirectedRequest, always},
	{http.StatusUnprocessableEntity, always}, // a parameter that does not exist
	{http.StatusTooManyRequests, always},
	{http.StatusRequestHeaderFieldsTooLarge, always},
	{http.StatusServiceUnavailable, func(r Route) bool { return r.closed() || r.hasBody() }},
}

// isForSome reports whether a right is needed that not everyone has, or a browser's origin.
func (r Route) isForSome() bool {
	return r.closed() && r.Or != auth.Ask || r.method() != http.MethodGet
}

func (r Route) hasBody() bool { return r.In != nil }
func (r Route) closed() bool  { return r.Right != open }
func always(Route) bool       { return true }

// Refusals are the statuses with which a route can refuse, in order.
func (r Route) Refusals() []int {
	all := slices.Clone(operations[r.Pattern].also)
	for _, f := range forms {
		if f.of(r) {
			all = append(all, f.status)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// refusal is the type of the body with which a route refuses.
func (r Route) refusal(status int) reflect.Type {
	switch {
	case r.Pattern == "PUT /api/agents/{id}/mode" && status == conflict:
		return reflect.TypeFor[modeProblem]()
	case status == http.StatusUnauthorized:
		return reflect.TypeFor[endedProblem]()
	case status == late && tagOf(r.path()) == "access":
		return reflect.TypeFor[problem]()
	case status == conflict, status == late:
		return reflect.TypeFor[answeredProblem]()
	case r.Pattern == "GET /readyz" && status == http.StatusServiceUnavailable:
		return reflect.TypeFor[unreadyProblem]()
	}
	return reflect.TypeFor[problem]()
}
