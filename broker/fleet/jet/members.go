package jet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Rosters hands over the rosters with a larger number than after: those that there are, in the order
// in which they were stored, calls begun, and then hands over what comes, until the context ends.
// Whether they are good is the caller's to judge.
func (l *Line) Rosters(ctx context.Context, after uint64, begun func(), take func(keys.Signed)) error {
	r := reading{stream: told.StreamMembers, kind: ReadsRosters, filter: l.names.Rosters()}
	return l.follow(ctx, r, begun, func(m jetstream.Msg) {
		_, number, _ := l.names.Split(m.Subject())
		if n, err := strconv.ParseUint(number, 10, 64); err == nil && n > after {
			signed(m, take)
		}
	})
}

// Enrolments hands over who asks to be in the fleet: those that there are, then what comes, until
// the context ends.
func (l *Line) Enrolments(ctx context.Context, take func(keys.Signed)) error {
	r := reading{stream: told.StreamMembers, kind: ReadsEnrolments, filter: l.names.Enrolment("*")}
	return l.follow(ctx, r, nil, func(m jetstream.Msg) { signed(m, take) })
}

// Members are the rosters with a larger number than after, in the order in which they were stored,
// and those who asked to be in the fleet.
func (l *Line) Members(ctx context.Context, after uint64) (rosters, joined []keys.Signed, err error) {
	r := reading{stream: told.StreamMembers, kind: ReadsRosters, filter: l.names.Rosters()}
	err = l.all(ctx, r, func(m jetstream.Msg, _ uint64) bool {
		_, number, _ := l.names.Split(m.Subject())
		if n, err := strconv.ParseUint(number, 10, 64); err == nil && n > after {
			signed(m, func(s keys.Signed) { rosters = append(rosters, s) })
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	r = reading{stream: told.StreamMembers, kind: ReadsEnrolments, filter: l.names.Enrolment("*")}
	err = l.all(ctx, r, func(m jetstream.Msg, _ uint64) bool {
		signed(m, func(s keys.Signed) { joined = append(joined, s) })
		return true
	})
	return rosters, joined, err
}

// signed hands over what can be read as something signed.
func signed(m jetstream.Msg, take func(keys.Signed)) {
	var s keys.Signed
	if keys.Decode(m.Data(), &s) == nil {
		take(s)
	}
}

// PutRoster stores a roster. Errors: ErrTaken where there is one of that number.
func (l *Line) PutRoster(ctx context.Context, number uint64, s keys.Signed) error {
	return l.putSigned(ctx, l.names.Roster(number), s)
}

// Enrol asks to be in the fleet, with the invite whose key the line has; id is the new member's. A machine
// takes that back under the id that told.Gone says. Errors: ErrTaken where that stands there already.
func (l *Line) Enrol(ctx context.Context, id string, s keys.Signed) error {
	return l.putSigned(ctx, l.names.Enrolment(id), s)
}

// PutInvite stores the letter of an invite. Errors: ErrTaken.
func (l *Line) PutInvite(ctx context.Context, id string, letter []byte) error {
	return l.put(ctx, l.names.Invite(id), letter)
}

// Invite is the letter of an invite. Without Options.Fleet it is found in whichever fleet the server
// has. Errors: ErrNobody where there is none.
func (l *Line) Invite(ctx context.Context, id string) ([]byte, error) {
	names := l.names
	if names.Fleet == "" {
		names.Fleet = "*"
	}
	seq, body, err := l.newest(ctx, told.StreamMembers, names.Invite(id))
	if err == nil && seq == 0 {
		err = ErrNobody
	}
	return body, err
}

// DropInvite has the server forget the letter of an invite. That nobody joins with it any more is up
// to the next roster.
func (l *Line) DropInvite(ctx context.Context, id string) error {
	m, err := l.request(ctx, nats.NewMsg(l.names.Dropped(id)), requestWait)
	if err != nil {
		return err
	}
	return read(m).err
}

func (l *Line) putSigned(ctx context.Context, subject string, s keys.Signed) error {
	body, err := keys.Encode(s)
	if err != nil {
		return err
	}
	return l.put(ctx, subject, body)
}

// put stores what stands alone under its subject. The same again, because nobody heard that it was
// stored, is stored once.
func (l *Line) put(ctx context.Context, subject string, body []byte) error {
	m := nats.NewMsg(subject)
	m.Data = body
	sum := sha256.Sum256(append([]byte(subject+"\x00"), body...))
	m.Header.Set(jetstream.MsgIDHeader, hex.EncodeToString(sum[:]))
	answer, err := l.request(ctx, m, requestWait)
	if err != nil {
		return err
	}
	if a := read(answer); a.err != nil {
		if strings.Contains(a.text, perSubject) {
			return ErrTaken
		}
		return a.err
	}
	return nil
}
