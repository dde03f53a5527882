package main

import (
	"net"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

func falsely(r reply) func(w *world) error { return func(w *world) error { return w.falsely(r) } }

// wait is the answer that makes a client ask again.
var wait = answer{status: "202 Accepted", body: `{"request_id":"r-1"}` + "\n"}

// moreWait is the same with a day more each time.
var moreWait = answer{status: "202 Accepted", body: `{"request_id":"r-1","wait_ms":86400000}` + "\n"}

// answers are consoles that say something else than an answer. Wherever there is room for
// it, they try to get an allow across.
func answers() []fault {
	const page = "<html><body>Sign in to the hotel's network</body></html>\n"
	bad := []string{"the console's answer cannot be used"}
	list := []fault{
		{name: "junk", prepare: falsely(text("\x00\xff\xfe\x1b]0;junk\x07" + allowed))},
		{name: "an allow without HTTP", prepare: falsely(text(allowed))},
		{name: "an empty 200", prepare: falsely(answer{}.reply)},
		{name: "HTML", prepare: falsely(answer{contentType: "text/html", body: page}.reply)},
		{name: "HTML from another server", prepare: falsely(text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 57\r\n\r\n" + page))},
		{name: "500 and HTML", prepare: falsely(answer{status: "500 Internal Server Error", contentType: "text/html", body: page}.reply)},
		{name: "500 and an allow", prepare: falsely(answer{status: "500 Internal Server Error", body: allowed}.reply)},
		{name: "204, nothing", prepare: falsely(answer{status: "204 No Content"}.reply)},
		{name: "302, elsewhere", prepare: falsely(answer{status: "302 Found", extra: "Location: http://127.0.0.1/allow\r\n", body: allowed}.reply)},
		{name: "truncated JSON", prepare: falsely(answer{body: allowed[:len(allowed)/2]}.reply)},
		{name: "JSON and a second document", prepare: falsely(answer{body: strings.TrimSpace(allowed) + allowed}.reply)},
		{name: "bytes after the answer", prepare: falsely(answer{body: allowed, then: allowed}.reply)},
		{name: "a JSON array", prepare: falsely(answer{body: "[" + strings.TrimSpace(allowed) + "]\n"}.reply)},
		{name: "null", prepare: falsely(answer{body: "null\n"}.reply)},
		{name: "an answer for another call", prepare: falsely(answer{correlation: "01a00000-0000-7000-8000-00000000dead", body: allowed}.reply)},
		{name: "two lengths", prepare: falsely(answer{extra: "Content-Length: 2\r\n", body: allowed}.reply)},
		{name: "a chunked answer", prepare: falsely(answer{extra: "Transfer-Encoding: chunked\r\n", body: allowed}.reply)},
		{name: "plain text that is an allow", prepare: falsely(answer{contentType: "text/plain", body: allowed}.reply)},
		{name: "an answer of 2 GiB", prepare: falsely(answer{length: 1<<31 - 1, body: allowed}.reply)},
		{name: "wait, and no id", prepare: falsely(answer{status: "202 Accepted", body: "{}\n"}.reply)},
		{name: "endless headers", prepare: falsely(forever("HTTP/1.1 200 OK\r\n", "X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 0))},
	}
	for i := range list {
		list[i].words = bad
	}
	return append(list, timely()...)
}

// timely are answers whose fault is when they come, or that they do not.
func timely() []fault {
	head := func(more string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + wire.HeaderProtocol + ": " + wire.Version + "\r\n" +
			wire.HeaderCorrelation + ": CORRELATION\r\n" + more + "\r\n"
	}
	again := []string{"again and again without an answer"}
	return []fault{
		{name: "another protocol", words: []string{`the console speaks protocol "99"`, "same release"}, prepare: falsely(answer{protocol: "99", body: allowed}.reply)},
		{name: "500 and words of its own", words: []string{"the disk is on fire"}, prepare: falsely(answer{status: "500 Internal Server Error", body: `{"error":{"code":"x","message":"the disk is on fire"}}` + "\n"}.reply)},
		{name: "an answer cut off", prepare: falsely(answer{length: len(allowed), body: allowed[:len(allowed)-2]}.hangUp)},
		{name: "closing at once", prepare: falsely(text(""))},
		{name: "closing at once, for longer", words: again, prepare: falsely(text("")), timeout: 6 * time.Second, slow: true},
		{name: "silence", words: []string{"does not answer"}, prepare: falsely(silent)},
		{name: "an endless body", prepare: falsely(forever(head("Content-Length: 1000000\r\n"), " ", time.Millisecond))},
		{name: "a slow drip", prepare: falsely(drip)},
		{name: "wait, for ever", prepare: falsely(wait.reply)},
		{name: "wait, with a day more each time", prepare: falsely(moreWait.reply), more: moreTime},
		{name: "wait, then an allow for another call", prepare: falsely(func(c net.Conn, q question) error {
			if strings.HasSuffix(q.path, "/r-1") {
				return answer{correlation: "01a00000-0000-7000-8000-00000000dead", body: allowed}.reply(c, q)
			}
			return wait.reply(c, q)
		})},
		{name: "100 Continue, for ever", prepare: falsely(forever("", "HTTP/1.1 100 Continue\r\n\r\n", time.Millisecond))},
	}
}
