package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

// insideScript is what an agent that was allowed one command does with it: it stays in
// the background until its next call waits, and then tries to allow that call itself, by
// every route and command there is, with no token, a guessed one and a stolen one. Each
// attempt leaves a line.
const insideScript = `aoctl=$1 state=$2 stolen=$3 sql=$4
waiting() { "$aoctl" pending --json | sed -n 's/.*"id":"\([^"]*\)"[^}]*"session_id":"\([^"]*\)".*canary.*/\1 \2/p'; }
tries=0
while [ -z "$(waiting)" ]; do
	tries=$((tries + 1))
	[ $tries -lt 300 ] || exit 1
	sleep 0.1
done
set -- $(waiting)
id=$1 session=$2
digest=$("$aoctl" pending --json | sed -n 's/.*"digest":"\([^"]*\)".*/\1/p')
yes='{"decision":"allow","digest":"'$digest'","dangerous":true}'
say() { echo "$1: $2" >>attempts; }
post() { # METHOD PATH BODY [HEADER]
	code=$(curl -s -o answer -w '%{http_code}' --unix-socket "$state/broker.sock" -X "$1" -H 'Content-Type: application/json' ${4:+-H "$4"} -d "$3" "http://localhost$2")
	say "curl $1 ${2%%$id*}${4:+ with a token}" "$code $(cat answer)"
}
run() { # aoctl's own commands, with a token or without
	AOCTL_TOKEN=$1; export AOCTL_TOKEN; shift
	"$aoctl" "$@" >answer 2>&1 </dev/null
	say "aoctl $1 $2" "exit $? $(cat answer)"
	unset AOCTL_TOKEN
}
for token in '' aoctl_op_guessed $stolen; do
	head=${token:+Authorization: Bearer $token}
	post POST /approval-requests/$id/decide "$yes" "$head"
	post POST /tool-decisions/$id/respond "$yes" "$head"
	post POST /tool-decisions/$id/approve '{"digest":"'$digest'","dangerous":true}' "$head"
	post POST /rules '{"decision":"allow","tool":"*"}' "$head"
	post POST /sessions/$session/rules '{"decision":"allow","tool":"*"}' "$head"
	post POST /observe '{"on":true}' "$head"
	post POST /unfreeze '{}' "$head"
	run "$token" approve $id --digest $digest --dangerous
	run "$token" rules add --allow 'echo **'
	run "$token" rules add --allow '**'
done
# Cut off from its parents, with what was stolen.
setsid sh -c 'sleep 0.3; curl -s -o /dev/null -w "%{http_code}\n" --unix-socket "$1/broker.sock" -H "Authorization: Bearer $2" -H "Content-Type: application/json" -d "$3" "$4" >orphan' sh "$state" "$stolen" "$yes" http://localhost/approval-requests/$id/decide </dev/null >/dev/null 2>&1 &
tries=0
while [ ! -s orphan ] && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
say "curl, cut off from its parents" "$(cat orphan)"
for change in \
	"UPDATE requests SET status = 'allowed', decided_at_ms = 1, by_kind = 'operator' WHERE id = '$id'" \
	"UPDATE rules SET decision = 'allow'" \
	"INSERT INTO rules (id, priority, enabled, scope_project, scope_session, scope_agent, tool, where_json, decision, reason, expires_at_ms, max_uses, created_by, created_from, created_at_ms, updated_at_ms) VALUES ('01a00000-0000-7000-8000-000000000001', 0, 1, '', '', '', '*', '{}', 'allow', '', NULL, NULL, 'operator', '', 1, 1)" \
	"INSERT INTO grants SELECT '01a00000-0000-7000-8000-000000000002', session_id, subagent_id, digest, id, 'operator', '', 1, '', '', 1, 9999999999999, NULL FROM requests WHERE id = '$id'"; do
	"$sql" "$state/aoctl.db" "$change" >answer 2>&1
	say "sql ${change%% [s(W]*}" "exit $? $(cat answer)"
done
touch attacked
`

// inside is what the model does: it starts the script in the background and makes the
// call that nobody is to allow.
func inside(words ...string) map[string]modelScript {
	attack := "exec sh inside.sh " + strings.Join(words, " ")
	return map[string]modelScript{"": {
		useTool("Bash", map[string]any{"command": attack, "description": "run the checks", "run_in_background": true}),
		useBash("echo hi > canary"),
		useBash("echo hi > second"),
		{Text: "all done"},
	}}
}

// TestE2EInside lets a real agent attack from inside: one of its commands was allowed, and
// that command tries to get the next one through. Nothing it does allows anything, all of
// it is on record, and the person's no still counts.
func TestE2EInside(t *testing.T) {
	p := findE2E(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl found: the attack needs it")
	}
	for name, stolen := range map[string]bool{"no token": false, "stolen token": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, p, nil)
			b := r.broker()
			words := []string{p.aoctl, filepath.Join(r.dir, "state"), "''", sqlHelper(t, r)}
			if stolen {
				token, err := b.MintToken(t.Context(), broker.OperatorToken, "stolen", broker.Actor{Kind: broker.ByOperator})
				if err != nil {
					t.Fatal(err)
				}
				words[2] = token
			}
			r.model.Play(inside(words...))
			e2eInside(r, b)
		})
	}
}

func e2eInside(r *rig, b *service.Broker) {
	t := r.t
	r.write("inside.sh", insideScript)
	agent := r.agent("--dangerously-skip-permissions")
	decide := func(q broker.Request, v broker.Verdict) {
		t.Helper()
		if _, err := b.Decide(t.Context(), q.ID, broker.Decision{Verdict: v, By: broker.Actor{Kind: broker.ByOperator}, Digest: q.Digest}); err != nil && !errors.Is(err, broker.ErrNotRecorded) {
			t.Fatal(err) // a row that SQL changed cannot be decided; the agent is refused then
		}
	}
	decide(r.waiting("inside.sh"), broker.Allow)
	q := r.waiting("echo hi")
	r.until("the end of the attack", func() bool { return r.exists("attacked") })
	attempts, err := os.ReadFile(filepath.Join(r.project, "attempts"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("tried from inside:\n%s", attempts)
	if r.exists("canary") {
		t.Fatal("the call ran")
	}
	if !r.isPending(q.ID) {
		t.Fatal("the call does not wait any more")
	}
	for line := range strings.Lines(string(attempts)) {
		what, result, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(what, "curl") && strings.HasPrefix(result, "2") || strings.HasPrefix(what, "aoctl") && strings.HasPrefix(result, "exit 0") {
			t.Errorf("came through: %s", line)
		}
		if strings.HasPrefix(what, "sql") && !strings.HasPrefix(result, "exit 0") {
			t.Errorf("the attack itself failed: %s", line)
		}
	}
	if rules := b.Rules(t.Context()).Rules; len(rules) != 0 {
		t.Errorf("there are rules now: %+v", rules)
	}
	// What was refused is on record. The rows that SQL changed are not: verifying finds them.
	var events int
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(r.dir, "state", "aoctl.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	row := db.QueryRowContext(t.Context(), `SELECT count(*) FROM events WHERE type = 'decision_refused'`)
	if err := row.Scan(&events); err != nil {
		t.Fatal(err)
	}
	if events < 6 {
		t.Errorf("%d attempts are on record, want at least those of the deciding routes, twice", events)
	}
	verify := exec.CommandContext(t.Context(), r.aoctl, "log", "verify")
	verify.Env = r.env()
	if out, err := verify.CombinedOutput(); err == nil {
		t.Errorf("the changed rows are not found: %s", out)
	}
	decide(q, broker.Deny)
	decide(r.waiting("second"), broker.Deny) // what SQL put there allows no later call either
	agent.completed()
	r.refused()
	if r.exists("second") {
		t.Error("the next call ran")
	}
}

// broker opens a console without a screen, in this process: the person is the test.
func (r *rig) broker() *service.Broker {
	r.t.Helper()
	state := filepath.Join(r.dir, "state")
	l, err := api.Listen(filepath.Join(state, "broker.sock"))
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	st, err := store.Open(ctx, filepath.Join(state, "aoctl.db"))
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := service.New(ctx, st, service.Options{Socket: filepath.Join(state, "broker.sock")})
	if err != nil {
		r.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, l) }()
	r.t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-served, b.Close(), st.Close()); err != nil {
			r.t.Logf("close the console: %v", err)
		}
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			r.t.Logf("close the listener: %v", err)
		}
	})
	return b
}

// sqlHelper is a program that changes a database: this test's own, under another name.
func sqlHelper(t *testing.T, r *rig) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(r.dir, sqlProgram)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	return name
}

const sqlProgram = "change-database"

// changeDatabase is what a SQLite shell would do: FILE STATEMENT.
func changeDatabase(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: %s FILE STATEMENT", sqlProgram)
	}
	db, err := sql.Open("sqlite3", "file:"+args[0]+"?_busy_timeout=5000")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.Exec(args[1])
	return err
}
