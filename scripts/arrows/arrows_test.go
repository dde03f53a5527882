// Package arrows holds each room of aoctl to what it may know of the others.
package arrows

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient"
)

const module = "github.com/aoctl/aoctl"

// arrows says what each room may import beside the standard library; a name that
// ends in "/…" covers everything below it. Rooms that are not listed may import
// anything.
var arrows = map[string][]string{
	"broker":               {module + "/broker/agents", module + "/broker/effects", module + "/broker/forms", module + "/broker/proctree", module + "/broker/risk", module + "/broker/rules", module + "/broker/rules/patterns", module + "/broker/rules/rulesfile", module + "/broker/wire", module + "/hookclient/profile", "github.com/google/uuid"},
	"broker/service":       {module + "/broker", module + "/broker/…", "github.com/google/uuid"},
	"broker/api":           {module + "/broker", module + "/broker/agents", module + "/broker/effects", module + "/broker/engine", module + "/broker/feed", module + "/broker/forms", module + "/broker/hooks", module + "/broker/nonces", module + "/broker/once", module + "/broker/peers", module + "/broker/proctree", module + "/broker/risk", module + "/broker/rules", module + "/broker/wire", module + "/broker/workspace", "golang.org/x/sys/…", "github.com/google/uuid"},
	"broker/consoles":      {module + "/broker", module + "/broker/calls", module + "/broker/proctree", module + "/broker/rules", module + "/broker/rules/history", module + "/broker/story", module + "/broker/tally", "github.com/fxamacker/cbor/…", "github.com/google/uuid"},
	"broker/fleet/far":     {module + "/broker", module + "/broker/calls", module + "/broker/consoles", module + "/broker/fleet/keys", module + "/broker/fleet/members", module + "/broker/fleet/orders", module + "/broker/fleet/seals", module + "/broker/fleet/told", module + "/broker/rules", module + "/broker/rules/history", module + "/broker/story", module + "/broker/tally", "github.com/google/uuid"},
	"broker/calls":         {module + "/broker", module + "/broker/agents", module + "/broker/engine", module + "/broker/peers", module + "/broker/policy", module + "/broker/records", module + "/broker/risk", module + "/broker/rules", module + "/broker/vet", module + "/broker/workspace", "github.com/google/uuid"},
	"broker/hooks":         {module + "/hookclient/profile", module + "/broker", module + "/broker/agents", module + "/broker/engine", module + "/broker/peers", module + "/broker/records", module + "/broker/wire", module + "/broker/workspace"},
	"broker/policy":        {module + "/broker", module + "/broker/agents", module + "/broker/engine", module + "/broker/risk", module + "/broker/rules", module + "/broker/rules/history", module + "/broker/rules/claude", module + "/broker/rules/rulesfile", module + "/broker/vet", module + "/broker/workspace", "github.com/google/uuid"},
	"broker/metrics":       {module + "/broker"},
	"broker/spans":         {module + "/broker"},
	"broker/feed":          {module + "/broker", module + "/broker/agents", "github.com/coder/websocket"},
	"broker/nonces":        {},
	"broker/once":          {module + "/broker"},
	"broker/proposals":     {module + "/broker", "github.com/google/uuid"},
	"broker/records":       {module + "/broker", module + "/broker/engine"},
	"broker/runs":          {module + "/hookclient/profile", module + "/broker", module + "/broker/agents", module + "/broker/engine", module + "/broker/peers", module + "/broker/wire", module + "/broker/workspace", "github.com/google/uuid"},
	"broker/…":             {module + "/broker/…", module + "/hookclient/profile", "mvdan.cc/sh/…", "github.com/bmatcuk/doublestar/…"},
	"broker/proctree":      {module + "/hookclient/profile", "golang.org/x/sys/…"},
	"broker/peers":         {module + "/hookclient/profile", module + "/broker", module + "/broker/agents", module + "/broker/workspace", "golang.org/x/sys/…"},
	"broker/workspace":     {module + "/broker/effects", module + "/broker/rules", module + "/broker/risk", module + "/broker/risk/cmdline", module + "/broker/shell"},
	"broker/engine":        {module + "/broker", module + "/broker/agents", module + "/broker/engine/book", module + "/broker/engine/bucket", module + "/broker/engine/undo", module + "/broker/risk", module + "/broker/rules", module + "/broker/sessionnames", module + "/broker/wire"},
	"broker/engine/book":   {module + "/broker", module + "/broker/engine/undo", module + "/broker/rules"},
	"broker/engine/undo":   {},
	"broker/engine/bucket": {},
	"broker/engine/sim":    {module + "/broker", module + "/broker/agents", module + "/broker/consoles", module + "/broker/rules", module + "/broker/engine", module + "/broker/fleet/far", module + "/broker/fleet/keys", module + "/broker/fleet/link", module + "/broker/fleet/members", module + "/broker/fleet/orders", module + "/broker/fleet/queue", module + "/broker/fleet/told"},
	"broker/sessionnames":  {module + "/broker"},
	"broker/tally":         {module + "/broker"},
	"broker/story":         {module + "/broker", module + "/broker/agents", module + "/broker/wire"},
	"broker/effects":       {module + "/broker/shell/wordset", module + "/broker/shell/programs", module + "/broker/risk/cmdline", module + "/broker/shell", module + "/broker/shell/little"},
	"broker/spend":         {},
	"broker/rules":         {module + "/broker/risk/cmdline", module + "/broker/effects", module + "/hookclient/profile", module + "/broker/wire", module + "/broker/shell", module + "/broker/risk", module + "/broker/patch", "github.com/bmatcuk/doublestar/…", module + "/broker/shell/command", module + "/broker/rules/patterns", module + "/broker/risk/brings", module + "/broker/shell/programs"},
	"broker/risk":          {module + "/broker/effects", module + "/hookclient/profile", module + "/broker/wire", module + "/broker/shell", "github.com/bmatcuk/doublestar/…", module + "/broker/shell/wordset", module + "/broker/shell/command", module + "/broker/risk/…", module + "/broker/shell/programs"},
	"broker/shell":         {module + "/broker/shell/programs", module + "/broker/shell/command", module + "/broker/shell/links", module + "/broker/shell/plain", module + "/broker/shell/wordset", "mvdan.cc/sh/…"},
	"broker/shell/plain":   {},
	"broker/vet":           {module + "/broker/rules", module + "/broker/rules/rulesfile", module + "/broker/risk", "mvdan.cc/sh/…"},
	"broker/brokertest":    {module + "/broker", module + "/broker/rules", module + "/store/chain", "github.com/google/go-cmp/…", "github.com/google/uuid"},
	"hookclient":           {module + "/hookclient/paths", module + "/hookclient/profile"},
	"hookclient/paths":     {},
	"hookclient/profile":   {},
	"hookclient/atstart":   {module + "/hookclient"},
	"hookclient/runner":    {module + "/hookclient/…", module + "/broker/wire"},
	"store":                {module + "/broker", module + "/broker/wire", module + "/broker/rules", module + "/store/…", "github.com/mattn/go-sqlite3", "golang.org/x/sys/…"},
	"store/…":              {module + "/broker", module + "/broker/rules", module + "/store/…"},
	"tui":                  {module + "/hookclient/profile", module + "/broker", module + "/broker/consoles", module + "/broker/peers", module + "/broker/story", module + "/broker/agents", module + "/broker/forms", module + "/broker/wire", module + "/broker/rules", module + "/broker/risk", module + "/broker/patch", module + "/tui/…", "github.com/charmbracelet/…", "github.com/aymanbagabas/go-udiff", "github.com/sergi/go-diff/…", "github.com/muesli/termenv", "github.com/yuin/goldmark/…", "golang.org/x/sys/…", "mvdan.cc/sh/…", module + "/broker/rules/patterns"},
	"tui/…":                {module + "/tui/…", module + "/broker", "github.com/charmbracelet/…", "github.com/alecthomas/chroma/…", "github.com/muesli/termenv", "golang.org/x/text/unicode/runenames"},
	"tui/draw":             {module + "/tui/safe", module + "/tui/syntax", "github.com/charmbracelet/lipgloss", "github.com/muesli/termenv"},
	"tui/diff":             {module + "/tui/draw", module + "/tui/figures", "github.com/sergi/go-diff/…"},
	"tui/change":           {module + "/broker", module + "/broker/patch", module + "/broker/wire", module + "/tui/diff", module + "/tui/draw", module + "/tui/figures", module + "/tui/syntax"},
	"tui/callview":         {module + "/broker", module + "/broker/…", module + "/tui/change", module + "/tui/diff", module + "/tui/draw", module + "/tui/figures", module + "/tui/safe", module + "/tui/syntax", "github.com/aymanbagabas/go-udiff", "github.com/yuin/goldmark/…", "mvdan.cc/sh/…"},
	"tui/guard":            {"github.com/charmbracelet/bubbletea"},
	"tui/board":            {module + "/broker", module + "/broker/…", module + "/tui/callview", module + "/tui/change", module + "/tui/diff", module + "/tui/draw", module + "/tui/figures", module + "/tui/fleet", module + "/tui/guard", module + "/tui/safe"},
	"tui/fleet":            {module + "/broker", module + "/tui/draw", module + "/tui/figures", module + "/tui/safe"},
	"tui/sessionview":      {module + "/broker", module + "/broker/wire", module + "/tui/board", module + "/tui/callview", module + "/tui/draw", module + "/tui/figures", module + "/tui/plainwords", module + "/tui/safe"},
	"tui/figures":          {},
	"tui/words":            {module + "/broker", module + "/broker/effects", module + "/broker/rules", module + "/broker/wire", module + "/tui/board", module + "/tui/callview", module + "/tui/draw", module + "/tui/figures", module + "/tui/safe"},
	"tui/event":            {module + "/broker", module + "/broker/story", module + "/tui/board", module + "/tui/callview", module + "/tui/change", module + "/tui/draw", module + "/tui/figures", module + "/tui/plainwords", module + "/tui/safe", module + "/tui/words"},
	"tui/sheet":            {module + "/broker", module + "/broker/story", module + "/tui/callview", module + "/tui/desk", module + "/tui/draw", module + "/tui/figures", module + "/tui/words", "github.com/charmbracelet/…"},
	"tui/herald":           {module + "/broker", module + "/tui/board", module + "/tui/change", module + "/tui/desk", module + "/tui/draw", module + "/tui/figures", module + "/tui/tty", "github.com/charmbracelet/…"},
	"tui/orders":           screen(),
	"tui/desk":             {module + "/broker", module + "/tui/board", module + "/tui/callview", module + "/tui/draw", module + "/tui/figures", module + "/tui/guard", module + "/tui/words", "github.com/charmbracelet/…"},
	"tui/queue":            append(screen(), module+"/hookclient/profile", module+"/tui/question", module+"/tui/orders", module+"/tui/herald"),
	"tui/question":         screen(),
	"tui/palette":          screen(),
	"tui/jump":             append(screen(), module+"/tui/tmux"),
	"tui/bytes":            screen(),
	"tui/history":          screen(),
	"tui/launch":           append(screen(), module+"/hookclient/profile"),
	"tui/editcall":         append(screen(), module+"/tui/external"),
	"tui/external":         {module + "/tui/change", "github.com/charmbracelet/bubbletea", "golang.org/x/sys/…"},
	"tui/managed":          screen(),
	"tui/message":          screen(),
	"tui/ruleedit":         screen(),
	"tui/rulebook":         screen(),
	"tui/timeline":         screen(),
	"tui/plainwords":       {module + "/broker"},
	"tui/send":             {module + "/tui/guard", "github.com/charmbracelet/bubbletea"},
	"tui/transcript":       screen(),
	"tui/suggest":          append(screen(), module+"/tui/trial"),
	"tui/trial":            screen(),
	"tui/trust":            append(screen(), module+"/tui/trial"),
	"tui/watch":            screen(),
	"tui/stats":            append(screen(), "github.com/NimbleMarkets/ntcharts/…"),
	"tui/text":             {module + "/tui/draw", module + "/tui/figures", module + "/tui/safe", "github.com/charmbracelet/…"},
	"tui/tuitest":          {module + "/broker", module + "/tui/draw", module + "/tui/figures", module + "/tui/safe", "github.com/charmbracelet/…", "github.com/google/go-cmp/…", "github.com/muesli/termenv"},
	"tui/tty":              {"github.com/charmbracelet/…", "golang.org/x/sys/…"},

	"cli/usage":     {module + "/cli/show", module + "/tui/figures", module + "/tui/safe", "github.com/spf13/cobra", "github.com/spf13/pflag"},
	"cli/exit":      {module + "/cli/show", module + "/cli/usage", module + "/tui/safe"},
	"cli/autostart": {module + "/cli/state"},
	"cli/show":      {module + "/broker", module + "/broker/agents", module + "/broker/forms", module + "/broker/rules", module + "/broker/sessionnames", module + "/tui/draw", module + "/tui/safe", module + "/tui/tty", "github.com/charmbracelet/lipgloss", "github.com/charmbracelet/x/term", "github.com/google/uuid", "github.com/muesli/termenv"},
	"cli/output":    {module + "/cli/show", module + "/cli/usage", module + "/tui/figures", module + "/tui/safe", "github.com/itchyny/gojq", "github.com/spf13/cobra"},
	"cli/terminal":  {module + "/cli/exit", module + "/cli/usage", "github.com/charmbracelet/bubbles/…", "github.com/charmbracelet/x/ansi", "github.com/charmbracelet/x/term", "golang.org/x/sys/…"},
	"cli/client":    {module + "/broker", module + "/broker/sessionnames", module + "/broker/wire", module + "/cli/exit", module + "/cli/show", module + "/cli/usage", module + "/hookclient/paths", "github.com/spf13/cobra", "golang.org/x/sys/…"},
	"cli/state":     {"github.com/spf13/cobra", module + "/cli/client", module + "/broker", module + "/broker/policy", module + "/broker/rules", module + "/broker/story", module + "/broker/tally", module + "/broker/workspace", module + "/cli/exit", module + "/cli/show", module + "/hookclient/install", module + "/hookclient/paths", module + "/store", module + "/tui/figures", module + "/tui/safe", "github.com/google/uuid", "golang.org/x/sys/…"},
	"cli/version":   {module + "/broker/wire"},
	"cli/config":    {module + "/broker", module + "/broker/spend", module + "/broker/rules/tomlwords", module + "/cli/exit", module + "/cli/terminal", module + "/cli/usage", module + "/hookclient/paths", module + "/tui/tty", "github.com/pelletier/go-toml/…", "github.com/spf13/cobra", "golang.org/x/sys/…"},

	"cli":                             {module + "/cli/…", module + "/hookclient", "github.com/spf13/cobra"},
	"cli/calls":                       family("broker", "broker/agents", "broker/forms", "broker/risk", "broker/story", "broker/wire", "store", "tui/callview", "tui/change", "tui/draw"),
	"cli/console":                     append(family("cli/member", "broker", "broker/…", "hookclient/install", "hookclient/paths", "store", "tui", "tui/callview", "tui/change", "tui/tty", "tui/tmux", "hookclient/install/check"), "github.com/spf13/pflag"),
	"cli/demo":                        family("cli/console"),
	"cli/fleet":                       family("broker", "broker/consoles", "broker/fleet/…", "cli/console", "cli/member", "hookclient/paths"),
	"cli/member":                      family("broker", "broker/consoles", "broker/fleet/…", "hookclient/paths"),
	"cli/doctor":                      family("broker", "broker/…", "cli/drill", "cli/drill/fakemodel", "hookclient/install", "hookclient/paths", "hookclient/profile", "store", "hookclient/install/check", "hookclient/install/hookline"),
	"cli/drill":                       {module + "/cli/drill/fakemodel", module + "/hookclient/profile"},
	"cli/drill/fakemodel":             {},
	"cli/logs":                        family("broker", "broker/agents", "broker/api", "broker/forms", "broker/rules", "broker/story", "broker/tally", "hookclient/paths", "store"),
	"cli/rules":                       family("broker", "broker/effects", "broker/risk", "broker/rules", "broker/rules/claude", "broker/rules/history", "broker/rules/rulesfile", "broker/workspace", "store"),
	"cli/mcp":                         family("broker", "broker/agents", "broker/forms", "broker/wire", "hookclient", "hookclient/profile"),
	"cli/run":                         family("broker", "broker/wire", "hookclient", "hookclient/paths", "hookclient/runner"),
	"cli/sessions":                    family("broker", "broker/fleet/far", "broker/fleet/members", "broker/peers", "broker/proctree", "broker/story", "broker/wire", "cli/member", "store", "tui/callview", "tui/draw", "tui/orders", "tui/sessionview"),
	"cli/trust":                       family("broker", "broker/effects", "broker/rules", "broker/workspace"),
	"cli/setup":                       family("hookclient/install", "hookclient/install/jsonc", "hookclient/paths", "hookclient/profile"),
	"hookclient/install/jsonc":        {"github.com/tailscale/hujson"},
	"hookclient/install":              {module + "/hookclient", module + "/hookclient/install/hookline", module + "/hookclient/install/jsonc", module + "/hookclient/install/machine", module + "/hookclient/profile", module + "/broker/wire", "github.com/aymanbagabas/go-udiff", "github.com/pelletier/go-toml/…"},
	"hookclient/install/check":        {module + "/hookclient", module + "/hookclient/install", module + "/hookclient/install/hookline", module + "/hookclient/install/jsonc", module + "/hookclient/install/machine", module + "/hookclient/profile"},
	"hookclient/install/hookline":     {module + "/hookclient/profile"},
	"hookclient/install/machine":      {},
	"broker/shell/wordset":            {},
	"broker/shell/command":            {module + "/broker/shell/little", module + "/broker/shell/programs", module + "/broker/shell/wordset"},
	"broker/shell/little":             {module + "/broker/shell/wordset"},
	"broker/rules/patterns":           {"github.com/bmatcuk/doublestar/…"},
	"broker/rules/claude":             {module + "/broker/rules", module + "/broker/rules/patterns"},
	"broker/rules/history":            {module + "/broker/effects", module + "/broker/rules"},
	"broker/rules/tomlwords":          {},
	"broker/rules/rulesfile":          {module + "/broker/effects", module + "/broker/rules/tomlwords", module + "/broker/rules", "github.com/pelletier/go-toml/…", "github.com/google/uuid"},
	"broker/rules/rulestest":          {module + "/broker/risk"},
	"broker/rules/rulestest/prepared": {module + "/broker/risk", module + "/broker/rules"},
	"broker/risk/brings":              {module + "/broker/shell/programs", module + "/broker/shell", module + "/broker/shell/wordset", module + "/broker/risk/cmdline"},
	"broker/risk/cmdline":             {module + "/broker/shell", module + "/broker/shell/command", module + "/broker/shell/programs", module + "/broker/risk/pathtable", module + "/hookclient/profile"},
	"broker/risk/commands":            {module + "/broker/shell", module + "/broker/shell/programs", module + "/broker/shell/wordset", module + "/broker/risk/cmdline", module + "/broker/risk/pathtable", module + "/broker/risk/said", module + "/hookclient/profile"},
	"broker/risk/said":                {},
	"broker/risk/pathtable":           {module + "/broker/shell/wordset"},
	"broker/shell/programs":           {},
	"broker/shell/links":              {module + "/broker/shell/programs", module + "/broker/shell/command", module + "/broker/shell/wordset"},

	// Only tests import them.
	"broker/brokertest/operated":     {module + "/broker", module + "/broker/api", module + "/broker/brokertest", module + "/broker/forms", module + "/broker/service"},
	"broker/brokertest/seeded":       {"pgregory.net/rapid"},
	"hookclient/install/installtest": {module + "/broker/brokertest/memdir"},

	"broker/fleet/keys/keystest": {module + "/broker/fleet/keys"},
	"broker/fleet/keys":          {"github.com/fxamacker/cbor/v2"},
	"broker/fleet/jet":           {module + "/broker/fleet/keys", module + "/broker/fleet/link", module + "/broker/fleet/orders", module + "/broker/fleet/queue", module + "/broker/fleet/told", "github.com/nats-io/nats.go", "github.com/nats-io/nats.go/jetstream", "github.com/nats-io/nkeys"},
	"broker/fleet/server":        {module + "/broker", module + "/broker/fleet/jet", module + "/broker/fleet/keys", module + "/broker/fleet/members", module + "/broker/fleet/orders", module + "/broker/fleet/queue", module + "/broker/fleet/told", "github.com/nats-io/…"},
	"broker/fleet/fleettest":     {module + "/broker/fleet/jet", module + "/broker/fleet/keys", module + "/broker/fleet/keys/keystest", module + "/broker/fleet/members", module + "/broker/fleet/server"},
	"broker/fleet/aoctl-fleet":   {module + "/broker/fleet/keys", module + "/broker/fleet/server", "github.com/spf13/pflag"},
}

// screen is what a screen of the console may import: the domain, what screens share, and never
// another screen.
func screen() []string {
	list := []string{module + "/broker", module + "/broker/…", "github.com/charmbracelet/…"}
	for _, shared := range []string{"board", "callview", "change", "desk", "diff", "draw", "event", "figures", "fleet", "guard", "plainwords", "safe", "send", "sessionview", "sheet", "text", "tty", "words"} {
		list = append(list, module+"/tui/"+shared)
	}
	return list
}

// family is what a family of commands may import: what families share, and more of the
// module. None of them knows another.
func family(more ...string) []string {
	allowed := []string{"github.com/spf13/cobra", "github.com/charmbracelet/x/…", "github.com/google/uuid", "golang.org/x/sys/…", module + "/broker/sessionnames", module + "/tui/figures", module + "/tui/plainwords", module + "/tui/safe"}
	for _, room := range []string{"autostart", "client", "config", "exit", "output", "show", "state", "terminal", "usage", "version"} {
		allowed = append(allowed, module+"/cli/"+room)
	}
	for _, room := range more {
		allowed = append(allowed, module+"/"+room)
	}
	return allowed
}

// TestArrows keeps packages from knowing what they need not know.
func TestArrows(t *testing.T) {
	for room, imports := range packages(t) {
		allowed, bound := arrowsOf(room)
		if !bound {
			continue
		}
		for _, path := range imports {
			standard := !strings.Contains(strings.SplitN(path, "/", 2)[0], ".")
			if !standard && !slices.ContainsFunc(allowed, func(a string) bool { return covers(a, path) }) {
				t.Errorf("%s imports %s, which it need not know", room, path)
			}
		}
	}
}

// TestHookClientStartsFast: what the hook client links is what every tool call of
// every agent waits for.
func TestHookClientStartsFast(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"/hookclient/aoctl-hook").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{"net", "net/http", "crypto/tls", "database/sql", "text/template", "os/exec"} {
		if slices.Contains(deps, heavy) {
			t.Errorf("the hook client links %s", heavy)
		}
	}
	for _, d := range deps {
		outside := strings.Contains(strings.SplitN(d, "/", 2)[0], ".") && !strings.HasPrefix(d, "vendor/")
		if outside && !covers(module+"/hookclient/…", d) {
			t.Errorf("the hook client links %s, which is not of the standard library", d)
		}
	}
}

// TestAoctlLinksNoServer: aoctl is a hook client as well, and what the fleet's server does when it is
// loaded would be waited for at every tool call. Only jet knows the client.
func TestAoctlLinksNoServer(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, d := range strings.Fields(string(out)) {
		if covers("github.com/nats-io/nats-server/…", d) || covers(module+"/broker/fleet/server/…", d) {
			t.Errorf("aoctl links %s", d)
		}
	}
	for room, imports := range packages(t) {
		if slices.ContainsFunc(imports, func(i string) bool { return covers("github.com/nats-io/…", i) }) && !slices.Contains([]string{"broker/fleet/jet", "broker/fleet/server"}, room) {
			t.Errorf("%s knows NATS", room)
		}
	}
}

// TestSameNames: the hook client has its own copy of the protocol's names, because
// it imports nothing of the broker.
func TestSameNames(t *testing.T) {
	broker := []string{
		wire.Version, wire.HeaderProtocol, wire.HeaderCorrelation, wire.HeaderRequestID,
		wire.HeaderClientPID, wire.HeaderParentPID, wire.HeaderTimeoutMS, wire.HeaderAtMostMS, wire.HeaderEnv,
		wire.HeaderProof, wire.AskScheme,
	}
	client := []string{
		hookclient.Version, hookclient.HeaderProtocol, hookclient.HeaderCorrelation, hookclient.HeaderRequestID,
		hookclient.HeaderClientPID, hookclient.HeaderParentPID, hookclient.HeaderTimeoutMS, hookclient.HeaderAtMostMS, hookclient.HeaderEnv,
		hookclient.HeaderProof, hookclient.AskScheme,
	}
	if diff := cmp.Diff(broker, client); diff != "" {
		t.Errorf("broker (-) and hook client (+) name things differently:\n%s", diff)
	}
	if diff := cmp.Diff(wire.TellTales, hookclient.TellTales()); diff != "" {
		t.Errorf("tell-tales of broker (-) and hook client (+) differ:\n%s", diff)
	}
	if wire.NonceSize != hookclient.NonceSize {
		t.Errorf("the broker takes nonces of %d bytes, the hook client makes %d", wire.NonceSize, hookclient.NonceSize)
	}
	if wire.MaxHookBody != hookclient.MaxHookBody {
		t.Errorf("the broker takes payloads of %d bytes, the hook client of %d", wire.MaxHookBody, hookclient.MaxHookBody)
	}
}

// packages lists every package of the module, by its path inside, with its imports.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	rooms := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		rooms[strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")] = fields[1:]
	}
	if len(rooms) < 5 {
		t.Fatalf("go list found only %d packages", len(rooms))
	}
	return rooms
}

// arrowsOf finds the rule for room: its own, or that of the nearest room above.
func arrowsOf(room string) (allowed []string, bound bool) {
	if allowed, bound = arrows[room]; bound {
		return allowed, true
	}
	for rule, list := range arrows {
		if strings.HasSuffix(rule, "/…") && covers(rule, room) && room != strings.TrimSuffix(rule, "/…") {
			return list, true
		}
	}
	return nil, false
}

// covers reports whether path is pattern, or lies below a pattern that ends in "/…".
func covers(pattern, path string) bool {
	base, below := strings.CutSuffix(pattern, "/…")
	return path == base || below && strings.HasPrefix(path, base+"/")
}
