package hookclient

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// listenTCP is a fake broker at a port.
func listenTCP(t *testing.T, steps ...step) (b *fakeBroker, port string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	b = &fakeBroker{ln: ln, requests: make(chan heard, 100), steps: steps, conns: map[net.Conn]bool{}}
	b.wg.Add(1)
	go b.accept()
	t.Cleanup(b.kill)
	_, port, err = net.SplitHostPort(ln.Addr().String())
	must(t, err)
	return b, port
}

func TestAsksOverTCP(t *testing.T) {
	wait := reply(202, `{"request_id":"r-1","status":"pending"}`+"\n")
	hosts := filepath.Join(t.TempDir(), "hosts")
	must(t, os.WriteFile(hosts, []byte("::1 host.docker.internal\n# 192.0.2.1 host.docker.internal\n127.0.0.1\tx Host.Docker.Internal # y\n"), 0o600))
	hostsFile = hosts
	t.Cleanup(func() { hostsFile = "/etc/hosts" })
	for _, name := range []string{"localhost", "127.0.0.1", "host.docker.internal"} {
		b, port := listenTCP(t, wait, reply(200, allow))
		t.Setenv("AOCTL_URL", "http://"+name+":"+port)
		t.Setenv("AOCTL_TOKEN", "aoctl_ask_secret")
		t.Setenv("AOCTL_SOCKET", "/nowhere") // the address comes first
		if got := runWith(t, &hook{}, "claude"); got != (outcome{0, allow, ""}) {
			t.Fatalf("%s: got %+v", name, got)
		}
		for range 2 {
			r := <-b.requests
			if token, _ := shown(r); token != "aoctl_ask_secret" || r.host != "localhost:"+port {
				t.Errorf("%s: the broker heard %s %v", name, r.host, r.header)
			}
		}
	}
}

// A flag beats the address, and what is asked over a socket carries no token.
func TestSocketFlagComesFirst(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	t.Setenv("AOCTL_URL", "http://localhost:1")
	t.Setenv("AOCTL_TOKEN", "aoctl_ask_secret")
	if got := runWith(t, &hook{}, "--socket", b.socket, "claude"); got != (outcome{0, allow, ""}) {
		t.Fatalf("got %+v", got)
	}
	if r := <-b.requests; r.header.Get("Authorization") != "" {
		t.Errorf("the token went to the socket")
	}
}

// hostileEnvironment is what a repository's settings may set for the hook.
func hostileEnvironment(t *testing.T, url string) {
	t.Helper()
	t.Setenv("AOCTL_URL", url)
	t.Setenv("AOCTL_TOKEN", "aoctl_ask_theirs")
	for _, name := range []string{"AOCTL_SOCKET", "AOCTL_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"} {
		t.Setenv(name, "/theirs")
	}
	t.Setenv(timeoutEnv, "86400")
}

// With a console named in the arguments, no variable says where to ask or for how long.
func TestPinnedBeatsTheEnvironment(t *testing.T) {
	deny := strings.Replace(allow, `"allow"`, `"deny"`, 1)
	theirs, port := listenTCP(t, reply(200, allow))
	hostileEnvironment(t, "http://localhost:"+port)
	ours := newBroker(t, reply(200, deny))
	if got := runWith(t, &hook{}, "claude", "--socket", ours.socket); got.stdout != deny {
		t.Fatalf("over the socket: %+v", got)
	}
	r := <-ours.requests
	if ms, err := strconv.Atoi(r.header.Get(HeaderTimeoutMS)); r.header.Get("Authorization") != "" || err != nil || ms > 600_000 {
		t.Errorf("the environment came through: %v", r.header)
	}

	tcp, own := listenTCP(t, reply(200, deny), reply(200, deny))
	token := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(token, []byte("aoctl_ask_mine\n"), 0o600))
	if got := runWith(t, &hook{}, "--url=http://127.0.0.1:"+own, "claude", "--token-file", token); got.stdout != deny {
		t.Fatalf("over TCP: %+v", got)
	}
	if token, _ := shown(<-tcp.requests); token != "aoctl_ask_mine" {
		t.Errorf("not the file's token: %q", token)
	}
	if got := runWith(t, &hook{}, "--url", "http://127.0.0.1:"+own, "claude"); got.stdout != deny {
		t.Fatalf("over TCP, without a file: %+v", got)
	}
	if token, _ := shown(<-tcp.requests); token != "aoctl_ask_theirs" {
		t.Errorf("not the variable's token: %q", token)
	}
	if len(theirs.requests) > 0 {
		t.Error("the server that the environment names was asked")
	}
	// The control: without an argument it would have been.
	if got := runWith(t, &hook{}, "claude"); got.stdout != allow {
		t.Errorf("without arguments: %+v", got)
	}
}

// A pinned socket without a console: the reason names it, and what to do when the console
// that a person sees has another.
func TestPinnedWithoutConsole(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	got := runWith(t, &hook{}, "claude", "--socket", socket)
	wantRefused(t, got, "no console is listening: "+socket+" does not exist")
	for _, words := range []string{`run "aoctl install" again`, "start it with --socket " + socket} {
		if !strings.Contains(got.stderr, words) {
			t.Errorf("%q is not said: %s", words, got.stderr)
		}
	}
	t.Setenv("AOCTL_SOCKET", socket)
	if got = runWith(t, &hook{}, "claude"); strings.Contains(got.stderr, "install") {
		t.Errorf("said of an unpinned hook: %s", got.stderr)
	}
}

// A token comes from a file that nobody else can write, or not at all.
func TestTokenFile(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), mode))
		must(t, os.Chmod(path, mode))
		return path
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	must(t, os.Symlink(file("good", "aoctl_ask_secret\n", 0o600), link))
	must(t, syscall.Mkfifo(pipe, 0o600))
	t.Setenv("AOCTL_TOKEN", "aoctl_ask_secret") // no way out
	for path, says := range map[string]string{
		file("open", "aoctl_ask_secret", 0o644):                  "is open to others; chmod 600 ",
		file("group", "aoctl_ask_secret", 0o660):                 "is open to others",
		file("operator", "aoctl_op_secret", 0o600):               "could allow its own calls",
		file("empty", "", 0o600):                                 "no token for it is in " + dir,
		file("two", "aoctl_ask_secret\nHost: x", 0o600):          "does not hold a token for asking",
		file("long", strings.Repeat("a", maxTokenFile+1), 0o600): "larger than a token",
		link:                       "is a symbolic link",
		pipe:                       "is a FIFO",
		dir:                        "is a folder",
		filepath.Join(dir, "none"): "no such file",
		"good":                     "has no absolute path",
	} {
		got := runWith(t, &hook{}, "claude", "--url", "http://localhost:8765", "--token-file", path)
		if got.code != exitRefused || got.stdout != "" || !strings.Contains(got.stderr, says) || strings.Contains(got.stderr, "secret") {
			t.Errorf("%s: %+v, want %q", path, got, says)
		}
	}
	if token, err := readToken(filepath.Join(dir, "good")); token != "aoctl_ask_secret" || err != nil {
		t.Errorf("got %q, %v", token, err)
	}
}

// Whatever is wrong with the address or the token refuses the call.
func TestRemoteFailuresRefuse(t *testing.T) {
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	dead := "http://" + unused.Addr().String()
	must(t, unused.Close())
	hostsFile = filepath.Join(t.TempDir(), "none")
	t.Cleanup(func() { hostsFile = "/etc/hosts" })
	const token = "aoctl_ask_secret"
	for _, tc := range []struct{ url, token, says string }{
		{dead, token, "no console is listening at 127.0.0.1:"},
		{"http://localhost:8765", "", "no token for it is in AOCTL_TOKEN"},
		{"http://localhost:8765", "aoctl_op_secret", "could allow its own calls"},
		{"http://localhost:8765", "secret", "does not hold a token for asking"},
		{"http://localhost:8765", "aoctl_ask_x\r\nHost: evil", "does not hold a token for asking"},
		{"http://host.docker.internal:8765", token, "cannot be looked up"},
		{"localhost:8765", token, "is not an address"},
		{"https://localhost:8765", token, "is not an address"},
		{"http://localhost", token, "is not an address"},
		{"http://localhost:", token, "is not an address"},
		{"http://localhost:0", token, "is not an address"},
		{"http://localhost:+1", token, "is not an address"},
		{"http://localhost:99999", token, "is not an address"},
		{"http://localhost:8765/x", token, "is not an address"},
		{"http://a@localhost:8765", token, "is not an address"},
		{"http://evil.example:8765", token, "is not an address"},
		{"http://192.0.2.1:8765", token, "is not an address"},
		{"http://127.0.0.1.evil.example:8765", token, "is not an address"},
		{" ", token, "is not an address"},
	} {
		t.Setenv("AOCTL_URL", tc.url)
		t.Setenv("AOCTL_TOKEN", tc.token)
		got := runWith(t, &hook{}, "claude")
		if got.code != exitRefused || got.stdout != "" || !strings.Contains(got.stderr, tc.says) {
			t.Errorf("%q: %+v, want %q", tc.url, got, tc.says)
		}
		if tc.token != "" && strings.Contains(got.stderr, "secret") {
			t.Errorf("%q: the reason tells the token: %s", tc.url, got.stderr)
		}
		t.Setenv("AOCTL_URL", "")
		if pinned := runWith(t, &hook{}, "claude", "--url="+tc.url); pinned.code != exitRefused || !strings.Contains(pinned.stderr, tc.says) {
			t.Errorf("--url %q: %+v, want %q", tc.url, pinned, tc.says)
		}
	}
}

// What is no console answers at the port: no word of it lets the call run.
func TestForeignServersAtThePort(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing": "", "html": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}",
		"redirect":     "HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n",
		"no protocol":  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{}\n",
		"unauthorized": "HTTP/1.1 401 Unauthorized\r\nAoctl-Protocol: 1\r\nContent-Type: application/json\r\nContent-Length: 57\r\n\r\n{\"error\":{\"code\":\"bad_token\",\"message\":\"no such token.\"}}\n",
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				if _, err = http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = c.Write([]byte(answer))
				}
				_ = c.Close()
			}
		}()
		t.Setenv("AOCTL_URL", "http://"+ln.Addr().String())
		t.Setenv("AOCTL_TOKEN", "aoctl_ask_secret")
		got := runWith(t, &hook{}, "claude")
		if got.code != exitRefused || got.stdout != "" || got.stderr == "" {
			t.Errorf("%s: %+v", name, got)
		}
		_ = ln.Close()
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"http://localhost:8765", "http://[::1]:1", "http://host.docker.internal:80/", "http://localhost:8765#@evil:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parseURL(s, "AOCTL_URL")
		if err != nil {
			if p != (address{}) {
				t.Errorf("%q: an error and %+v", s, p)
			}
			return
		}
		if want := "http://" + p.name + ":" + strconv.Itoa(p.port); s != want && s != want+"/" {
			t.Errorf("%q was read as %s", s, want)
		}
	})
}
