package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store/chain"
)

// The tables about rules. What rules hold is said by the log's facts (facts.go); the
// rows are written beside them, in the same transaction, for other programs to read.

const (
	ruleColumns = `id, version, priority, enabled, scope_project, scope_session, scope_agent, tool, where_json,
		decision, dangerous, reason, expires_at_ms, max_uses, created_by, created_from, created_at_ms, updated_at_ms`

	sqlRule = `INSERT OR REPLACE INTO rules (` + ruleColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlDropRule = `DELETE FROM rules WHERE id = ?`

	sqlUsedRule = `INSERT INTO rule_use (id, uses, last_used_at_ms) VALUES (?, 1, ?)
		ON CONFLICT (id) DO UPDATE SET uses = uses + 1, last_used_at_ms = max(last_used_at_ms, excluded.last_used_at_ms)`

	sqlRuleUse = `SELECT id, sum(counted), sum(decided), max(last) FROM (
			SELECT id, uses AS counted, 0 AS decided, last_used_at_ms AS last FROM rule_use
			UNION ALL
			SELECT by_id, 0, count(decided_at_ms), coalesce(max(decided_at_ms), 0) FROM requests
				WHERE by_kind = 'rule' GROUP BY by_id)
		GROUP BY id`

	// Calls that are in an archive and still here: those after one event up to another.
	sqlLeftUse = `SELECT r.by_id, count(*) FROM events e JOIN requests r ON r.id = e.request_id
		WHERE e.seq > ? AND e.seq <= ? AND e.type = 'request_decided' AND r.by_kind = 'rule' GROUP BY r.by_id`
)

// ruleWork adds what c does to rules.
func (w *work) ruleWork(c *broker.Change) error {
	for i := range c.Rules {
		args, err := ruleArgs(&c.Rules[i])
		if err != nil {
			return err
		}
		w.rules = append(w.rules, args)
	}
	w.removed = append(w.removed, c.Remove...)
	w.used = append(w.used, c.Used...)
	for _, e := range c.Events {
		w.usedAt = max(w.usedAt, chain.MS(e.At))
	}
	return nil
}

// ruleArgs are in the order of ruleColumns.
func ruleArgs(r *rules.Rule) ([]driver.Value, error) {
	where := r.Where
	if where == nil {
		where = map[string]string{}
	}
	params, err := json.Marshal(where)
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.ID, err)
	}
	var expires, most driver.Value
	if !r.ExpiresAt.IsZero() {
		expires = chain.MS(r.ExpiresAt)
	}
	if r.MaxUses > 0 {
		most = int64(r.MaxUses)
	}
	return []driver.Value{
		r.ID, int64(r.Version), int64(r.Priority), bit(r.Enabled), r.Scope.Project, r.Scope.Session, r.Scope.Agent,
		r.Tool, string(params), string(r.Decision), bit(r.Dangerous), r.Reason, expires, most,
		r.CreatedBy, r.CreatedFrom, chain.MS(r.CreatedAt), chain.MS(r.UpdatedAt),
	}, nil
}

func bit(b bool) driver.Value {
	if b {
		return int64(1)
	}
	return int64(0)
}

func scanRule(row scanner) (rules.Rule, error) {
	var r rules.Rule
	var params string
	var expires, most sql.NullInt64
	var made, changed int64
	err := row.Scan(&r.ID, &r.Version, &r.Priority, &r.Enabled, &r.Scope.Project, &r.Scope.Session, &r.Scope.Agent,
		&r.Tool, &params, &r.Decision, &r.Dangerous, &r.Reason, &expires, &most,
		&r.CreatedBy, &r.CreatedFrom, &made, &changed)
	if err != nil {
		return r, err
	}
	r.ExpiresAt, r.CreatedAt, r.UpdatedAt = chain.Time(expires.Int64), chain.Time(made), chain.Time(changed)
	r.MaxUses = int(most.Int64)
	if json.Unmarshal([]byte(params), &r.Where) != nil {
		r.Where = nil // then it is not the rule that the log has
	}
	return r, nil
}

// sameRow compares a row of the table with the rule that the log has.
func sameRow(got, want *rules.Rule) bool {
	x, errX := ruleArgs(got)
	y, errY := ruleArgs(want)
	return errX == nil && errY == nil && slices.Equal(x, y) || chain.SameRule(got, want)
}

// rules writes the rows of rules. A row that is gone already needs no removing: what
// counts is the event.
func (a *applier) rules() error {
	for _, args := range a.work.rules {
		if _, err := a.c.exec(sqlRule, args...); err != nil {
			return about("rule", fmt.Sprint(args[0]), err)
		}
	}
	for _, id := range a.work.removed {
		if _, err := a.c.exec(sqlDropRule, id); err != nil {
			return about("rule", id, err)
		}
	}
	for _, id := range a.work.used {
		if _, err := a.c.exec(sqlUsedRule, id, a.work.usedAt); err != nil {
			return about("rule", id, err)
		}
	}
	return nil
}

// usesBefore is how often each rule spoke in what is archived, by id; for the caller to keep.
func (f *facts) usesBefore() map[string]int64 {
	uses := map[string]int64{}
	maps.Copy(uses, f.cut.Uses)
	return uses
}

// readUses reads how often each rule spoke; never nil. A count that another program set
// back is no less than the calls that the rule decided, archived ones included.
func readUses(ctx context.Context, q querier, f *facts) (map[string]broker.RuleUse, error) {
	floor := f.usesBefore()
	err := each(ctx, q, func(row scanner) error {
		var id string
		var n int64
		err := row.Scan(&id, &n)
		floor[id] -= n
		return err
	}, sqlLeftUse, f.base.seq, f.cut.To)
	if err != nil {
		return nil, err
	}
	uses := map[string]broker.RuleUse{}
	err = each(ctx, q, func(row scanner) error {
		var id string
		var counted, decided, last int64
		err := row.Scan(&id, &counted, &decided, &last)
		uses[id] = broker.RuleUse{Uses: int(max(counted, decided+floor[id])), Last: chain.Time(last)}
		delete(floor, id)
		return err
	}, sqlRuleUse)
	for id, n := range floor {
		if n > 0 {
			uses[id] = broker.RuleUse{Uses: int(n)}
		}
	}
	return uses, err
}
