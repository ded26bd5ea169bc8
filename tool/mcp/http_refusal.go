package mcp

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A call may be sent again only if the server has refused it without looking at
// it. That is known of one request alone: the one that carried the call.

// isFirstPost counts what is posted for a call, and reports whether this is the
// first of it.
func isFirstPost(req *http.Request) bool {
	f := inflightOf(req.Context())
	return f != nil && req.Method == http.MethodPost && f.posts.Add(1) == 1
}

// messageOf is what a request of ours carries.
func messageOf(req *http.Request) (jsonrpc.Message, error) {
	if req.GetBody == nil {
		return nil, http.ErrMissingFile
	}
	r, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return jsonrpc.DecodeMessage(data)
}

func isCall(req *http.Request) bool {
	m, err := messageOf(req)
	if err != nil {
		return false
	}
	r, ok := m.(*jsonrpc.Request)
	return ok && r.Method == "tools/call"
}

// sessionUnknown is the code by which many servers say that they don't know a
// session.
const sessionUnknown = -32001

// isRefusal reports whether a 404 says that the server does not know the session,
// and no more: it is no result, and no error of what the call did. The body can
// be read again.
func isRefusal(resp *http.Response) bool {
	if kindOf(resp) == "text/event-stream" {
		return false
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxLine*32))
	resp.Body = &read{Reader: bytes.NewReader(data), Closer: resp.Body}
	if err != nil {
		return false
	}
	var m struct {
		Result jsontext.Value `json:"result"`
		Error  jsontext.Value `json:"error"`
	}
	if jsontext.Value(data).Kind() != '{' {
		return jsontext.Value(data).Kind() != '['
	}
	if err := json.Unmarshal(data, &m); err != nil || len(m.Result) > 0 {
		return false
	}
	var told struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	if len(m.Error) == 0 || m.Error.Kind() != '{' {
		return true
	}
	err = json.Unmarshal(m.Error, &told)
	return err == nil && (told.Code == sessionUnknown || strings.Contains(strings.ToLower(told.Message), "session"))
}

// read is a body of which some was read.
type read struct {
	io.Reader
	io.Closer
}
