package otlp

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The form of OTLP in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

type exportRequest struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scopeSpans struct {
	Scope scope      `json:"scope"`
	Spans []wireSpan `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type wireSpan struct {
	TraceID      string      `json:"traceId"`
	SpanID       string      `json:"spanId"`
	ParentSpanID string      `json:"parentSpanId,omitempty"`
	Name         string      `json:"name"`
	Kind         int         `json:"kind"`
	Start        string      `json:"startTimeUnixNano"`
	End          string      `json:"endTimeUnixNano"`
	Attributes   []attribute `json:"attributes"`
	Status       status      `json:"status,omitzero"`
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value has one of both; a number is a text in JSON.
type value struct {
	String *string `json:"stringValue,omitempty"`
	Int    string  `json:"intValue,omitempty"`
}

type status struct {
	Code int `json:"code"`
}

// Of spans.
const (
	internalKind = 1
	clientKind   = 3
	errorStatus  = 2
)

func text(key, value string) attribute { return attribute{key, valueOf(value)} }

func valueOf(text string) value { return value{String: &text} }

func number(key string, n int64) attribute {
	return attribute{key, value{Int: strconv.FormatInt(n, 10)}}
}

// given are the attributes that say something.
func given(all ...attribute) []attribute {
	some := []attribute{}
	for _, a := range all {
		if a.Value.Int != "" && a.Value.Int != "0" || a.Value.String != nil && *a.Value.String != "" {
			some = append(some, a)
		}
	}
	return some
}

func (x *Exporter) request(some []span) exportRequest {
	spans := make([]wireSpan, 0, len(some))
	for _, s := range some {
		w := wireSpan{
			TraceID: hex.EncodeToString(s.Trace[:]), SpanID: hex.EncodeToString(s.ID[:]), Name: s.name, Kind: s.kind,
			Start: nanoseconds(s.start), End: nanoseconds(s.end), Attributes: s.attributes,
		}
		if s.parent != [8]byte{} {
			w.ParentSpanID = hex.EncodeToString(s.parent[:])
		}
		if s.failed {
			w.Status.Code = errorStatus
		}
		spans = append(spans, w)
	}
	return exportRequest{[]resourceSpans{{
		Resource:   resource{given(text("service.name", "lineclear"), text("service.version", x.options.Version))},
		ScopeSpans: []scopeSpans{{Scope: scope{"lineclear", x.options.Version}, Spans: spans}},
	}}}
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// rejectedOf is how many spans an answer says were not taken.
func rejectedOf(answer []byte) int {
	var said struct {
		PartialSuccess struct {
			RejectedSpans jsontext.Value `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &said) != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(said.PartialSuccess.RejectedSpans))
	return max(n, 0)
}
