package api

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"

	"golang.org/x/sys/unix"
)

// conns are the open connections of all listeners, no more than there are file
// descriptors for. A connection is quiet until its first request has arrived whole: a
// hook sends all of it at once, so one that stays quiet is a slow peer. When there is no
// room, the one that has been quiet longest is closed for the new one.
//
// conns.mu comes after every other lock. A TCP connection counts twice: among all, and among
// those over TCP, which are fewer. So a crowd on the port closes its own quiet ones and never
// those of the socket.
type conns struct {
	// limit is changed only with mu held. It is what the system allows for open files, less
	// spareFiles.
	limit int

	mu    sync.Mutex
	open  int
	quiet list.List // of *cappedConn, the oldest first
}

// keptFree is how many connections are left when as many calls wait as may: for
// questions that a rule answers, for refusing, stopping and looking. keptFree is small beside the
// usual limit of a thousand files and more. Where the limit is tiny, half of the connections is
// kept instead; see mayWait.
const keptFree = 64

// mostReaders is how many may follow the feed where there are connections enough.
const mostReaders = 256

// mayRead is how many of limit connections those may take who follow the feed. Theirs are not
// taken from those that are kept free.
func mayRead(limit int) int { return min(mostReaders, max(limit/8, 1)) }

// mayWait is how many calls may wait, each on a connection.
func (cs *conns) mayWait() int { return max(cs.limit-mayRead(cs.limit)-keptFree, cs.limit/2) }

// limitNow is limit, for those who do not hold mu.
func (cs *conns) limitNow() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.limit
}

// admit counts c in. It reports false when there is no room for it. The victim is closed after
// the lock is given back, since closing takes that lock itself.
func (cs *conns) admit(c *cappedConn) bool {
	cs.mu.Lock()
	if cs.open < cs.limit {
		cs.enter(c)
		cs.mu.Unlock()
		return true
	}
	oldest := cs.quiet.Front()
	if oldest == nil {
		cs.mu.Unlock()
		return false
	}
	// A quiet peer has sent no whole request, so nothing that was acknowledged is lost with it. A
	// peer that waits for an answer is never a victim.
	victim, _ := oldest.Value.(*cappedConn)
	cs.leave(victim)
	cs.enter(c)
	cs.mu.Unlock()
	_ = victim.Close()
	return true
}

// enter counts c in as quiet. Caller holds mu.
func (cs *conns) enter(c *cappedConn) {
	cs.open++
	c.counted, c.place = true, cs.quiet.PushBack(c)
}

// leave counts c out, once. Caller holds mu.
func (cs *conns) leave(c *cappedConn) {
	if !c.counted {
		return
	}
	c.counted = false
	cs.open--
	cs.hear(c)
}

// hear takes c from the quiet ones. Caller holds mu. It may be called twice for the same
// connection; the second time it does nothing.
func (cs *conns) hear(c *cappedConn) {
	if c.place != nil {
		cs.quiet.Remove(c.place)
		c.place = nil
	}
}

// cappedConn is one of conns. Over TCP it wraps one that is of all conns.
type cappedConn struct {
	net.Conn
	conns *conns

	// Guarded by conns.mu.
	counted bool
	place   *list.Element // among the quiet ones; nil when it is none
}

// Close may be called more than once, by the HTTP server and by a victim's closing; leave counts
// once.
func (c *cappedConn) Close() error {
	c.conns.mu.Lock()
	c.conns.leave(c)
	c.conns.mu.Unlock()
	return c.Conn.Close()
}

// bare is the connection inside c. The kernel tells only of a real socket who is at its other
// end, so whatever wraps it has to come off first.
func bare(c net.Conn) net.Conn {
	for {
		cc, ok := c.(*cappedConn)
		if !ok {
			return c
		}
		c = cc.Conn
	}
}

// connKey finds the connection of a request in its context.
type connKey struct{}

// noteConn keeps what noteHeard needs. noteConn is called once for each connection. The context
// that it returns is the parent of every request on it.
func noteConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// noteHeard says that the request of ctx has arrived whole. Over TCP the connection is wrapped
// twice, and both counts hear of it.
func noteHeard(ctx context.Context) {
	c, ok := ctx.Value(connKey{}).(*cappedConn)
	for ; ok; c, ok = c.Conn.(*cappedConn) {
		c.conns.mu.Lock()
		c.conns.hear(c)
		c.conns.mu.Unlock()
	}
}

// noteState makes a connection quiet again that was answered and is kept open. Such a peer has
// nothing to lose, so it makes room before one that waits does.
func noteState(nc net.Conn, state http.ConnState) {
	if state != http.StateIdle {
		return
	}
	for c, ok := nc.(*cappedConn); ok; c, ok = c.Conn.(*cappedConn) {
		c.conns.mu.Lock()
		if c.counted && c.place == nil {
			c.place = c.conns.quiet.PushBack(c)
		}
		c.conns.mu.Unlock()
	}
}

// connLimit is how many connections may be open: what the system allows, less what
// the console itself needs. A machine without a limit, or with a limit of millions, is treated as
// one with a million. At least 16 connections are there always, since a console that answers
// nobody refuses every agent.
func connLimit() int {
	var rl unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &rl); err != nil || rl.Cur > 1<<20 {
		return 1 << 20
	}
	return max(int(rl.Cur)-spareFiles, 16)
}
