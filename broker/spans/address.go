package spans

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Address is where a collector takes spans. Its zero value is none.
type Address struct{ url string }

// tracesPath is what a collector has its spans at.
const tracesPath = "/v1/traces"

// ParseAddress reads a collector's address, such as http://localhost:4318; the path of spans is
// added. The errors are sentences' ends.
func ParseAddress(s string) (Address, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return Address{}, errors.New("is no address that begins with http:// or https://")
	case u.User != nil:
		return Address{}, errors.New("has a password in it, which every process of the machine could read")
	case u.RawQuery != "" || u.Fragment != "":
		return Address{}, errors.New("has more than a path behind its host")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if !strings.HasSuffix(u.Path, tracesPath) {
		u.Path += tracesPath
	}
	return Address{u.String()}, nil
}

// String is the whole address.
func (a Address) String() string { return a.url }

// None reports whether there is no address.
func (a Address) None() bool { return a.url == "" }

// ParseHeaders reads what OTEL_EXPORTER_OTLP_HEADERS has: names and values, as key1=value1,key2=value2,
// with values percent-encoded. The errors show no value, which may be a secret.
func ParseHeaders(s string) (http.Header, error) {
	h := http.Header{}
	for n, pair := range strings.Split(s, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" || strings.Trim(name, nameRunes) != "" || strings.ContainsFunc(value, control) {
			return nil, fmt.Errorf("header %d is no name=value", n+1)
		}
		h.Set(name, value)
	}
	return h, nil
}

// nameRunes are those of a header's name.
const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

func control(r rune) bool { return r < ' ' || r == 0x7f }
