package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Every body that the API describes is sent with a name twice, and with a name
// in other letters: what decodes to two meanings decodes to none.
func TestNoBodyWithTwoMeaningsIsTaken(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	tried := 0
	for _, op := range s.operations() {
		for _, body := range []string{
			fmt.Sprintf(`{%q:"a",%q:"b"}`, op.field, op.field), fmt.Sprintf(`{%q:"a"}`, strings.ToUpper(op.field)),
			fmt.Sprintf(`{%q:"a",%q:"b"}`, op.field, strings.ToUpper(op.field[:1])+op.field[1:]), strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
			fmt.Sprintf(`{%q:%s%s}`, op.field, strings.Repeat(`{"a":`, 500), strings.Repeat("}", 500)), "{}{}", "\xef\xbb\xbf{}", "{\"\xff\":1}", "null", "",
		} {
			if body == "" && op.bodyless {
				continue // it means one thing
			}
			path := strings.NewReplacer("{id}", s.approval, "{toolCallId}", "x").Replace(op.path)
			status, text := s.raw(fmt.Sprintf("%s %s HTTP/1.1\r\nConnection: close\r\nHost: %s\r\nOrigin: %s\r\nContent-Length: %d\r\n%s\r\n\r\n%s",
				op.method, path, s.host, s.url, len(body), strings.Join(s.login(), "\r\n"), body))
			// Bodies that are whole and say nothing may be fine for what needs nothing.
			if status/100 == 2 && body != "" || status >= 500 || status == 0 {
				t.Errorf("%s %s with %.60q: %d %.200s", op.method, path, body, status, text)
			}
			tried++
		}
	}
	if tried < 100 {
		t.Errorf("only %d were tried", tried)
	}
	s.stands("bodies")
}

type operation struct {
	method, path, field string
	bodyless            bool // it may be sent without a body
}

// operations are those of the API that take a body, with one field of each.
func (s *siege) operations() (all []operation) {
	s.t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Required bool `json:"required"`
				Content  map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					} `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{} `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	_, text := s.raw("GET /openapi.json HTTP/1.1\r\nConnection: close\r\nHost: " + s.host + "\r\n\r\n")
	response, err := http.Get(s.url + "/openapi.json") // whole
	if err != nil {
		s.t.Fatal(err, text)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.UnmarshalRead(response.Body, &doc); err != nil {
		s.t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			ref := op.RequestBody.Content["application/json"].Schema.Ref
			for field := range doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")].Properties {
				all = append(all, operation{strings.ToUpper(method), path, field, !op.RequestBody.Required})
				break
			}
		}
	}
	return all
}
