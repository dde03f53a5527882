package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// claim says which machine asks the call that has an id. It has no time in it: the same machine claims
// the same with the same bytes.
type claim struct {
	Fleet   string `json:"fleet"`
	Machine string `json:"machine"`
	Mark    string `json:"mark"` // stands for the id
	Call    string `json:"call"` // stands for the call
}

// hidden stands for texts that servers are not to read. Hex, 128 bits.
func hidden(what string, texts ...string) string {
	sum := sha256.Sum256([]byte("aoctl fleet " + what + " 1\x00" + strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// claimMost is how long a claim may take. Its caller waits meanwhile.
const claimMost = 8 * time.Second

// Claim claims the id of a call, and returns which machine asks the call: "" for this one.
// What was claimed stays so. Errors: broker.ErrFleetOut where no claim can be made or read: the call must
// not be asked then. broker.ErrConflict where the id was claimed for another call, broker.ErrElsewhere
// where it was claimed by nobody who asks anything.
func (d *Desk) Claim(ctx context.Context, call broker.Request) (owner string, err error) {
	if f, ok := d.of(call.ID); ok && f.is(&call) {
		return f.owner, nil
	}
	ctx, end := context.WithTimeout(ctx, claimMost)
	defer end()
	r := d.o.Roster()
	mine := claim{Fleet: r.Fleet, Machine: d.id, Mark: hidden("claim", r.Fleet, call.ID)}
	mine.Call = hidden("call", r.Fleet, call.ID, call.Digest, call.SessionID, call.Agent)
	s, err := d.o.Key.Sign(keys.KindClaim, mine)
	if err != nil {
		return "", err
	}
	raw, err := keys.Encode(s)
	if err != nil {
		return "", err
	}
	taken, err := d.o.Line.Put(ctx, mine.Mark, raw)
	if err == nil && !taken {
		return "", nil
	}
	if err == nil {
		raw, err = d.o.Line.Claim(ctx, mine.Mark)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", broker.ErrFleetOut, err)
	}
	there, err := read(raw, &mine, &r)
	if err != nil || there.Machine == d.id {
		return "", err
	}
	return there.Machine, nil
}

// read reads the claim that there is where ours was to be.
func read(raw []byte, mine *claim, r *members.Roster) (there claim, err error) {
	var s keys.Signed
	if err = keys.Decode(raw, &s); err == nil {
		err = s.Open(keys.KindClaim, &there)
	}
	m, member := r.Of(s.By)
	switch {
	case err != nil, there.Fleet != mine.Fleet, there.Mark != mine.Mark:
		return there, elsewhere("the claim of this id in the fleet is none")
	case !member || m.Role != members.Machine || m.ID() != there.Machine:
		return there, elsewhere("this id was claimed by a machine that is not in the fleet")
	case there.Call != mine.Call:
		return there, broker.ErrConflict
	}
	return there, nil
}
