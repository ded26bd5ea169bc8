package remote_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

var test = remote.Provider{Name: "test", BaseURL: "https://test/"}

// page is what a server says to every request.
type page struct {
	status int
	body   string
}

func (p page) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: p.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(p.body)), Request: r}, nil
}

// server is one that answers as rt does.
func server(t *testing.T, rt http.RoundTripper) *remote.Server {
	t.Helper()
	s, err := remote.New(test, remote.Options{Model: "test-1", Retries: -1, HTTPClient: &http.Client{Transport: rt}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// errorAnswer reads every answer as an error.
type errorAnswer struct{ remote.Reading }

func (*errorAnswer) Event(data []byte) (bool, error) { return false, remote.StreamError(data) }
func (*errorAnswer) Whole(data []byte) error         { return remote.StreamError(data) }
func (*errorAnswer) Reply() (model.Reply, error)     { return model.Reply{}, nil }
func (*errorAnswer) Usage() model.Usage              { return model.Usage{} }

func TestErrorsAreReadInTheFormsThatServersHave(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   model.Kind
		detail string
	}{
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, model.Denied, "API key not valid. Please pass a valid API key."},
		{400, `{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`, model.TooLong, "The input token count (9) exceeds the maximum number of tokens allowed (8)."},
		{400, `{"error":{"message":"This exceeds the model's Context Window."}}`, model.TooLong, "This exceeds the model's Context Window."},
		{400, `{"object":"error","message":"This model's maximum context length is 8 tokens.","code":400}`, model.TooLong, "This model's maximum context length is 8 tokens."},
		{400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"too big"}}`, model.TooLong, "too big"},
		{400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"prompt is too long","provider_name":"x"}}}`, model.TooLong, "Provider returned error: prompt is too long"},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"too large"}}`, model.TooLong, "too large"},
		{404, `{"error":"model 'x' not found"}`, model.Rejected, "model 'x' not found"},
		{400, `{"error":{"message":"no","code":"invalid_api_key"}}`, model.Denied, "no"},
		{400, `{"error":{"message":"no","code":"request_too_large"}}`, model.TooLong, "no"},
		{400, `{"error":"a proxy's"}`, model.Rejected, "a proxy's"},
		{422, `{"detail":"wrong"}`, model.Rejected, "wrong"},
		{418, `{"error":{"code":"teapot"}}`, model.Rejected, "teapot"},
		{204, ``, model.Rejected, "204 No Content"},
		{403, `{"type":"error","error":{"type":"permission_error","message":"no","details":{"error_code":"user_profile_not_billable"}}}`, model.Denied, "no"},
		{402, `{"type":"error","error":{"type":"billing_error","message":"no funds"}}`, model.RateLimited, "no funds"},
		{429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, model.RateLimited, "You exceeded your current quota"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"no","details":{"error_code":"billing_error"}}}`, model.RateLimited, "no"},
		{502, `<html><title>502 Bad Gateway</title></html>`, model.Unavailable, "502 Bad Gateway"},
		{500, `plain words`, model.Unavailable, "plain words"},
		{503, ``, model.Unavailable, "503 Service Unavailable"},
		{529, ``, model.Unavailable, "529"},
		{408, `{"error":{"type":"timeout_error","message":"late"}}`, model.Unavailable, "late"},
	} {
		_, err := server(t, page{c.status, c.body}).Generate(t.Context(), "x", nil, &errorAnswer{})
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Detail != c.detail || e.Provider != "test" {
			t.Errorf("%d %s: %v", c.status, c.body, err)
		}
	}
}

func TestAnErrorInAnAnswerHasTheKindOfItsNames(t *testing.T) {
	for kind, names := range map[model.Kind][]string{
		model.RateLimited: {"429", "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "RESOURCE_EXHAUSTED", "402", "billing_error"},
		model.Denied:      {"401", "authentication_error", "invalid_api_key", "UNAUTHENTICATED", "403", "permission_error", "PERMISSION_DENIED"},
		model.TooLong:     {"413", "request_too_large", "context_length_exceeded", "string_above_max_length"},
		model.Rejected:    {"404", "not_found_error", "400", "invalid_request_error", "INVALID_ARGUMENT"},
		model.Unavailable: {"500", "502", "503", "529", "server_error", "api_error", "internal_error", "overloaded_error", "timeout_error", "UNAVAILABLE"},
		model.Broken:      {"who_knows", "200"},
	} {
		for _, name := range names {
			for _, form := range []string{
				`{"error":{"message":"it is so","code":"%"}}`, `{"error":{"message":"it is so","status":"%"}}`,
				`{"type":"error","error":{"type":"%","message":"it is so"}}`, `{"message":"it is so","code":"%"}`,
			} {
				body := strings.Replace(form, "%", name, 1)
				_, err := server(t, page{http.StatusOK, "data: " + body + "\n\n"}).Generate(t.Context(), "x", nil, &errorAnswer{})
				var e *model.Error
				if !errors.As(err, &e) || e.Kind != kind || e.Detail != "it is so" {
					t.Errorf("%s: %v, want %s", body, err, kind)
				}
			}
		}
	}
}

func TestTheWordsOfARefusalTellItsKind(t *testing.T) {
	for kind, phrases := range map[model.Kind][]string{
		model.TooLong: {
			"prompt is too long", "maximum context length", "context window", "context length", "context size", "context limit", "input is too long",
			"exceeds the maximum number of tokens", "too many tokens",
		},
		model.RateLimited: {"your quota", "insufficient credits", "credit balance", "spend limit"},
		model.Denied:      {"Invalid API key", "API key not valid", "Incorrect API key"},
		model.Rejected:    {"a wrong field", ""},
	} {
		for _, phrase := range phrases {
			_, err := server(t, page{http.StatusBadRequest, `{"error":{"message":"So: ` + phrase + `."}}`}).Generate(t.Context(), "x", nil, &errorAnswer{})
			if model.KindOf(err) != kind {
				t.Errorf("%q: %v, want %s", phrase, err, kind)
			}
		}
	}
}
