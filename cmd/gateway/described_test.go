package main

import (
	"net/http"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/httpapi/apitest"
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
