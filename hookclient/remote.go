package hookclient

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The two prefixes are those of the console's tokens. They are looked at so that the more
// dangerous token is not sent by mistake.
const (
	urlEnv   = "AOCTL_URL"   // http://localhost:8765: where a console listens over TCP
	tokenEnv = "AOCTL_TOKEN" // #nosec G101 -- the name of a variable

	askPrefix      = "aoctl_ask_"
	operatorPrefix = "aoctl_op_"

	dialTime = 5 * time.Second // for a connection to a port, which is near
)

// hostsFile names the machine outside of a container, where one is told of it.
var hostsFile = "/etc/hosts"

// address is where the console listens: a socket, or over TCP when port is not 0. Its
// zero value is nowhere. Addresses are bytes and not net types, because package net is not
// linked.
type address struct {
	socket string

	name  string // as the address names the machine
	ip    string // 4 or 16 bytes
	port  int    //
	token string // for asking

	pinned bool // the arguments name it, whatever the environment says
}

func (p address) remote() bool { return p.port != 0 }

// String is how a person knows the address.
func (p address) String() string {
	if p.remote() {
		return p.name + ":" + strconv.Itoa(p.port)
	}
	return p.socket
}

// host is what the console takes for its own name, whatever the machine between calls it. The
// console takes only its own loopback names: another name in the header could be a page's attempt
// to reach it.
func (p address) host() string {
	if p.remote() {
		return "localhost:" + strconv.Itoa(p.port)
	}
	return "localhost"
}

// whereTo finds the console: at socket if that is not empty, else where AOCTL_URL says,
// else at the usual socket. AOCTL_URL does not count beside a socket that was named: the program
// knows what it wants.
func whereTo(socket string) (address, error) {
	if url := os.Getenv(urlEnv); url != "" && socket == "" {
		return remoteAddress(url, urlEnv+"="+strconv.Quote(url), os.Getenv(tokenEnv), tokenEnv)
	}
	path, err := socketPath(socket)
	return address{socket: path}, err
}

// pinnedAddress is the console at the URL of an argument. The token is in the file, or in
// the environment where none is named.
func pinnedAddress(url, tokenFile string) (address, error) {
	token, source := os.Getenv(tokenEnv), tokenEnv
	if tokenFile != "" {
		var err error
		if token, err = readToken(tokenFile); err != nil {
			return address{}, err
		}
		source = tokenFile
	}
	p, err := remoteAddress(url, "--url "+strconv.Quote(url), token, source)
	p.pinned = err == nil
	return p, err
}

// remoteAddress checks url, which came as said, and token, which came from source.
func remoteAddress(url, said, token, source string) (address, error) {
	p, err := parseURL(url, said)
	if err != nil {
		return address{}, err
	}
	if p.token = token; token == "" {
		return address{}, badEnv("a console over TCP is named ("+said+"), but no token for it is in "+source, mintOne)
	}
	if err = checkToken(token, source); err != nil {
		return address{}, err
	}
	p.ip, err = lookUp(p.name)
	return p, err
}

const mintOne = "mint one in the console: r, t, then N"

// checkToken takes a token for asking only, so that nothing else is sent.
func checkToken(token, source string) error {
	switch {
	case strings.HasPrefix(token, operatorPrefix):
		return badEnv(source+" holds an operator token, with which the agent could allow its own calls", "keep it away from agents; a hook takes a token for asking: "+mintOne)
	case !strings.HasPrefix(token, askPrefix) || !onlyPlain(token):
		return badEnv(source+" does not hold a token for asking", mintOne)
	}
	return nil
}

// CheckTokenFile says why a hook could not take its token from path, nil when it could.
// The error wraps ErrInput.
func CheckTokenFile(path string) error {
	token, err := readToken(path)
	if err != nil {
		return err
	}
	return checkToken(token, path)
}

// maxTokenFile bounds a token's file, in bytes.
const maxTokenFile = 4 << 10

// readToken reads the first line of a file that only we can read and write: what anybody
// else could put there is nobody's token. The path is absolute, because a hook runs in
// the project's folder. The mode is looked at on the open file, so it is that of the file that is
// read.
func readToken(path string) (string, error) {
	bad := func(what, hint string) (string, error) { return "", badEnv("the token's file "+path+" "+what, hint) }
	if !filepath.IsAbs(path) {
		return bad("has no absolute path", "name it from the root")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // #nosec G304 -- the user's own argument
	if err != nil {
		if errors.Is(err, syscall.ELOOP) {
			return bad("is a symbolic link", "name the file itself")
		}
		return bad("cannot be read: "+err.Error(), "mint a token for asking in the console (r, t, then N) and write it there")
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return bad("cannot be looked at: "+err.Error(), "")
	case !info.Mode().IsRegular():
		return bad("is "+kindOf(info.Mode()), "name a regular file")
	case owner(info) != os.Geteuid():
		return bad("belongs to user id "+strconv.Itoa(owner(info)), "name a file of yours")
	case info.Mode().Perm()&0o077 != 0:
		return bad("is open to others", "chmod 600 "+path)
	case info.Size() > maxTokenFile:
		return bad("is larger than a token", "it holds one line")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxTokenFile))
	if err != nil {
		return bad("cannot be read: "+err.Error(), "")
	}
	return strings.TrimSpace(string(raw)), nil
}

// CheckURL refuses an address that a hook would not ask. The error wraps ErrInput.
func CheckURL(url string) error {
	_, err := parseURL(url, "--url "+strconv.Quote(url))
	return err
}

// parseURL reads http://NAME:PORT for the few names that mean the machine that we are on
// or, in a container, the one around us: the token goes to nobody else, and nobody who
// can set variables sends questions far away.
//
// https is not taken: nothing here could check a certificate, and over a forwarded port the
// tunnel is what protects.
func parseURL(url, said string) (address, error) {
	bad := badEnv(said+" is not an address such as http://localhost:8765",
		"name localhost, 127.0.0.1, [::1], host.docker.internal or host.containers.internal, with a port; forward one from farther away")
	rest, ok := strings.CutPrefix(url, "http://")
	rest = strings.TrimSuffix(rest, "/")
	colon := strings.LastIndexByte(rest, ':')
	if !ok || colon < 0 {
		return address{}, bad
	}
	name, digits := rest[:colon], rest[colon+1:]
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 || digits[0] == '0' || digits[0] == '+' {
		return address{}, bad
	}
	switch name {
	case "localhost", "127.0.0.1", "[::1]", "host.docker.internal", "host.containers.internal":
		return address{name: name, port: int(port)}, nil
	}
	return address{}, bad
}

// badEnv is an error that whoever set the variable or the flag can mend.
func badEnv(text, hint string) error { return &refusalError{kind: ErrInput, text: text, hint: hint} }

// lookUp finds a name's address. No name server is asked: what it says is anybody's word. In a
// container the name of the machine around it stands in /etc/hosts, where it was started that
// way.
func lookUp(name string) (string, error) {
	switch name {
	case "localhost", "127.0.0.1":
		return "\x7f\x00\x00\x01", nil
	case "[::1]":
		return strings.Repeat("\x00", 15) + "\x01", nil
	}
	raw, err := os.ReadFile(hostsFile)
	if err != nil {
		return "", badEnv("the address of "+name+" cannot be looked up: "+err.Error(), "name the address 127.0.0.1 and forward its port")
	}
	for line := range strings.Lines(string(raw)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		for i := 1; i < len(fields); i++ {
			if strings.EqualFold(fields[i], name) {
				if ip := parseIPv4(fields[0]); ip != "" {
					return ip, nil
				}
			}
		}
	}
	return "", badEnv("this machine does not know "+name, "start the container with --add-host="+name+":host-gateway")
}

// parseIPv4 reads four decimal numbers; "" when s is anything else. Package net would read more
// and costs its start.
func parseIPv4(s string) string {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return ""
	}
	ip := make([]byte, 0, 4)
	for _, p := range parts {
		n, err := strconv.ParseUint(p, 10, 8)
		if err != nil {
			return ""
		}
		ip = append(ip, byte(n))
	}
	return string(ip)
}

// connect dials the console. Over TCP nobody says who is at the other end.
func (p address) connect() (fd, pid int, err error) {
	if !p.remote() {
		fd, pid, err = connect(p.socket)
		return fd, pid, p.explain(err)
	}
	if fd, err = p.dial(); err == nil {
		return fd, 0, nil
	}
	hint := `start one with "aoctl --listen 127.0.0.1:` + strconv.Itoa(p.port) + `", or see to the forwarded port`
	if p.pinned {
		hint += `; this hook asks there only: to change that, run "aoctl install" again`
	}
	text := "no console can be reached at " + p.String() + ": " + err.Error()
	if errors.Is(err, syscall.ECONNREFUSED) {
		text = "no console is listening at " + p.String()
	}
	return -1, 0, &refusalError{kind: ErrNoConsole, text: text, hint: hint, down: true, cause: err}
}

// explain says of a pinned socket that nobody serves what may be wrong: the console that a
// person sees may have another.
func (p address) explain(err error) error {
	var r *refusalError
	if !p.pinned || !errors.As(err, &r) || !errors.Is(err, ErrNoConsole) || r.hint != startOne {
		return err
	}
	told := *r
	told.hint = startOne + `; if one is open, it listens elsewhere, and this hook asks nowhere else: ` +
		`run "aoctl install" again as that console was started, or start it with --socket ` + p.socket
	return &told
}

// dial connects to the address and returns the descriptor, which does not block. It waits no
// longer than dialTime. Nagle's delay is switched off: each request is one write and waits for
// its answer.
func (p address) dial() (int, error) {
	var to syscall.Sockaddr
	family := syscall.AF_INET
	if len(p.ip) == 16 {
		family, to = syscall.AF_INET6, &syscall.SockaddrInet6{Port: p.port, Addr: [16]byte([]byte(p.ip))}
	} else {
		to = &syscall.SockaddrInet4{Port: p.port, Addr: [4]byte([]byte(p.ip))}
	}
	fd, err := newSocket(family)
	if err != nil {
		return -1, err
	}
	err = syscall.Connect(fd, to)
	if errors.Is(err, syscall.EINPROGRESS) {
		err = syscall.ETIMEDOUT
		if writable(fd, dialTime) {
			err = socketError(fd)
		}
	}
	if err == nil {
		err = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	}
	if err != nil {
		_ = syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

// socketError is how a connection attempt ended.
func socketError(fd int) error {
	code, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ERROR)
	if err == nil && code != 0 {
		err = syscall.Errno(code) // #nosec G115 -- error numbers are small
	}
	return err
}

// starting reports whether a console is just coming up there. Over TCP nothing tells.
func (p address) starting(fresh time.Duration) bool { return !p.remote() && starting(p.socket, fresh) }
