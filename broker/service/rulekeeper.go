package service

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// rulekeeper holds what decides calls without a person, and who may change it. The
// log's facts are where it comes from; nothing here is the authority.
type rulekeeper struct {
	// changing is held while a fact is recorded and made true, so that facts become
	// true in the order of the log. It comes before every other lock.
	changing sync.Mutex
	set      atomic.Pointer[rules.Set] // compiled: own rules and those of projects' files
	files    projectFiles

	// Guarded by Broker.mu.
	own     map[string]rules.Rule     // with their uses
	filed   map[string]rules.Rule     // of projects' files, as they are in the set
	use     map[string]broker.RuleUse // of rules that stand elsewhere: built in, in files
	trusted map[string]string         // real path of a rules file to the digest that is trusted
	tokens  map[string]broker.TokenData
	minted  map[string]time.Time
	doubt   string // why no rule may allow anything
	unread  string // why it is not known whether the log is as it was; until then none may either
	stuck   string // why the set is not what the rules say; then none may allow anything either
	counted bool   // uses changed since watchers were told
}

// The most rules that are kept: projects' files, which anybody may write, never take
// the room of the operator's own.
const (
	maxFiled = 2000 // of all files together
	maxOwn   = rules.MaxRules - maxFiled
)

// restoreFacts replays the log's facts. Rules that cannot be made ready allow nothing,
// and keep nobody from the console. Caller holds mu.
func (b *Broker) restoreFacts(saved broker.Saved) error {
	k := &b.keeper
	k.own, k.use = map[string]rules.Rule{}, maps.Clone(saved.RuleUse)
	if k.use == nil {
		k.use = map[string]broker.RuleUse{}
	}
	k.trusted, k.tokens, k.minted = map[string]string{}, map[string]broker.TokenData{}, map[string]time.Time{}
	k.files.known = map[string]*projectFile{}
	k.doubt = saved.Doubt
	for _, e := range saved.Facts {
		if err := k.fold(e); err != nil {
			k.doubt = cmp.Or(k.doubt, fmt.Sprintf("event %d of the log cannot be read: %v", e.Seq, err))
		}
	}
	k.doubt = cmp.Or(k.doubt, b.restoreFreezes(saved))
	for id, r := range k.own {
		u := k.use[id]
		r.Uses, r.LastUsedAt = u.Uses, u.Last
		k.own[id] = r
		delete(k.use, id)
	}
	none, err := rules.Compile(nil)
	if err != nil {
		return fmt.Errorf("compile no rules: %w", err)
	}
	k.set.Store(none)
	b.recompile()
	return nil
}

// fold makes one fact true. Caller holds mu.
func (k *rulekeeper) fold(e broker.Event) error {
	switch e.Type {
	case broker.EventRuleSaved:
		var d broker.RuleSavedData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		if err := d.Rule.Check(); err != nil {
			return err
		}
		k.own[d.Rule.ID] = d.Rule
	case broker.EventRuleRemoved:
		var d broker.RuleRemovedData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		delete(k.own, d.ID)
	case broker.EventFileTrusted:
		var d broker.FileTrustedData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		k.trusted[d.Path] = d.Digest
	case broker.EventTokenMinted, broker.EventTokenRevoked:
		var d broker.TokenData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		delete(k.tokens, d.ID)
		if e.Type == broker.EventTokenMinted {
			k.tokens[d.ID], k.minted[d.ID] = d, e.At
		}
	}
	return nil
}

// compile makes the set anew from all rules. When it fails, the set in force stays and
// is known to be stuck. Caller holds mu.
func (b *Broker) compile() error {
	k := &b.keeper
	list := slices.Collect(maps.Values(k.own))
	filed := map[string]rules.Rule{}
	for _, f := range k.files.list() {
		for _, r := range f.Rules {
			u := k.use[r.ID]
			r.Uses, r.LastUsedAt = u.Uses, u.Last
			filed[r.ID] = r
			list = append(list, r)
		}
	}
	set, err := rules.Compile(list)
	if err == nil && len(filed) > maxFiled {
		err = fmt.Errorf("projects' files have %d rules together; at most %d are allowed", len(filed), maxFiled)
	}
	if err != nil {
		err = fmt.Errorf("compile the rules: %w", err)
		k.stuck = err.Error()
		return err
	}
	k.filed, k.stuck = filed, ""
	k.set.Store(set)
	return nil
}

// recompile is compile for those who have nobody to tell. Caller holds mu.
func (b *Broker) recompile() {
	if err := b.compile(); err != nil {
		b.log.Error("rules not compiled", "err", err)
	}
}

// keep brings rule r, one of the broker's own or of a file, up to date in the set: all
// rules are compiled only when that does not do. Caller holds mu.
func (b *Broker) keep(r rules.Rule) {
	next, err := b.keeper.set.Load().With(r)
	if err != nil || b.keeper.stuck != "" {
		b.recompile()
		return
	}
	b.keeper.set.Store(next)
}

// drop takes rule id out of the set. Caller holds mu.
func (b *Broker) drop(id string) {
	b.keeper.set.Store(b.keeper.set.Load().Without(id))
	if b.keeper.stuck != "" {
		b.recompile()
	}
}

// sortRules puts rules in the order in which they speak.
func sortRules(list []rules.Rule) {
	slices.SortFunc(list, func(x, y rules.Rule) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
}

// spend counts one use of each of the rules that a verdict of set rests on. It reports
// whether set is still what holds and each rule had a use left; when not, nothing is
// counted, and the set in force no longer has what is used up.
func (b *Broker) spend(set *rules.Set, ids []string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := &b.keeper
	if k.set.Load() != set {
		return false
	}
	for _, id := range ids {
		if r, ok := k.rule(id); ok && usedUp(r) {
			b.keep(r)
			return false
		}
	}
	k.counted = true
	for _, id := range ids {
		if r, ok := k.own[id]; ok {
			r.Uses, r.LastUsedAt = r.Uses+1, now
			k.own[id] = r
		} else {
			k.use[id] = broker.RuleUse{Uses: k.use[id].Uses + 1, Last: now}
		}
		if r, ok := k.rule(id); ok && usedUp(r) {
			b.keep(r)
		}
	}
	return true
}

// unspend takes back what spend counted, because it decided nothing after all.
func (b *Broker) unspend(ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := &b.keeper
	for _, id := range ids {
		if r, ok := k.own[id]; ok {
			r.Uses = max(0, r.Uses-1)
			k.own[id] = r
		} else {
			k.use[id] = broker.RuleUse{Uses: max(0, k.use[id].Uses-1), Last: k.use[id].Last}
		}
		if r, ok := k.rule(id); ok && r.MaxUses > 0 {
			b.keep(r) // it may have a use left again
		}
	}
}

// rule is a rule that is not built in, with its uses. Caller holds mu.
func (k *rulekeeper) rule(id string) (rules.Rule, bool) {
	if r, ok := k.own[id]; ok {
		return r, true
	}
	r, ok := k.filed[id]
	r.Uses, r.LastUsedAt = k.use[id].Uses, k.use[id].Last
	return r, ok
}

func usedUp(r rules.Rule) bool { return r.MaxUses > 0 && r.Uses >= r.MaxUses }

// ruleBook is what consoles show. Caller holds mu.
func (b *Broker) ruleBook() broker.RuleBook {
	k := &b.keeper
	book := broker.RuleBook{Rules: slices.Collect(maps.Values(k.own)), Files: k.files.list(), Problem: cmp.Or(k.doubt, k.unread, k.stuck)}
	for _, f := range book.Files {
		for i := range f.Rules {
			u := k.use[f.Rules[i].ID]
			f.Rules[i].Uses, f.Rules[i].LastUsedAt = u.Uses, u.Last
		}
		book.Rules = append(book.Rules, f.Rules...)
	}
	sortRules(book.Rules)
	return book
}

// publishRules tells watchers of the rules. Caller holds mu.
func (b *Broker) publishRules() {
	b.keeper.counted = false
	if len(b.watchers) > 0 {
		b.publish(broker.Update{Rules: new(b.ruleBook())})
	}
}

// doubtRules stops every rule from allowing anything, for good: what the rules were
// is no longer certain.
func (b *Broker) doubtRules(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keeper.doubt == "" && why != "" {
		b.keeper.doubt = why
		b.publishRules()
	}
}

// NoteLog tells the broker what a check of the whole log found: "" that all is well.
// From a broken log on no rule allows anything, and the console says so.
func (b *Broker) NoteLog(problem string) {
	defer b.NoteLogUnread("") // last: until the doubt holds, nothing may be allowed either
	if problem == "" {
		return
	}
	b.doubtRules("the log was changed by another program: " + problem)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.health.LogBroken = problem
	b.publish(broker.Update{Health: new(b.health)})
}

// NoteLogUnread tells the broker that the whole log could not be checked, and why; ""
// that it no longer stands in the way. Until a check is done no rule allows anything,
// and the console says so.
func (b *Broker) NoteLogUnread(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.health.LogUnread == why {
		return
	}
	b.health.LogUnread, b.keeper.unread = why, ""
	if why != "" {
		b.keeper.unread = "the log could not be checked: " + why
	}
	b.publish(broker.Update{Health: new(b.health)})
	b.publishRules()
}
