package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	_ "github.com/mattn/go-sqlite3" // the driver of cmdSQL
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
)

// waitTime is how long a script waits for a condition before it fails: long, since a busy machine
// is no failure.
const waitTime = 3 * time.Minute

// scriptCommands are the commands that scripts have beside testscript's own:
//
//	exits CODE PROGRAM ARG…      run a program, which must exit with CODE
//	soon DURATION CODE PROGRAM…  run a program, which must exit with CODE in that time
//	answered PROGRAM ARG…        run a program until it exits with 0: one that gives up before a busy console answers
//	bigfile NAME BYTES [TEXT]    write a hook payload of about that size, of TEXT over and over
//	console open [TIMEOUT]       open a console in this process, with a person at it
//	console allow|deny REF WORD… the person decides the waiting call that REF fits (id, tool, or text in the input)
//	console token VAR [ask]      the person mints a token, an operator's or one for asking, which becomes VAR
//	console listen VAR           the console listens over TCP as well, on a port that becomes VAR
//	console trust FILE           the person trusts a project's rules file
//	console stop SESSION         the person stops a session, by name
//	console resume SESSION       the person presses R on a session, by id
//	console refused REF          the person's yes is not taken, because the call has changed
//	console offer REF            what the console would offer as a rule for a waiting call
//	console allowall             the person allows everything from now on
//	console close
//	waitfor console              something answers on the socket
//	waitfor pending N            so many calls wait
//	waitfor session NAME STATUS  a session of that name has that status
//	waitfor turn NAME STATE      the agent of a managed session of that name does that
//	waitfor text FILE TEXT       the file holds the text
//	api METHOD PATH BODY         call the console's API; prints status and answer
//	envfile NAME FILE            set a variable to the first line of a file
//	harmless FILE                the file holds nothing that acts on a terminal or hides there
//	demo start NAME…             start agents of the demo below ./demo
//	demo wait                    wait until they have all ended by themselves
//	demo end                     end the demo under them, and wait
//	sql FILE STATEMENT           change a database behind aoctl's back
//	history DAYS CALLS           record so many decided calls a day, for so many days until today
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":    cmdExits,
	"soon":     cmdSoon,
	"answered": cmdAnswered,
	"bigfile":  cmdBigfile,
	"console":  cmdConsole,
	"waitfor":  cmdWaitfor,
	"api":      cmdAPI,
	"demo":     cmdDemo,
	"envfile":  cmdEnvfile,
	"harmless": cmdHarmless,
	"sql":      cmdSQL,
	"history":  cmdHistory,
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// slack is what a busy machine, and the race detector, may add to a time. What does not come
// soon comes after a timeout of 10 s, that of a hook 10 min, or not at all.
const slack = 7 * time.Second

func cmdSoon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: soon DURATION CODE PROGRAM ARG…")
	}
	most, err := time.ParseDuration(args[0])
	ts.Check(err)
	begun := time.Now()
	cmdExits(ts, false, args[1:])
	took := time.Since(begun)
	ts.Logf("took %v", took.Round(time.Millisecond))
	if took > most+slack {
		ts.Fatalf("it took %v, more than %v and %v for a busy machine", took, most, slack)
	}
}

func cmdAnswered(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: answered PROGRAM ARG…")
	}
	if !eventually(func() bool { return ts.Exec(args[0], args[1:]...) == nil }) {
		ts.Fatalf("%s gave no answer", strings.Join(args, " "))
	}
}

func cmdBigfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: bigfile NAME BYTES [TEXT]")
	}
	text := append(args, "x")[2]
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	payload := `{"session_id":"s-big","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"toolu_big","tool_input":{"command":"` +
		strings.Repeat(text, size/len(text)) + `"}}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(payload), 0o600))
}

func cmdWaitfor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: waitfor console | pending N | session NAME STATUS | turn NAME STATE | text FILE TEXT")
	}
	api := newScriptAPI(ts.Getenv("AOCTL_HOME"))
	var met func() bool
	var last string
	switch {
	case args[0] == "console" && len(args) == 1:
		met = func() bool { return api.get("/sessions", &[]broker.Session{}) == nil }
	case args[0] == "pending" && len(args) == 2:
		met = func() (ok bool) {
			ok, last = api.pending(args[1])
			return ok
		}
	case args[0] == "session" && len(args) == 3:
		met = func() bool {
			var sessions []broker.Session
			err := api.get("/sessions", &sessions)
			last = fmt.Sprintf("%+v, %v", sessions, err)
			return err == nil && hasSession(sessions, args[1], args[2])
		}
	case args[0] == "turn" && len(args) == 3:
		met = func() bool {
			var sessions []broker.Session
			err := api.get("/sessions", &sessions)
			runs, _ := json.Marshal(sessions)
			last = fmt.Sprintf("%s, %v", runs, err)
			return err == nil && slices.ContainsFunc(sessions, func(s broker.Session) bool {
				return s.Name == args[1] && s.Run != nil && string(s.Run.Turn) == args[2]
			})
		}
	case args[0] == "text" && len(args) == 3:
		met = func() bool {
			text, err := os.ReadFile(ts.MkAbs(args[1]))
			last = fmt.Sprintf("%s, %v", text, err)
			return err == nil && bytes.Contains(text, []byte(args[2]))
		}
	default:
		ts.Fatalf("unknown: waitfor %s", strings.Join(args, " "))
	}
	if !eventually(met) {
		ts.Fatalf("waited %v for %s; last seen: %s", waitTime, strings.Join(args, " "), last)
	}
}

func hasSession(sessions []broker.Session, name, status string) bool {
	for _, s := range sessions {
		if (s.Name == name || s.ID == name) && string(s.State) == status {
			return true
		}
	}
	return false
}

// eventually reports whether met became true within waitTime.
func eventually(met func() bool) bool {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(waitTime)
	for !met() {
		select {
		case <-poll.C:
		case <-deadline:
			return false
		}
	}
	return true
}

// scriptAPI reads a console's lists, over its socket.
type scriptAPI struct{ http *http.Client }

func newScriptAPI(home string) scriptAPI {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", filepath.Join(home, "broker.sock"))
	}
	return scriptAPI{&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: waitTime}}
}

func (a scriptAPI) get(path string, into any) error {
	resp, err := a.http.Get("http://aoctl" + path)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// post sends a body that must be taken.
func (a scriptAPI) post(path, body string) error {
	resp, err := a.http.Post("http://aoctl"+path, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", path, resp.StatusCode)
	}
	return nil
}

// cmdAPI is what any program of the user can send.
func cmdAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: api METHOD PATH [BODY]")
	}
	req, err := http.NewRequest(args[0], "http://aoctl"+args[1], strings.NewReader(strings.Join(args[2:], "")))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := newScriptAPI(ts.Getenv("AOCTL_HOME")).http.Do(req)
	ts.Check(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d %s", resp.StatusCode, body)
	ts.Check(err)
}

// cmdSQL changes a database the way an attacker with a SQLite shell would.
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sql.Open("sqlite3", "file:"+ts.MkAbs(args[0])+"?_busy_timeout=5000")
	ts.Check(err)
	defer func() { _ = db.Close() }()
	_, err = db.Exec(args[1])
	ts.Check(err)
}

func cmdEnvfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: envfile NAME FILE")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	ts.Setenv(args[0], line)
}

func cmdHarmless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: harmless FILE")
	}
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			ts.Fatalf("byte %d begins %q", i, text[i:min(len(text), i+20)])
		}
		i += size
	}
}

// pending reports whether so many calls wait, and what it saw.
func (a scriptAPI) pending(n string) (bool, string) {
	var waiting []broker.Request
	if err := a.get("/approval-requests?status=pending", &waiting); err != nil {
		return false, err.Error()
	}
	seen := make([]string, len(waiting))
	for i, r := range waiting {
		seen[i] = fmt.Sprintf("%s %.60s", r.ToolName, r.ToolInput)
	}
	return strconv.Itoa(len(waiting)) == n, strings.Join(seen, "; ")
}
