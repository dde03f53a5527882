package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store/chain"
)

// Facts are read by their type and by their number: one whose type another program
// changed still has its number, one that it made has none.
var sqlFacts = `SELECT f.seq, f.at_ms, f.type, f.session_id, f.request_id, f.data, f.subject, f.seal, f.hash, p.hash
	FROM events f LEFT JOIN events p ON p.seq = f.seq - 1
	WHERE f.seq IN (
		SELECT seq FROM events WHERE ` + ofFactType + `
		UNION SELECT seq FROM events WHERE subject >= '` + chain.FactPrefix + `' AND subject < 'fact0')
	ORDER BY f.seq`

// ofFactType must be spelled as in the index events_facts, or the index is not used.
var ofFactType = `type IN ('` + strings.Join(broker.FactTypes, `', '`) + `')`

// facts are the events that hold, and whether something speaks against them.
type facts struct {
	events []broker.Event // those for which the log vouches, oldest first
	doubt  string         // a sentence about the first thing that is wrong; empty when all is well
	lost   int64          // the last event up to which a fact was changed or is gone; see broker.Saved
	based  string         // why the log cannot begin where it does; empty when it may
	trail  trail
	base   base
	cut    broker.LogArchivedData // the newest archive on record
	known  bool                   // the schema is new enough to have any
}

// rulesSchema is the first schema that has facts and rules. A reader may meet an older
// one, before a console has brought it up to date.
const rulesSchema = 2

func hasRules(ctx context.Context, q querier) (bool, error) {
	version, err := schemaOf(ctx, q)
	return version >= rulesSchema, err
}

func schemaOf(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, `SELECT user_version FROM pragma_user_version`).Scan(&version)
	return version, err
}

// readFacts reads all facts. q must see one moment.
//
// It does not read the whole log: a fact that was changed, added or taken away is
// found by its own hash, by the numbers of the others and by the record of the log's
// end. Somebody who took the last one away and bent that record is found by Check.
func readFacts(ctx context.Context, q querier) (*facts, error) {
	f := &facts{}
	var err error
	if f.known, err = hasRules(ctx, q); err != nil || !f.known {
		return f, err
	}
	if f.base, err = readBase(ctx, q); err != nil {
		return nil, err
	}
	if f.base.archive() {
		f.trail.last = f.base.facts
	}
	err = each(ctx, q, func(row scanner) error {
		var before []byte
		l, hash, err := scanLink(row, &before)
		if err == nil {
			f.take(&l, hash, before)
		}
		return err
	}, sqlFacts)
	if err != nil {
		return nil, err
	}
	if err := f.compare(ctx, q); err != nil {
		return nil, err
	}
	return f, f.rows(ctx, q)
}

// take adds one fact, or says what is wrong with it.
func (f *facts) take(l *chain.Link, hash, before []byte) {
	name := fmt.Sprintf("event %d (%s)", l.Seq, l.Type)
	var prev chain.Hash
	if l.Seq > 1 && copy(prev[:], before) != len(prev) {
		f.wrong("the event before %s is gone", name)
	}
	h := l.After(prev)
	fits := string(h[:]) == string(hash)
	if !fits {
		f.wrong("%s was changed, or the event before it was", name)
		f.lost = l.Seq
	}
	if why := f.trail.follow(l); why != "" {
		f.wrong("%s: %s", name, why)
		f.lost = max(f.lost, l.Seq-1)
	}
	// One that only has a gap before it is as it was written.
	if !fits || !chain.IsFact(l.Type) || !strings.HasPrefix(l.Subject, chain.FactPrefix) {
		return
	}
	f.events = append(f.events, broker.Event{
		Seq: l.Seq, At: chain.Time(l.AtMS), Type: l.Type, SessionID: l.Session, RequestID: l.Request,
		Data: raw(l.Data), Hash: hex.EncodeToString(hash),
	})
}

func (f *facts) wrong(format string, args ...any) {
	if f.doubt == "" {
		f.doubt = fmt.Sprintf(format, args...)
	}
}

// compare looks whether the facts end where the log's record says, and whether the
// log has gaps anywhere.
func (f *facts) compare(ctx context.Context, q querier) error {
	var noted, events, newest int64
	err := q.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(facts), 0) FROM head),
			count(*) - (SELECT count(*) FROM events WHERE seq <= ?1) + ?1, coalesce(max(seq), 0) FROM events`, f.base.seq).
		Scan(&noted, &events, &newest)
	if err != nil {
		return err
	}
	if err := f.begins(ctx, q); err != nil {
		return err
	}
	if why := f.trail.end(noted); why != "" {
		f.wrong("%s", why)
		if f.trail.last < noted {
			f.lost = newest
		}
	}
	if events != newest {
		f.wrong("the log has %d events, but its newest is event %d", events, newest)
	}
	return nil
}

// rows looks whether the table of rules repeats what the facts say. It decides nothing,
// but somebody who cut the newest facts off, and bent the record of the log's end, may
// have left it as it was.
func (f *facts) rows(ctx context.Context, q querier) error {
	if f.doubt != "" || f.base.archive() {
		return nil
	}
	var r Report
	if err := r.ruleRows(ctx, q, f); err != nil {
		return err
	}
	if !r.Clean() {
		f.wrong("the table of rules does not go with the log: %s", r.Problems[0])
	}
	return nil
}

// begins looks whether the log may begin where it does.
func (f *facts) begins(ctx context.Context, q querier) error {
	var err error
	if f.cut, err = archived(f.events); err != nil {
		f.based = err.Error()
	} else {
		kept, err := keptDigest(ctx, q, f.base, f.cut.To)
		if err != nil {
			return err
		}
		f.based = doubtBase(f.base, f.cut, kept)
	}
	if f.based != "" {
		f.wrong("%s", f.based)
	}
	return nil
}

// trail follows the numbers of the facts through the log.
type trail struct{ last int64 }

// follow reports why l cannot be the next fact; "" when it is, or when it is no fact.
func (t *trail) follow(l *chain.Link) string {
	numbered := strings.HasPrefix(l.Subject, chain.FactPrefix)
	switch {
	case !chain.IsFact(l.Type) && !numbered:
		return ""
	case !numbered:
		return "it has no number among the facts, so aoctl did not write it"
	case l.Subject != chain.FactSubject(t.last+1):
		why := fmt.Sprintf("it is %s, and fact/%d should come before it", l.Subject, t.last+1)
		var n int64
		if _, err := fmt.Sscanf(l.Subject, chain.FactPrefix+"%d", &n); err == nil && n > t.last {
			t.last = n
		}
		return why
	}
	t.last++
	if !chain.IsFact(l.Type) {
		return fmt.Sprintf("it is %s, which no event of its type is", l.Subject)
	}
	return ""
}

// end reports why the facts cannot end here.
func (t *trail) end(noted int64) string {
	if t.last == noted {
		return ""
	}
	return fmt.Sprintf("the log has %d facts, and %d on record (rules saved and removed, files trusted, tokens)", t.last, noted)
}

// ruleSet says which rules hold after events, by id, without their uses. An event that
// cannot be read changes nothing; Record takes none.
func ruleSet(events []broker.Event) map[string]rules.Rule {
	set := map[string]rules.Rule{}
	for _, e := range events {
		switch e.Type {
		case broker.EventRuleSaved:
			var d broker.RuleSavedData
			if json.Unmarshal(e.Data, &d) == nil {
				set[d.Rule.ID] = d.Rule
			}
		case broker.EventRuleRemoved:
			var d broker.RuleRemovedData
			if json.Unmarshal(e.Data, &d) == nil {
				delete(set, d.ID)
			}
		}
	}
	return set
}

// Facts lists the events of broker.FactTypes for which the log vouches, oldest first.
// doubt is a sentence about what another program did to them; empty when all is well.
func (s *queries) Facts(ctx context.Context) (events []broker.Event, doubt string, err error) {
	f, err := s.facts(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("read facts: %w", err)
	}
	return f.events, f.doubt, nil
}

func (s *queries) facts(ctx context.Context) (f *facts, err error) {
	err = s.snapshot(ctx, func(q querier) error {
		f, err = readFacts(ctx, q)
		return err
	})
	return f, err
}

// snapshot lets read see the database as of one moment.
func (s *queries) snapshot(ctx context.Context, read func(querier) error) error {
	err := s.view(ctx, func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // it only read
		return read(tx)
	})
	return translate(err)
}

// Rules lists the rules that hold, as the log says, with their uses, in the order in
// which they speak: priority, age, id.
//
// When the log is in doubt, the rules for which it vouches come with an error around
// broker.ErrTampered.
func (s *queries) Rules(ctx context.Context) ([]rules.Rule, error) {
	var f *facts
	var uses map[string]broker.RuleUse
	err := s.snapshot(ctx, func(q querier) (err error) {
		if f, err = readFacts(ctx, q); err == nil && f.known {
			uses, err = readUses(ctx, q, f)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	all := make([]rules.Rule, 0, len(f.events))
	for id, r := range ruleSet(f.events) {
		r.Uses, r.LastUsedAt = uses[id].Uses, uses[id].Last
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b rules.Rule) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	if f.doubt != "" {
		return all, fmt.Errorf("%w: %s", broker.ErrTampered, f.doubt)
	}
	return all, nil
}
