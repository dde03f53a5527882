package hookclient

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	urlEnv   = "AOCTL_URL"   // http://localhost:8765: where a console listens over TCP
	tokenEnv = "AOCTL_TOKEN" // #nosec G101 -- the name of a variable

	askPrefix      = "aoctl_ask_"
	operatorPrefix = "aoctl_op_"

	dialTime = 5 * time.Second // for a connection to a port, which is near
)

// hostsFile names the machine outside of a container, where one is told of it.
var hostsFile = "/etc/hosts"

// place is where the console listens: a socket, or over TCP when port is not 0. Its
// zero value is nowhere.
type place struct {
	socket string

	name  string // as the address names the machine
	ip    string // 4 or 16 bytes
	port  int    //
	token string // for asking
}

func (p place) remote() bool { return p.port != 0 }

// String is how a person knows the place.
func (p place) String() string {
	if p.remote() {
		return p.name + ":" + strconv.Itoa(p.port)
	}
	return p.socket
}

// host is what the console takes for its own name, whatever the machine between calls it.
func (p place) host() string {
	if p.remote() {
		return "localhost:" + strconv.Itoa(p.port)
	}
	return "localhost"
}

// whereTo finds the console: at socket if that is not empty, else where AOCTL_URL says,
// else at the usual socket.
func whereTo(socket string) (place, error) {
	if url := os.Getenv(urlEnv); url != "" && socket == "" {
		return remotePlace(url)
	}
	path, err := socketPath(socket)
	return place{socket: path}, err
}

func remotePlace(url string) (place, error) {
	p, err := parseURL(url)
	if err != nil {
		return place{}, err
	}
	p.token = os.Getenv(tokenEnv)
	const mint = "mint one in the console: r, t, then N"
	switch {
	case p.token == "":
		return place{}, badEnv(urlEnv+" is set, but no token for it is in "+tokenEnv, mint)
	case strings.HasPrefix(p.token, operatorPrefix):
		return place{}, badEnv(tokenEnv+" holds an operator token, with which the agent could allow its own calls", "keep it away from agents; a hook takes a token for asking: "+mint)
	case !strings.HasPrefix(p.token, askPrefix) || !onlyPlain(p.token):
		return place{}, badEnv(tokenEnv+" does not hold a token for asking", mint)
	}
	p.ip, err = lookUp(p.name)
	return p, err
}

// parseURL reads http://NAME:PORT for the few names that mean the machine that we are on
// or, in a container, the one around us: the token goes to nobody else, and nobody who
// can set variables sends questions far away.
func parseURL(url string) (place, error) {
	bad := badEnv(urlEnv+"="+strconv.Quote(url)+" is not an address such as http://localhost:8765",
		"name localhost, 127.0.0.1, [::1], host.docker.internal or host.containers.internal, with a port; forward one from farther away")
	rest, ok := strings.CutPrefix(url, "http://")
	rest = strings.TrimSuffix(rest, "/")
	colon := strings.LastIndexByte(rest, ':')
	if !ok || colon < 0 {
		return place{}, bad
	}
	name, digits := rest[:colon], rest[colon+1:]
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 || digits[0] == '0' || digits[0] == '+' {
		return place{}, bad
	}
	switch name {
	case "localhost", "127.0.0.1", "[::1]", "host.docker.internal", "host.containers.internal":
		return place{name: name, port: int(port)}, nil
	}
	return place{}, bad
}

func badEnv(text, hint string) error { return &refusalError{kind: ErrInput, text: text, hint: hint} }

// lookUp finds a name's address. No name server is asked: what it says is anybody's word.
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
func (p place) connect() (fd, pid int, err error) {
	if !p.remote() {
		return connect(p.socket)
	}
	if fd, err = p.dial(); err == nil {
		return fd, 0, nil
	}
	hint := `start one with "aoctl --listen 127.0.0.1:` + strconv.Itoa(p.port) + `", or see to the forwarded port`
	text := "no console can be reached at " + p.String() + ": " + err.Error()
	if errors.Is(err, syscall.ECONNREFUSED) {
		text = "no console is listening at " + p.String()
	}
	return -1, 0, &refusalError{kind: ErrNoConsole, text: text, hint: hint, cause: err}
}

func (p place) dial() (int, error) {
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
func (p place) starting(fresh time.Duration) bool { return !p.remote() && starting(p.socket, fresh) }
