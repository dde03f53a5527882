package spans

import (
	"encoding/json"
	"strconv"
	"time"
)

// The messages of OTLP 1.x as JSON: its ids are hex, its 64-bit numbers are texts.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
type (
	traces struct {
		Resources []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource resource     `json:"resource"`
		Scopes   []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
		Status     *status     `json:"status,omitempty"`
	}
	status struct {
		Code int `json:"code"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	textValue struct {
		Text string `json:"stringValue"`
	}
	wholeValue struct {
		Whole string `json:"intValue"`
	}
	yesValue struct {
		Yes bool `json:"boolValue"`
	}

	// answer is what a collector says to a request that it took, at least in part.
	answer struct {
		Partial struct {
			Rejected json.Number `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
)

const (
	internal = 1 // the kind of a span
	failed   = 2 // the code of a status
)

func text(key, v string) attribute     { return attribute{key, textValue{v}} }
func yes(key string, v bool) attribute { return attribute{key, yesValue{v}} }
func whole(key string, v int64) attribute {
	return attribute{key, wholeValue{strconv.FormatInt(v, 10)}}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
