package hookclient

import (
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
)

// Attack: another user took the port while the console was closed. It echoes whatever
// header it is sent and allows everything, replays a console's proof, or changes what a
// console said. Nothing of that is taken, and the token is never told.
func TestImpostorAtThePort(t *testing.T) {
	var old string // a console's proof of another answer
	proven := func(status int, body string, spoil ...string) step {
		return func(c net.Conn, r heard) bool {
			var b strings.Builder
			pipe, out := net.Pipe()
			go func() { reply(status, body)(out, r); _ = out.Close() }()
			_, _ = io.Copy(&b, pipe)
			answer := b.String()
			old = prove(r, status, body)
			_, err := io.WriteString(c, strings.NewReplacer(spoil...).Replace(answer))
			return err == nil
		}
	}
	echo := reply(200, allow)
	unproven := func(status int, body string, more ...string) step {
		return func(c net.Conn, r heard) bool {
			auth := r.header.Get("Authorization")
			r.header.Set("Authorization", "") // so that reply proves nothing
			for _, line := range more {
				line = strings.ReplaceAll(strings.ReplaceAll(line, "AUTH", auth), "OLD", strings.TrimSpace(old))
				return reply(status, body, also(line))(c, r)
			}
			return reply(status, body)(c, r)
		}
	}
	long := func(body string) string { return "Content-Length: " + strconv.Itoa(len(body)) }
	deny := strings.Replace(allow, `"allow"`, `"deny"`, 1)
	const refusal = `{"error":{"code":"bad_token","message":"lies","hint":"more lies"}}` + "\n"
	const no = "did not prove to be your console: "
	for _, tc := range []struct {
		name string
		step step
		says string // empty: it is taken
	}{
		{"a console", echo, ""},
		{"a console's bytes", proven(200, allow), ""},
		{"an echo", unproven(200, allow), no + "its answer (status 200) carries no proof"},
		{"an echo of our own proof", unproven(200, allow, "Aoctl-Proof: AUTH"), no + "the proof in its answer (status 200) does not fit"},
		{"an earlier proof", unproven(200, allow, "OLD"), no + "the proof in its answer (status 200) does not fit"},
		{"an empty proof", unproven(200, allow, "Aoctl-Proof:"), no + "its answer (status 200) carries no proof"},
		{"wait", unproven(202, `{"request_id":"r"}`), no + "its answer (status 202) carries no proof"},
		{"its refusal", unproven(401, refusal), no + "it turns the token down (status 401), so it is not your console, or your console does not know this token"},
		{"shutting down", unproven(503, `{"error":{"code":"shutting_down","message":"lies"}}`), no + "its answer (status 503) carries no proof"},
		{"a turned answer", proven(200, deny, `"deny"`, `"allow"`, long(deny), long(allow)), no + "the proof in its answer (status 200) does not fit"},
		{"a cut answer", proven(200, allow+"x", long(allow+"x"), long(allow)), "does not fit"},
		{"another status", proven(202, allow, "HTTP/1.1 202", "HTTP/1.1 200"), "does not fit"},
		{"another request", proven(200, allow, "Content-Type", "Aoctl-Request-Id: x\r\nContent-Type"), "does not fit"},
		{"two proofs", unproven(200, allow, "Aoctl-Proof: 1\r\nAoctl-Proof: 2"), "two aoctl-proof headers"},
	} {
		b, port := listenTCP(t, tc.step)
		t.Setenv("AOCTL_URL", "http://127.0.0.1:"+port)
		t.Setenv("AOCTL_TOKEN", "aoctl_ask_secret")
		got := runWith(t, &hook{}, "claude")
		if tc.says == "" {
			if got != (outcome{0, allow, ""}) {
				t.Errorf("%s: %+v", tc.name, got)
			}
		} else if wantRefused(t, got, tc.says); strings.Contains(got.stderr, "lies") {
			t.Errorf("%s: the impostor's words are told: %s", tc.name, got.stderr)
		}
		r := <-b.requests
		for name, values := range r.header {
			if text := strings.Join(values, " "); strings.Contains(text, "secret") || strings.Contains(text, keyOf("aoctl_ask_secret")) {
				t.Errorf("%s: %s tells the token: %s", tc.name, name, text)
			}
		}
		if t.Failed() {
			t.Logf("in %q", tc.name)
		}
	}
}

// A console whose token is another one proves nothing to us.
func TestOtherTokenProvesNothing(t *testing.T) {
	_, port := listenTCP(t, reply(200, allow))
	t.Setenv("AOCTL_URL", "http://127.0.0.1:"+port)
	t.Setenv("AOCTL_TOKEN", "aoctl_ask_unknown")
	wantRefused(t, runWith(t, &hook{}, "claude"), "carries no proof")
}
