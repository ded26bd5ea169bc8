package main

import (
	"net/http"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/httpapi/apitest"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

// description is that of the API, which every answer to a test's browser is held against.
var description = sync.OnceValue(func() *apitest.Checker {
	server, client, journal := wsapprover.Schema()
	api := &httpapi.Server{Backend: httpapi.Backend{Frames: httpapi.Frames{Server: server, Client: client, Journal: journal}}}
	raw, err := api.OpenAPI().MarshalJSON()
	if err != nil {
		panic(err)
	}
	checker, err := apitest.New(raw)
	if err != nil {
		panic(err)
	}
	return checker
})

// asDescribed holds answers against the description.
type asDescribed struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (d asDescribed) RoundTrip(r *http.Request) (*http.Response, error) {
	return description().Transport(d.next).RoundTrip(r)
}

// reportMisfits fails a test if an answer so far is not described.
func reportMisfits(t *testing.T) {
	t.Cleanup(func() {
		for _, misfit := range description().Misfits() {
			t.Error(misfit)
		}
	})
}

func TestTheProgramDescribesItsDoors(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	var api struct {
		Paths map[string]tool.JSON `json:"paths"`
	}
	if err := p.request(http.MethodGet, "/openapi.json", struct{}{}, &api); err != nil || api.Paths["/api/approvals/{id}"] == nil {
		t.Errorf("%d paths, %v", len(api.Paths), err)
	}
	var socket struct {
		Channels   map[string]tool.JSON `json:"channels"`
		Components struct {
			Messages map[string]tool.JSON `json:"messages"`
		} `json:"components"`
	}
	err := p.request(http.MethodGet, "/asyncapi.json", struct{}{}, &socket)
	if err != nil || socket.Channels["socket"] == nil || socket.Components.Messages["server.sessionEvent"] == nil {
		t.Errorf("%d messages, %v", len(socket.Components.Messages), err)
	}
}
