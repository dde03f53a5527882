package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// Why a token does not help.
var (
	errBadToken  = errors.New("this token is not, or no longer, one of this console")
	errAskToken  = errors.New("this token may ask, and nothing else")
	errOperators = errors.New("operator tokens do not ask for agents: who has one could answer itself")
	errNoToken   = errors.New("a request over TCP needs a token")
)

// agentsError turns down an operator's token: it is shown by a process that is an
// agent's, or that cannot be told from one. It is an ErrForbidden in words of its own.
type agentsError struct{ why string }

func (e agentsError) Error() string { return "this process is no operator, token or not: " + e.why }
func (e agentsError) Is(target error) bool {
	return target == broker.ErrForbidden || target == errAgents
}

var errAgents = errors.New("a process of an agent is no operator")

// tokenIn is the token that r shows: as a bearer's, or as the password of HTTP Basic.
// given is false when there is none at all; the token is empty when it cannot be read.
func tokenIn(r *http.Request) (token string, given bool) {
	values := r.Header.Values("Authorization")
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1:
		return "", true // two readers could take one each
	}
	if _, password, ok := r.BasicAuth(); ok {
		return password, true
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return token, true
}

// tokenOf finds a token by its hash. All hashes are compared, in constant time each.
func (sv *Server) tokenOf(token string) (found broker.TokenData, ok bool) {
	hash := []byte(broker.HashToken(token))
	for _, t := range sv.o.View.Tokens() {
		if subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 {
			found, ok = t.TokenData, true
		}
	}
	return found, ok
}

// callerOf is who acts: an operator when it shows an operator's token and nothing says
// that an agent stands behind it, else a process that may refuse and nothing more. A
// token that does not help is an error, and the attempt is on record.
func (sv *Server) callerOf(r *http.Request) (broker.Actor, error) {
	by := peers.ActorOf(r)
	token, given := tokenIn(r)
	if !given {
		return by, nil
	}
	d, known := sv.tokenOf(token)
	switch {
	case !known:
		sv.refused(r, broker.BadToken, errBadToken.Error())
		return by, errBadToken
	case d.KindOrOperator() == broker.AskingToken:
		sv.refused(r, broker.AskToken, errAskToken.Error())
		return by, errAskToken
	}
	by, why := sv.behind(r.Context(), by)
	if why != "" {
		sv.refused(r, broker.UnderAgent, why)
		return by, agentsError{why}
	}
	by.Kind, by.ID = broker.ByOperator, broker.TokenActorPrefix+d.ID
	return by, nil
}

// behind completes by and says why the peer cannot be an operator; "" when it can.
func (sv *Server) behind(ctx context.Context, by broker.Actor) (broker.Actor, string) {
	p := peers.From(ctx)
	if p.TCP == nil {
		return by, sv.agentBehind(p)
	}
	pids := peers.HoldersOf(*p.TCP)
	if len(pids) == 0 {
		if sv.o.ListenOperators {
			return by, ""
		}
		return by, "its connection belongs to no process of yours on this machine that can be looked at; a console started with --listen-operators takes it all the same"
	}
	by.PID = pids[0]
	by.Exe, by.TTY = peers.Describe(by.PID)
	for _, pid := range pids {
		if why := sv.AgentAbove(pid); why != "" {
			return by, why
		}
		if name := peers.Forwarder(pid); name != "" && !sv.o.ListenOperators {
			return by, fmt.Sprintf("process %d (%s) only forwards its connection, so who is at the other end cannot be told; a console started with --listen-operators takes it all the same", pid, name)
		}
	}
	if again := peers.HoldersOf(*p.TCP); fmt.Sprint(again) != fmt.Sprint(pids) {
		return by, "its connection went to another process meanwhile"
	}
	return by, ""
}

// AgentAbove says why the process pid counts as an agent's; "" when it does not. One
// whose ancestry cannot be followed to the top counts as one.
func (sv *Server) AgentAbove(pid int) string {
	if pid <= 0 {
		return "its process cannot be seen from here, as one in a container"
	}
	chain, err := peers.SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	if why := sv.agentIn(chain); why != "" {
		return why
	}
	return peers.BornOfAgent(chain)
}

// agentBeside is agentAbove, but for processes that this console started, directly or not:
// they have its environment, which says nothing of them.
func (sv *Server) agentBeside(pid int) string {
	chain, err := peers.SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	why := sv.agentIn(chain)
	if why == "" && !slices.ContainsFunc(chain, func(k peers.Kin) bool { return k.PID == os.Getpid() }) {
		why = peers.BornOfAgent(chain)
	}
	return why
}

// agentIn names the known agent in an ancestry; "" when there is none.
func (sv *Server) agentIn(chain []peers.Kin) string {
	for i, k := range chain {
		if run, ok := sv.o.View.Agent(k.PID); ok && (run.Start == 0 || run.Start == k.Start) && (i > 0 || !run.Runner) {
			return fmt.Sprintf("it comes from the agent of session %s (process %d)", broker.Clip(run.Session), run.PID)
		}
	}
	return ""
}

// agentBehind says why the peer counts as an agent's; "" when it does not. The peer's
// process is held on to meanwhile, so that no other one can take its pid.
func (sv *Server) agentBehind(p peers.Peer) string {
	if p.PID <= 0 {
		return sv.AgentAbove(0)
	}
	alive, release, err := p.Hold()
	if err != nil {
		return "its process cannot be held on to: " + err.Error()
	}
	defer release()
	why := sv.AgentAbove(p.PID)
	if why == "" && !alive() {
		return fmt.Sprintf("process %d ended before its ancestry was known", p.PID)
	}
	return why
}
