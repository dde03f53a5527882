package service

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
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
func (b *Broker) tokenOf(token string) (found broker.TokenData, ok bool) {
	hash := []byte(hashToken(token))
	for _, t := range b.view.Tokens() {
		if subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 {
			found, ok = t.TokenData, true
		}
	}
	return found, ok
}

// callerOf is who acts: an operator when it shows an operator's token and nothing says
// that an agent stands behind it, else a process that may refuse and nothing more. A
// token that does not help is an error, and the attempt is on record.
func (b *Broker) callerOf(r *http.Request) (broker.Actor, error) {
	by := peers.ActorOf(r)
	token, given := tokenIn(r)
	if !given {
		return by, nil
	}
	d, known := b.tokenOf(token)
	switch {
	case !known:
		b.refused(r, broker.BadToken, errBadToken.Error())
		return by, errBadToken
	case d.KindOrOperator() == broker.AskingToken:
		b.refused(r, broker.AskToken, errAskToken.Error())
		return by, errAskToken
	}
	by, why := b.behind(r.Context(), by)
	if why != "" {
		b.refused(r, broker.UnderAgent, why)
		return by, agentsError{why}
	}
	by.Kind, by.ID = broker.ByOperator, broker.TokenActorPrefix+d.ID
	return by, nil
}

// behind completes by and says why the peer cannot be an operator; "" when it can.
func (b *Broker) behind(ctx context.Context, by broker.Actor) (broker.Actor, string) {
	p := peers.From(ctx)
	if p.TCP == nil {
		return by, b.agentBehind(p)
	}
	pids := peers.HoldersOf(*p.TCP)
	if len(pids) == 0 {
		if b.opts.ListenOperators {
			return by, ""
		}
		return by, "its connection belongs to no process of yours on this machine that can be looked at; a console started with --listen-operators takes it all the same"
	}
	by.PID = pids[0]
	by.Exe, by.TTY = peers.Describe(by.PID)
	for _, pid := range pids {
		if why := b.agentAbove(pid); why != "" {
			return by, why
		}
		if name := peers.Forwarder(pid); name != "" && !b.opts.ListenOperators {
			return by, fmt.Sprintf("process %d (%s) only forwards its connection, so who is at the other end cannot be told; a console started with --listen-operators takes it all the same", pid, name)
		}
	}
	if again := peers.HoldersOf(*p.TCP); fmt.Sprint(again) != fmt.Sprint(pids) {
		return by, "its connection went to another process meanwhile"
	}
	return by, ""
}
