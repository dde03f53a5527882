package service

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// ruleBody is a rule as a caller may say it; what is not there is the broker's.
type ruleBody struct {
	ID          string            `json:"id"`
	Version     int               `json:"version"` // PUT: of the rule that is to be changed
	Priority    *int              `json:"priority"`
	Enabled     *bool             `json:"enabled"`
	Scope       rules.Scope       `json:"scope"`
	Tool        string            `json:"tool"`
	Where       map[string]string `json:"where"`
	Decision    rules.Verdict     `json:"decision"`
	Dangerous   bool              `json:"dangerous"`
	Reason      string            `json:"reason"`
	ExpiresAt   time.Time         `json:"expires_at"`
	MaxUses     int               `json:"max_uses"`
	CreatedFrom string            `json:"created_from"`
}

func (b ruleBody) rule() rules.Rule {
	r := rules.Rule{
		ID: b.ID, Version: b.Version, Priority: rules.DefaultPriority, Enabled: true, Scope: b.Scope, Tool: b.Tool, Where: b.Where,
		Decision: b.Decision, Dangerous: b.Dangerous, Reason: b.Reason, ExpiresAt: b.ExpiresAt, MaxUses: b.MaxUses, CreatedFrom: b.CreatedFrom,
	}
	if b.Priority != nil {
		r.Priority = *b.Priority
	}
	if b.Enabled != nil {
		r.Enabled = *b.Enabled
	}
	return r
}

func (b *Broker) getRules(w http.ResponseWriter, r *http.Request) {
	book := b.Rules(r.Context())
	writeJSON(w, http.StatusOK, struct {
		Rules   []rules.Rule       `json:"rules"`
		Files   []broker.RulesFile `json:"files"`
		Problem string             `json:"problem,omitempty"`
	}{append([]rules.Rule{}, book.Rules...), append([]broker.RulesFile{}, book.Files...), book.Problem})
}

func (b *Broker) postRule(w http.ResponseWriter, r *http.Request) { b.takeRule(w, r, "") }

// putRule replaces a rule. The body's version must be the current one: whoever changes
// a rule has seen it.
func (b *Broker) putRule(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if r, known := b.view.Rule(id); !known || r.Source != "" {
		fail(w, fmt.Errorf("rule %s: %w", broker.Clip(id), broker.ErrNotFound))
		return
	}
	b.takeRule(w, r, id)
}

func (b *Broker) postSessionRule(w http.ResponseWriter, r *http.Request) {
	s, err := b.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	b.takeRuleOf(w, r, "", s.ID)
}

func (b *Broker) takeRule(w http.ResponseWriter, r *http.Request, id string) {
	b.takeRuleOf(w, r, id, "")
}

// takeRuleOf saves the rule in the body: under id when there is one, for one session
// when there is one.
func (b *Broker) takeRuleOf(w http.ResponseWriter, r *http.Request, id, session string) {
	var body ruleBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := b.callerOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	rule := body.rule()
	switch {
	case id != "" && rule.ID != "" && rule.ID != id:
		err = fmt.Errorf("%w: the body's id is not the path's", broker.ErrInvalid)
	case id == "" && rule.Version != 0:
		err = fmt.Errorf("%w: a new rule has no version; PUT /rules/{id} changes one", broker.ErrInvalid)
	case session != "" && rule.Scope.Session != "" && rule.Scope.Session != session:
		err = fmt.Errorf("%w: the rule is of another session", broker.ErrInvalid)
	}
	if err != nil {
		fail(w, err)
		return
	}
	if id != "" {
		rule.ID = id
	}
	if session != "" {
		rule.Scope.Session = session
	}
	saved, err := b.SaveRule(r.Context(), rule, by)
	if err != nil {
		fail(w, err)
		return
	}
	if saved.Decided == nil {
		saved.Decided = []broker.Request{}
	}
	writeJSON(w, http.StatusOK, saved)
}

func (b *Broker) deleteRule(w http.ResponseWriter, r *http.Request) {
	by, err := b.callerOf(r)
	if err == nil {
		err = b.RemoveRule(r.Context(), r.PathValue("id"), by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"id": r.PathValue("id")})
}

// getSessionRules lists the rules that can speak about a session's calls.
func (b *Broker) getSessionRules(w http.ResponseWriter, r *http.Request) {
	s, err := b.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	project := workspace.RealPath(cmp.Or(s.ProjectDir, s.CWD))
	var list []rules.Rule
	for _, rule := range b.Rules(r.Context()).Rules {
		at := rule.Scope
		if (at.Session == "" || at.Session == s.ID) && (at.Agent == "" || at.Agent == s.Agent) &&
			(at.Project == "" || workspace.Below(workspace.RealPath(at.Project), project)) {
			list = append(list, rule)
		}
	}
	writeList(w, list, nil)
}

// explainBody is a call that nobody makes: what would the rules say?
type explainBody struct {
	SessionID string          `json:"session_id"`
	Agent     string          `json:"agent"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	CWD       string          `json:"cwd"`
	Project   string          `json:"project_dir"`
}

// postExplain judges a call without asking, recording or counting anything.
func (b *Broker) postExplain(w http.ResponseWriter, r *http.Request) {
	var body explainBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	switch {
	case body.ToolName == "":
		fail(w, fmt.Errorf("%w: tool_name is missing", broker.ErrInvalid))
		return
	case len(body.ToolInput) == 0 || body.ToolInput[0] != '{':
		fail(w, fmt.Errorf("%w: tool_input must be an object", broker.ErrInvalid))
		return
	case body.CWD != "" && !filepath.IsAbs(body.CWD):
		fail(w, fmt.Errorf("%w: cwd must be absolute", broker.ErrInvalid))
		return
	}
	req := broker.Request{SessionID: body.SessionID, Agent: cmp.Or(body.Agent, "claude"), ToolName: body.ToolName, ToolInput: body.ToolInput, CWD: body.CWD}
	project := cmp.Or(body.Project, b.view.Look(&req).Project)
	writeJSON(w, http.StatusOK, b.policy.Assess(b.policy.PrepareAt(workspace.NewPaths(), req, project, true), project))
}

// postPreview says what a rule would have done, without saving it.
func (b *Broker) postPreview(w http.ResponseWriter, r *http.Request) {
	var body ruleBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	p, err := b.Preview(r.Context(), body.rule())
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, p)
}

func (b *Broker) getGrants(w http.ResponseWriter, r *http.Request) {
	list, err := b.store.Grants(r.Context())
	writeList(w, list, err)
}

// deleteGrant takes back a grant that was not used: anybody may, it only refuses.
func (b *Broker) deleteGrant(w http.ResponseWriter, r *http.Request) {
	by, err := b.callerOf(r)
	if err == nil {
		err = b.RevokeGrant(r.Context(), r.PathValue("id"), by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"id": r.PathValue("id")})
}

// getStats counts calls: of ?session_id, since ?since (RFC 3339).
func (b *Broker) getStats(w http.ResponseWriter, r *http.Request) {
	var since time.Time
	if v := r.URL.Query().Get("since"); v != "" {
		t, err := time.Parse(time.RFC3339, v)
		if err != nil {
			fail(w, fmt.Errorf("%w: since must be a time such as 2026-01-31T00:00:00Z", broker.ErrInvalid))
			return
		}
		since = t
	}
	s, err := b.Stats(r.Context(), r.URL.Query().Get("session_id"), since)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, s)
}

func (b *Broker) postObserve(w http.ResponseWriter, r *http.Request) {
	var body struct {
		On        *bool  `json:"on"`
		SessionID string `json:"session_id"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := b.callerOf(r)
	switch {
	case err != nil:
	case body.On == nil:
		err = fmt.Errorf("%w: on is missing; send true or false", broker.ErrInvalid)
	default:
		err = b.Observe(r.Context(), body.SessionID, *body.On, by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"on": *body.On, "session_id": body.SessionID})
}
