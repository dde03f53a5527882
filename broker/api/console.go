package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// Consoles serves screens in other processes.
type Consoles interface {
	// Protocol is what they speak, as in an Upgrade header.
	Protocol() string
	// Serve serves one until it leaves.
	Serve(conn net.Conn, who Visitor)
	// HangUp ends all of them, and takes no more.
	HangUp()
}

// Visitor is the process behind a console.
type Visitor interface {
	// Actor is that process. It may refuse and nothing more, as far as package api knows.
	Actor() broker.Actor
	// Agent says why it counts as an agent's, or cannot be told from one's; "" when it does not. It
	// looks each time, and what it finds is on record.
	Agent() string
	// Refused records that it was turned away.
	Refused(kind broker.RefusalKind, detail string)
}

// visitor is a Visitor with a connection.
type visitor struct {
	*callers
	ctx context.Context //nolint:containedctx // knows the connection, and never ends
	by  broker.Actor
}

func (v visitor) Actor() broker.Actor { return v.by }

func (v visitor) Agent() string {
	_, why := v.behind(v.ctx, v.by)
	if why != "" {
		v.Refused(broker.UnderAgent, why)
	}
	return why
}

func (v visitor) Refused(kind broker.RefusalKind, detail string) {
	v.records.NoteRefusal(broker.Request{}, broker.RefusedData{Wanted: consoleRoute, Kind: kind, Detail: detail, By: v.by})
}

// consoleRoute is open to everybody who may connect, without a token: a console proves inside of
// its connection which key it has.
const consoleRoute = "POST /console"

// AdmitConsoles opens the route for screens. It comes before Serve.
func (sv *Server) AdmitConsoles(c Consoles) { sv.consoles = c }

// Drain makes held polls answer at once and hangs up on consoles, so that a shutdown need not wait
// for them.
func (sv *Server) Drain() {
	sv.waiting.Drain()
	if sv.consoles != nil {
		sv.consoles.HangUp()
	}
}

// postConsole hands the connection to the consoles.
func (sv *Server) postConsole(w http.ResponseWriter, r *http.Request) {
	if sv.consoles == nil {
		writeError(w, http.StatusNotFound, "no_consoles", "no console can attach here", "")
		return
	}
	protocol := sv.consoles.Protocol()
	if !strings.EqualFold(r.Header.Get("Upgrade"), protocol) {
		writeError(w, http.StatusUpgradeRequired, "other_protocol", "consoles speak "+protocol+" here",
			`is the other aoctl of the same version? compare with "aoctl version"`)
		return
	}
	who := visitor{&sv.callers, context.WithoutCancel(r.Context()), peers.ActorOf(r)}
	sv.park(w, func(p *Parked) {
		_ = p.Conn.SetDeadline(time.Now().Add(writeTimeout))
		if _, err := fmt.Fprintf(p.Conn, "HTTP/1.1 101 %s\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", http.StatusText(http.StatusSwitchingProtocols), protocol); err != nil {
			return
		}
		_ = p.Conn.SetDeadline(time.Time{})
		sv.consoles.Serve(p.Conn, who)
	})
}
