package httpapi_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// generic is a client that knows nothing but the published description.
type generic struct {
	gate       *opened
	operations map[string]operation
}

type operation struct {
	method, path string
	Parameters   []struct {
		Name     string `json:"name"`
		In       string `json:"in"`
		Required bool   `json:"required"`
	} `json:"parameters"`
	RequestBody *struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			} `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]tool.JSON `json:"responses"`
}

func described(t *testing.T, g *opened) *generic {
	t.Helper()
	_, body := g.ask(t, "GET", "/openapi.json", "", "")
	var raw struct {
		Paths map[string]map[string]tool.JSON `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &raw); err != nil {
		t.Fatal(err)
	}
	c := &generic{gate: g, operations: map[string]operation{}}
	for path, methods := range raw.Paths {
		for method, value := range methods {
			var named struct {
				OperationID string `json:"operationId"`
			}
			op := operation{method: strings.ToUpper(method), path: path}
			if err := json.Unmarshal(value, &named); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(value, &op); err != nil {
				t.Fatal(err)
			}
			if _, twice := c.operations[named.OperationID]; twice || named.OperationID == "" {
				t.Errorf("%s %s has the name %q", method, path, named.OperationID)
			}
			c.operations[named.OperationID] = op
		}
	}
	return c
}

// call does an operation with what it says it takes, and has it answer with a
// status that it says it has.
func (c *generic) call(t *testing.T, id string, values map[string]string, body any, cookie string) map[string]tool.JSON {
	t.Helper()
	op, ok := c.operations[id]
	if !ok {
		t.Fatalf("there is no operation %s", id)
	}
	path, query := op.path, url.Values{}
	for _, p := range op.Parameters {
		value, given := values[p.Name]
		switch {
		case p.Required && !given:
			t.Fatalf("%s needs %s", id, p.Name)
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query" && given:
			query.Set(p.Name, value)
		}
	}
	if (body != nil) != (op.RequestBody != nil) {
		t.Fatalf("%s: a body is %v", id, op.RequestBody)
	}
	sent := ""
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		sent = string(raw)
	}
	response, text := c.gate.ask(t, op.method, path+"?"+query.Encode(), sent, cookie)
	for status := range op.Responses {
		if strings.HasPrefix(response.Status, status+" ") {
			var got map[string]tool.JSON
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			return got
		}
	}
	t.Fatalf("%s: %s is not described: %s", id, response.Status, text)
	return nil
}

func TestAClientThatKnowsOnlyTheDescriptionDrivesTheWholeFlow(t *testing.T) {
	g := openGate(t)
	c := described(t, g)
	asked := c.call(t, "requestApproval", nil, map[string]any{"toolName": "deploy", "args": map[string]any{"to": "staging"}}, g.program)
	var id string
	if err := json.Unmarshal(asked["approvalId"], &id); err != nil {
		t.Fatal(err)
	}
	at := map[string]string{"id": id}
	list := c.call(t, "listApprovals", map[string]string{"status": "pending"}, nil, g.person)
	if !strings.Contains(string(list["approvals"]), id) {
		t.Errorf("the list is %s", list["approvals"])
	}
	c.call(t, "answerApproval", at, map[string]any{"status": "approved"}, g.person)
	waited := c.call(t, "getApproval", map[string]string{"id": id, "wait": "10s"}, nil, g.program)
	if string(waited["status"]) != `"approved"` {
		t.Errorf("the program sees %s", waited["status"])
	}
	claimed := c.call(t, "claimApproval", at, nil, g.program)
	if string(claimed["args"]) != `{"to":"staging"}` {
		t.Errorf("it may run %s", claimed["args"])
	}
	done := c.call(t, "reportResult", at, map[string]any{"text": "deployed"}, g.program)
	if string(done["run"]) != `"finished"` {
		t.Errorf("the run is %s", done["run"])
	}
}
