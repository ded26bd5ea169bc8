package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Delivery is what is known of how a call got to a server on HTTP. It may be sent
// again only if the server has refused it without looking at it. That is known of
// one request alone: the first one, that carried the call.
type Delivery struct {
	sent    atomic.Int64 // requests
	refused atomic.Bool
}

type deliveryKey struct{}

// WithDelivery is the context of a call whose delivery is to be known.
func WithDelivery(ctx context.Context) (context.Context, *Delivery) {
	d := &Delivery{}
	return context.WithValue(ctx, deliveryKey{}, d), d
}

// Refused reports whether the call has not run, because the server knows the
// connection no more.
func (d *Delivery) Refused() bool { return d.refused.Load() }

// deliveryOf is nil for a request that is sent for no call.
func deliveryOf(req *http.Request) *Delivery {
	d, _ := req.Context().Value(deliveryKey{}).(*Delivery)
	return d
}

// isFirst counts what is sent for a call, and reports whether this is the first of it.
func (d *Delivery) isFirst() bool { return d != nil && d.sent.Add(1) == 1 }

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
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(data), resp.Body}
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
