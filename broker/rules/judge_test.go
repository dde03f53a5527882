package rules

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/rulestest"
	"github.com/google/go-cmp/cmp"
)

var (
	made = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now  = made.Add(time.Hour)
)

func (w world) bash(tb testing.TB, line string) Question {
	tb.Helper()
	return w.question(tb, "Bash", map[string]any{"command": line})
}

// rule makes a rule of a decision, a tool, and parameters and patterns in turn.
func rule(d Verdict, tool string, where ...string) Rule {
	r := Rule{ID: string(d) + " " + tool + " " + strings.Join(where, " "), Version: 1, Priority: DefaultPriority, Enabled: true, Tool: tool, Decision: d, CreatedAt: made}
	for i := 0; i < len(where); i += 2 {
		if r.Where == nil {
			r.Where = map[string]string{}
		}
		r.Where[where[i]] = where[i+1]
	}
	return r
}

func with(r Rule, change func(*Rule)) Rule {
	change(&r)
	return r
}

func set(tb testing.TB, list ...Rule) *Set {
	tb.Helper()
	s, err := Compile(list)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// judge asks both Judge and Verdict, which have to agree.
func judge(tb testing.TB, s *Set, c *Call) Assessment {
	tb.Helper()
	a := s.Judge(c, now)
	if v, id := s.Verdict(c, now); v != a.Verdict || id != a.Rule {
		tb.Errorf("Judge says %s by %q, Verdict %s by %q", a.Verdict, a.Rule, v, id)
	}
	if a.Reason == "" {
		tb.Error("no reason")
	}
	return a
}

func TestLines(t *testing.T) {
	w := newWorld(t)
	npm, curlDeny := rule(Allow, "Bash", "command", "npm run *"), with(rule(Deny, "Bash", "command", "curl *"), func(r *Rule) { r.Reason = "no network" })
	envDeny := rule(Deny, "Read", "file_path", "**/.env")
	dangerous := func(command string) Rule {
		return with(rule(Allow, "Bash", "command", command), func(r *Rule) { r.Dangerous = true })
	}
	for name, tt := range map[string]struct {
		rules  []Rule
		line   string
		want   Verdict
		reason string
	}{
		"one command":             {[]Rule{npm}, "npm run test", Allow, `rule "npm run *" allows it`},
		"no rule allows":          {nil, "npm run test", Ask, `no rule allows "npm run test"`},
		"second asks":             {[]Rule{npm}, "npm run test && curl x", Ask, `no rule allows "curl x"`},
		"second denied":           {[]Rule{npm, curlDeny}, "npm run test && curl x", Deny, `denied by rule "curl *": no network`},
		"denied by base name":     {[]Rule{curlDeny}, "/usr/bin/curl x", Deny, "curl"},
		"denied in a wrapper":     {[]Rule{curlDeny}, "timeout 5 curl x", Deny, "curl"},
		"denied in sh -c":         {[]Rule{curlDeny}, "bash -c 'curl x'", Deny, "curl"},
		"denied in raw text":      {[]Rule{curlDeny}, `$x "cu"rl -s y`, Deny, "curl"},
		"options behind a value":  {[]Rule{curlDeny}, "sudo A=1 -u bob curl x", Deny, "curl"},
		"deny by wrapper":         {[]Rule{rule(Deny, "Bash", "command", "sudo *")}, "sudo -u root ls", Deny, "sudo"},
		"deny re in raw text":     {[]Rule{rule(Deny, "Bash", "command", "re:evil")}, `$x evil`, Deny, "evil"},
		"both allowed":            {[]Rule{npm, rule(Allow, "Bash", "command", "git status *")}, "npm run a; git status -s", Allow, `"npm run *" and "git status *" allow it`},
		"substitution":            {[]Rule{npm}, "npm run $(cat x)", Ask, ""},
		"variable by the way":     {[]Rule{rule(Allow, "Bash", "command", "*"), rule(Allow, "Bash", "assign", "CI=1")}, "CI=1 export PATH=./evil; npm test", Ask, ""},
		"variable, refused":       {[]Rule{rule(Deny, "Bash", "assign", "PATH=*")}, "CI=1 export PATH=./evil; npm test", Deny, ""},
		"unknown word":            {[]Rule{rule(Allow, "Bash", "command", "*")}, "npm run $X", Ask, "not known before it runs"},
		"local program":           {[]Rule{npm}, "./npm run test", Ask, ""},
		"other bash option":       {[]Rule{npm}, "timeout 5 npm run test", Allow, ""},
		"sudo is no plain way":    {[]Rule{npm}, "sudo npm run test", Ask, "exactly"},
		"sudo by wildcard":        {[]Rule{npm, rule(Allow, "Bash", "command", "sudo *")}, "sudo npm run test", Ask, "exactly"},
		"neutral has no say":      {[]Rule{npm}, "cd src && npm run test", Allow, ""},
		"only neutral":            {nil, "cd src", Ask, `no rule allows "cd src"`},
		"only neutral, allowed":   {[]Rule{rule(Allow, "Bash", "command", "cd *")}, "cd src", Allow, ""},
		"runner of the project":   {[]Rule{rule(Allow, "Bash", "command", "pytest *")}, "uv run pytest -q && poetry run pytest", Allow, ""},
		"runner spelled out":      {[]Rule{rule(Allow, "Bash", "command", "uv run pytest *|poetry run mypy *")}, "uv run pytest -q && poetry run mypy src", Allow, ""},
		"another runner":          {[]Rule{rule(Allow, "Bash", "command", "uv run pytest *")}, "poetry run pytest -q", Ask, ""},
		"spelled out, without":    {[]Rule{rule(Allow, "Bash", "command", "uv run pytest *")}, "pytest -q", Ask, ""},
		"runner of anything":      {[]Rule{rule(Allow, "Bash", "command", "uv run *|uv run ** -q|* run pytest")}, "uv run pytest -q", Ask, ""},
		"spelled out, of code":    {[]Rule{rule(Allow, "Bash", "command", "uv run python *")}, "uv run python -c 'x'", Ask, ""},
		"spelled out, exactly":    {[]Rule{rule(Allow, "Bash", "command", "uv run pytest -q")}, "uv run pytest -q && make", Ask, ""},
		"spelled out, a package":  {[]Rule{rule(Allow, "Bash", "command", "uv run pytest *")}, "uv run --with evil pytest", Ask, ""},
		"another user":            {[]Rule{rule(Allow, "Bash", "command", "sudo make *")}, "sudo make x", Ask, ""},
		"runner of two":           {[]Rule{rule(Allow, "Bash", "command", "env uv run pytest *")}, "env uv run pytest -q", Ask, ""},
		"not in front":            {[]Rule{rule(Allow, "Bash", "command", "find src *")}, "find . -exec src x ';'", Ask, ""},
		"runner by wildcard":      {[]Rule{rule(Allow, "Bash", "command", "bundle exec r*")}, "bundle exec rspec spec", Ask, ""},
		"runner in a runner":      {[]Rule{rule(Allow, "Bash", "command", "uv run rspec *")}, "uv run bundle exec rspec", Ask, ""},
		"runner behind sudo":      {[]Rule{rule(Allow, "Bash", "command", "uv run rspec *")}, "sudo uv run rspec", Ask, ""},
		"runner, option of code":  {[]Rule{rule(Allow, "Bash", "command", "bundle exec rspec *")}, "bundle exec rspec -r ./x", Ask, ""},
		"runner with a package":   {[]Rule{rule(Allow, "Bash", "command", "*")}, "uv run --with evil pytest", Ask, ""},
		"runner of another place": {[]Rule{rule(Allow, "Bash", "command", "*")}, "uv run --project /elsewhere pytest", Ask, ""},
		"runner of code":          {[]Rule{rule(Allow, "Bash", "command", "*")}, "poetry run python -c 'x'", Ask, ""},
		"runner of a dangerous":   {[]Rule{rule(Allow, "Bash", "command", "*")}, "bundle exec rm -rf /", Ask, ""},
		"cd out of the project":   {[]Rule{npm, rule(Allow, "Bash", "command", "cd *")}, "cd /elsewhere && npm run test", Ask, "leaves the project"},
		"cd out and back":         {[]Rule{npm}, "cd src && cd .. && npm run test", Allow, ""},
		"cd above":                {[]Rule{npm}, "cd ..; npm run test", Ask, "leaves the project"},
		"cd home":                 {[]Rule{npm}, "cd && npm run test", Ask, "leaves the project"},
		"cd back to nowhere":      {[]Rule{npm}, "cd - && npm run test", Ask, "leaves the project"},
		"cd out, the whole line":  {[]Rule{rule(Allow, "Bash", "command", "line:cd /elsewhere && npm run test")}, "cd /elsewhere && npm run test", Allow, ""},
		"cd out in a subshell":    {[]Rule{npm}, "(cd /elsewhere; npm run test)", Ask, "leaves the project"},
		"neutral denied":          {[]Rule{npm, rule(Deny, "Bash", "command", "cd *")}, "cd src && npm run test", Deny, ""},
		"neutral asks":            {[]Rule{npm, rule(Ask, "Bash", "command", "cd *")}, "cd src && npm run test", Ask, "asks"},
		"output to a file":        {[]Rule{npm}, "npm run test > out.log", Ask, "writing"},
		"output allowed":          {[]Rule{npm, rule(Allow, "Bash", "write", "*.log")}, "npm run test > out.log", Allow, ""},
		"output by Write":         {[]Rule{npm, rule(Allow, "Write", "file_path", "*.log")}, "npm run test > out.log", Allow, ""},
		"output by Write alone":   {[]Rule{npm, rule(Allow, "Write")}, "npm run test > out.log", Ask, "writing"},
		"output not by Edit":      {[]Rule{npm, rule(Allow, "Edit", "file_path", "*.log")}, "npm run test > out.log", Ask, "writing"},
		"output elsewhere":        {[]Rule{npm, rule(Allow, "Bash", "write", "**")}, "npm run test > link/out.log", Ask, ""},
		"output up":               {[]Rule{npm, rule(Allow, "Bash", "write", "**")}, "npm run test > ../out.log", Ask, ""},
		"output through dangling": {[]Rule{npm, rule(Allow, "Bash", "write", "**")}, "npm run test > dangling", Ask, ""},
		"output to nowhere":       {[]Rule{npm}, "npm run test > /dev/null 2>&1", Allow, ""},
		"output denied":           {[]Rule{npm, rule(Deny, "Edit", "file_path", "src/**")}, "npm run test > SRC/x", Deny, ""},
		"input denied":            {[]Rule{npm, envDeny}, "npm run test < .env", Deny, ""},
		"input allowed":           {[]Rule{npm, rule(Allow, "Read", "file_path", "src/**")}, "npm run test < src/a.go", Allow, ""},
		"operand denied":          {[]Rule{rule(Allow, "Bash", "command", "cat *"), envDeny}, "cat .env", Deny, ""},
		"operand denied by link":  {[]Rule{rule(Allow, "Bash", "command", "cat *"), envDeny}, "cat env", Deny, ""},
		"operand denied by dots":  {[]Rule{rule(Allow, "Bash", "command", "cat *"), envDeny}, "cat src/../.env", Deny, ""},
		"operand denied below cd": {[]Rule{rule(Allow, "Bash", "command", "cat *"), envDeny}, "cd src && cat ../.env", Deny, ""},
		"operand asked":           {[]Rule{rule(Allow, "Bash", "command", "cat *"), rule(Ask, "Read", "file_path", "secrets/**")}, "cat secrets/key", Ask, ""},
		"operand free":            {[]Rule{rule(Allow, "Bash", "command", "cat *"), envDeny}, "cat src/a.go", Allow, ""},
		"wildcard may reach":      {[]Rule{rule(Allow, "Bash", "command", "cat *"), rule(Deny, "Read", "file_path", "src/*.go")}, "cat sr*/a*", Ask, "may reach"},
		"wildcard cannot reach":   {[]Rule{rule(Allow, "Bash", "command", "cat *"), rule(Deny, "Read", "file_path", "src/*.go")}, "cat src/*.md", Allow, ""},
		"tree may reach":          {[]Rule{rule(Allow, "Bash", "command", "grep *"), rule(Deny, "Read", "file_path", "secrets/**")}, "grep -r x .", Ask, "may reach"},
		"tree may reach, allowed": {[]Rule{rule(Allow, "Bash", "command", "grep *"), rule(Allow, "Read", "file_path", "src|src/**"), rule(Deny, "Read", "file_path", "src/sub/**")}, "grep -r x src", Ask, "may reach"},
		"both parts":              {[]Rule{rule(Allow, "Bash", "command", "npm run *", "write", "*.log")}, "npm run test > a.log", Allow, ""},
		"one part missing":        {[]Rule{rule(Allow, "Bash", "command", "npm run *", "write", "*.log")}, "npm run test", Ask, ""},
		"deny needs both parts":   {[]Rule{npm, rule(Deny, "Bash", "command", "npm run *", "write", "/**")}, "npm run test", Allow, ""},
		"tool alone":              {[]Rule{rule(Allow, "Bash")}, "npm run test > a.log", Allow, ""},
		"tool alone, unsure":      {[]Rule{rule(Allow, "Bash")}, "npm run $X", Ask, ""},
		"tool alone, code":        {[]Rule{rule(Allow, "Bash")}, "sudo ls", Ask, "exactly"},
		"exact line of words":     {[]Rule{dangerous("sudo ls")}, "sudo ls", Allow, ""},
		"exact, not dangerous":    {[]Rule{rule(Allow, "Bash", "command", "sudo ls")}, "sudo ls", Ask, "dangerous"},
		"exact is the wrapper's":  {[]Rule{dangerous("ls")}, "sudo ls", Ask, ""},
		"exact with options":      {[]Rule{dangerous("sudo ls")}, "sudo -u ana ls", Ask, ""},
		"exact line":              {[]Rule{dangerous("line:sudo ls && npm run x > y")}, " sudo ls && npm run x > y", Allow, ""},
		"other line":              {[]Rule{dangerous("line:sudo ls && npm run x > y")}, "sudo ls && npm run x > z", Ask, ""},
		"code":                    {[]Rule{rule(Allow, "Bash", "command", "python3 *")}, "python3 -c 'print(1)'", Ask, "exactly"},
		"code named":              {[]Rule{rule(Allow, "Bash", "command", "python3 -c 'print(1)'")}, "python3 -c 'print(1)'", Allow, ""},
		"code named, one of two":  {[]Rule{rule(Allow, "Bash", "command", "python3 -c 'print(1)'|ls *")}, "python3 -c 'print(1)'", Ask, "exactly"},
		"traced":                  {[]Rule{rule(Allow, "Bash", "command", "npm test")}, "strace npm test", Ask, "runs through strace"},
		"assignment":              {[]Rule{npm}, "FOO=1 npm run test", Ask, ""},
		"assignment allowed":      {[]Rule{npm, rule(Allow, "Bash", "assign", "FOO=1")}, "FOO=1 npm run test", Allow, ""},
		"assignment, one of two":  {[]Rule{npm, rule(Allow, "Bash", "assign", "FOO=*|BAR=1")}, "BAR=1 npm run test", Ask, "exactly"},
		"whole tree may reach":    {[]Rule{rule(Allow, "Bash", "command", "grep *"), rule(Deny, "Read", "file_path", "/etc/**")}, "grep -r x /", Ask, ""},
		"assignment by wildcard":  {[]Rule{npm, rule(Allow, "Bash", "assign", "FOO=*")}, "FOO=1 npm run test", Ask, "exactly"},
		"assignment denied":       {[]Rule{npm, rule(Deny, "Bash", "assign", "FOO=*")}, "FOO=1 npm run test", Deny, ""},
		"hidden character":        {[]Rule{rule(Allow, "Bash", "command", "npm run *")}, "npm run test\u202e", Ask, ""},
		"writes beside project":   {[]Rule{rule(Allow, "Bash", "command", "cp *")}, "cp go.mod ../shop-evil/x", Ask, "outside the project"},
		"writes through link":     {[]Rule{rule(Allow, "Bash", "command", "cp *")}, "cp go.mod link/x", Ask, "outside the project"},
		"writes home":             {[]Rule{rule(Allow, "Bash", "command", "cp *")}, "cp go.mod ~/x", Ask, "outside the project"},
		"writes home, named":      {[]Rule{rule(Allow, "Bash", "command", "cp go.mod ../shop-evil/x")}, "cp go.mod ../shop-evil/x", Allow, ""},
		"writes home, by file":    {[]Rule{rule(Allow, "Bash", "command", "cp *"), rule(Allow, "Write", "file_path", "~/x")}, "cp go.mod ~/x", Allow, ""},
		"writes temporary":        {[]Rule{rule(Allow, "Bash", "command", "cp *")}, "cp go.mod /var/tmp/x", Allow, ""},
		"nowhere needs nothing":   {[]Rule{rule(Allow, "Bash", "command", "echo *")}, "echo x > /dev/null", Allow, ""},
		"nowhere alone":           {[]Rule{rule(Deny, "Write"), npm}, "npm run x > /dev/null", Allow, ""},
		"unknown folder":          {[]Rule{rule(Allow, "Bash", "command", "*"), rule(Deny, "Read", "file_path", "src/.env")}, "npm x || cd src; cat .env", Ask, ""},
		"empty":                   {[]Rule{rule(Allow, "Bash")}, "", Ask, ""},
		"comment":                 {[]Rule{rule(Allow, "Bash")}, "# x", Ask, ""},
		"other machine":           {[]Rule{rule(Allow, "Bash", "command", "*")}, "ssh host ls", Ask, ""},
		"not parsed":              {[]Rule{rule(Allow, "Bash")}, "npm run 'x", Ask, ""},
		"not parsed, denied":      {[]Rule{curlDeny}, "curl 'x", Deny, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := judge(t, set(t, tt.rules...), Prepare(w.bash(t, tt.line)))
			if a.Verdict != tt.want || !strings.Contains(a.Reason, tt.reason) {
				t.Errorf("%s: %s, %s; want %s, …%s…", tt.line, a.Verdict, a.Reason, tt.want, tt.reason)
				for _, e := range a.Elements {
					t.Logf("%+v", e)
				}
			}
		})
	}
}

func TestTools(t *testing.T) {
	w := newWorld(t)
	allow := func(where ...string) []Rule { return []Rule{rule(Allow, "*", where...)} }
	deny := func(where ...string) []Rule { return []Rule{rule(Allow, "*"), rule(Deny, "*", where...)} }
	in := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	p := w.project
	for name, tt := range map[string]struct {
		rules []Rule
		tool  string
		input map[string]any
		want  Verdict
	}{
		"path":                   {allow("file_path", "src/**"), "Write", in("file_path", p+"/src/new.go", "content", "x"), Allow},
		"path relative":          {allow("file_path", "src/**"), "Write", in("file_path", "src/new.go"), Allow},
		"path by project":        {allow("file_path", p+"/**"), "Write", in("file_path", p+"/src/a.go"), Allow},
		"path dots":              {allow("file_path", p+"/**"), "Write", in("file_path", p+"/../shop-evil/x"), Ask},
		"path look-alike":        {allow("file_path", p+"/**"), "Write", in("file_path", p+"-evil/x"), Ask},
		"path link":              {allow("file_path", p+"/**"), "Write", in("file_path", p+"/link/x"), Ask},
		"path link and dots":     {allow("file_path", p+"/**"), "Write", in("file_path", p+"/link/../shop/src/a.go"), Ask},
		"path dangling":          {allow("file_path", p+"/**"), "Write", in("file_path", p+"/dangling"), Ask},
		"path loop":              {allow("file_path", p+"/**"), "Write", in("file_path", p+"/loop"), Ask},
		"path loop, any":         {allow(), "Write", in("file_path", p+"/loop/x"), Ask},
		"path NUL":               {allow("file_path", p+"/**"), "Write", in("file_path", p+"/a\x00b"), Ask},
		"path long":              {allow("file_path", p+"/**"), "Write", in("file_path", p+"/"+strings.Repeat("a", 5000)), Ask},
		"path long parts":        {allow("file_path", p+"/**"), "Write", in("file_path", p+"/"+strings.Repeat("a/", 2500)), Ask},
		"path tilde":             {allow("file_path", "**"), "Write", in("file_path", "~/.ssh/id"), Ask},
		"path dollar":            {allow("file_path", "**"), "Write", in("file_path", "$HOME/x"), Ask},
		"path blank":             {allow("file_path", "**"), "Write", in("file_path", " /etc/x"), Ask},
		"path blank behind":      {allow("file_path", "**"), "Write", in("file_path", "src/a.go "), Ask},
		"path letters":           {allow("file_path", "**"), "Write", in("file_path", "src/ä.go"), Ask},
		"path backslash":         {allow("file_path", "**"), "Write", in("file_path", `src\a.go`), Ask},
		"path number":            {allow("file_path", "**"), "Write", in("file_path", 7), Ask},
		"path missing":           {allow("file_path", "**"), "Write", in("content", "x"), Ask},
		"path list":              {allow("paths", "src/**"), "ReadMany", in("paths", []any{"src/a.go", "src/b.go"}), Allow},
		"path list with another": {allow("paths", "src/**"), "ReadMany", in("paths", []any{"src/a.go", "go.mod"}), Ask},
		"path list denied":       {deny("paths", "**/.env"), "ReadMany", in("paths", []any{"src/a.go", ".env"}), Deny},
		"no path pattern":        {allow(), "Write", in("file_path", "/somewhere/x"), Allow},
		"deny link":              {deny("file_path", "/**/shop-evil/**"), "Write", in("file_path", p+"/link/x"), Deny},
		"deny as given":          {deny("file_path", "link/**"), "Write", in("file_path", p+"/link/x"), Deny},
		"deny case":              {deny("file_path", "src/**"), "Write", in("file_path", "SRC/x"), Deny},
		"deny tilde":             {deny("file_path", "~/.ssh/**"), "Write", in("file_path", "~/.ssh/x"), Deny},
		"deny blank":             {deny("file_path", "src/a.go"), "Write", in("file_path", " src/a.go "), Deny},
		"deny dots":              {deny("file_path", "src/**"), "Write", in("file_path", "x/../src/a.go"), Deny},
		"deny NUL":               {deny("file_path", "**"), "Write", in("file_path", p+"/a\x00b"), Ask},
		"url":                    {allow("url", "docs.rs"), "WebFetch", in("url", "https://docs.rs/x", "prompt", "read"), Allow},
		"url user":               {allow("url", "docs.rs"), "WebFetch", in("url", "https://docs.rs@evil.com/x"), Ask},
		"url other":              {allow("url", "docs.rs"), "WebFetch", in("url", "https://evil.com/x"), Ask},
		"url deny":               {deny("url", "domain:evil.com"), "WebFetch", in("url", "https://x.EVIL.com./y"), Deny},
		"url number":             {allow("url", "docs.rs"), "WebFetch", in("url", 7), Ask},
		"text":                   {allow("prompt", "read *"), "Task", in("prompt", "read it\nall"), Allow},
		"text other":             {allow("prompt", "read *"), "Task", in("prompt", "write"), Ask},
		"number":                 {allow("n", "1|2"), "Tool", in("n", json.Number("2")), Allow},
		"large number":           {allow("n", "12345678901234567890"), "Tool", in("n", json.Number("12345678901234567890")), Allow},
		"truth":                  {allow("n", "true"), "Tool", in("n", true), Allow},
		"object":                 {allow("n", `{"a":[1,"<"]}`), "Tool", in("n", map[string]any{"a": []any{1, "<"}}), Allow},
		"nested":                 {allow("a.b.c", "x"), "Tool", in("a", map[string]any{"b": map[string]any{"c": "x"}}), Allow},
		"nested in two ways":     {allow("a.b", "x"), "Tool", in("a.b", "x", "a", map[string]any{"b": "y"}), Ask},
		"nested denied":          {deny("a.b", "x"), "Tool", in("a.b", "x", "a", map[string]any{"b": "y"}), Deny},
		"key missing":            {allow("a", "*"), "Tool", in("b", "x"), Ask},
		"all must match":         {allow("a", "*", "b", "y"), "Tool", in("a", "x", "b", "x"), Ask},
		"hidden in a key":        {allow(), "Tool", in("a\u200b", "x"), Ask},
		"second of two urls":     {deny("url", "evil.com"), "WebFetch", in("url", []string{"https://a.b/", "https://evil.com/"}), Deny},
		"both urls":              {allow("url", "a.b"), "WebFetch", in("url", []string{"https://a.b/", "https://a.b/c"}), Allow},
		"one of two urls":        {allow("url", "a.b"), "WebFetch", in("url", []string{"https://a.b/", "https://evil.com/"}), Ask},
		"no urls":                {allow("url", "a.b"), "WebFetch", in("url", []string{}), Ask},
		"url is no text":         {deny("url", "evil.com"), "WebFetch", in("url", map[string]any{"href": "https://evil.com/"}), Ask},
		"glob in path":           {allow("path", "src"), "Glob", in("pattern", "*.go", "path", "src"), Allow},
		"glob leaves path":       {allow("path", "src"), "Glob", in("pattern", "/etc/*", "path", "src"), Ask},
		"no sandbox":             {[]Rule{rule(Allow, "Bash", "command", "npm *")}, "Bash", in("command", "npm test", "dangerouslyDisableSandbox", true), Ask},
		"no sandbox, off":        {[]Rule{rule(Allow, "Bash", "command", "npm *")}, "Bash", in("command", "npm test", "dangerouslyDisableSandbox", false), Allow},
		"no sandbox, named":      {[]Rule{rule(Allow, "Bash", "command", "npm *", "dangerouslyDisableSandbox", "true")}, "Bash", in("command", "npm test", "dangerouslyDisableSandbox", true), Allow},
		"other shell":            {[]Rule{rule(Allow, "exec_command", "cmd", "npm *")}, "exec_command", in("cmd", "npm test", "shell", "./evil"), Ask},
		"other parameters":       {[]Rule{rule(Allow, "exec_command", "cmd", "npm *")}, "exec_command", in("cmd", "npm test", "yield_time_ms", 5), Allow},
		"reads of mcp":           {[]Rule{rule(Allow, "*", "read", "src/**")}, "mcp__x__run", in("command", "git status"), Ask},
		"command of mcp":         {[]Rule{rule(Allow, "*", "command", "git *")}, "mcp__x__run", in("command", "git status; rm -rf x"), Ask},
		"exact command of mcp":   {[]Rule{rule(Allow, "mcp__x__run", "command", "git status")}, "mcp__x__run", in("command", "git status"), Allow},
		"line of mcp":            {[]Rule{rule(Allow, "mcp__x__run", "command", "line:git a|b")}, "mcp__x__run", in("command", "git a|b"), Allow},
		"another line of mcp":    {[]Rule{rule(Allow, "mcp__x__run", "command", "line:git a|b")}, "mcp__x__run", in("command", "git a"), Ask},
		"deny line of mcp":       {[]Rule{rule(Allow, "*"), rule(Deny, "mcp__x__run", "command", "line:git * a")}, "mcp__x__run", in("command", "git * a"), Deny},
		"deny a quoted bar":      {[]Rule{rule(Allow, "*"), rule(Deny, "mcp__x__run", "command", "git 'a||'")}, "mcp__x__run", in("command", "git 'a||'"), Deny},
		"deny command of mcp":    {[]Rule{rule(Allow, "*"), rule(Deny, "mcp__*", "command", "*rm*")}, "mcp__x__run", in("command", "git status; rm -rf x"), Deny},
		"codex list":             {[]Rule{rule(Allow, "shell", "command", "npm test")}, "shell", in("command", []any{"bash", "-lc", "npm test"}), Allow},
		"codex list quoted":      {[]Rule{rule(Allow, "shell", "command", "echo *")}, "shell", in("command", []any{"bash", "-lc", "echo 'a' && rm x"}), Ask},
		"codex cmd":              {[]Rule{rule(Allow, "exec_command", "cmd", "npm test")}, "exec_command", in("cmd", "npm test"), Allow},
		"codex cmd line":         {[]Rule{rule(Allow, "exec_command", "cmd", "npm *")}, "exec_command", in("cmd", "npm test; rm x"), Ask},
		"starts elsewhere":       {[]Rule{rule(Allow, "*", "command", "cat *"), rule(Deny, "Read", "file_path", "secrets/*")}, "shell", in("command", "cat key", "workdir", "secrets"), Deny},
		"command missing":        {allow(), "Bash", in("x", "y"), Ask},
		"command number":         {allow(), "Bash", in("command", 7), Ask},
	} {
		t.Run(name, func(t *testing.T) {
			if a := judge(t, set(t, tt.rules...), Prepare(w.question(t, tt.tool, tt.input))); a.Verdict != tt.want {
				t.Errorf("%s %v: %s, %s; want %s", tt.tool, tt.input, a.Verdict, a.Reason, tt.want)
			}
		})
	}
}

func TestUnreadableInputAsks(t *testing.T) {
	w := newWorld(t)
	s := set(t, rule(Allow, "*"))
	for _, input := range []string{"", "null", "[]", `"x"`, "{", `{"command":"ls","command":"rm x"}`, `{"command":"ls","Command":"rm x"}`, `{"command":"ls"} {}`, "{\"command\":\"\xff\"}", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)} {
		for _, tool := range []string{"Bash", "Tool", "Read", "", "T\x1b"} {
			q := w.bash(t, "")
			q.Tool, q.Input, q.Trusted = tool, []byte(input), true
			if a := judge(t, s, Prepare(q)); a.Verdict != Ask {
				t.Errorf("%q %q: %s, %s", tool, input, a.Verdict, a.Reason)
			}
		}
	}
}

func TestPrecedence(t *testing.T) {
	w := newWorld(t)
	at := func(p int) func(*Rule) { return func(r *Rule) { r.Priority = p } }
	npm := func(d Verdict, id string, change func(*Rule)) Rule {
		r := rule(d, "Bash", "command", "npm *")
		r.ID = id
		change(&r)
		return r
	}
	none := func(*Rule) {}
	for name, tt := range map[string]struct {
		rules []Rule
		want  string
	}{
		"deny wins":             {[]Rule{npm(Allow, "a", at(1)), npm(Deny, "d", at(500)), npm(Ask, "q", at(2))}, "d"},
		"lower priority":        {[]Rule{npm(Allow, "a", at(1)), npm(Ask, "q", at(2))}, "a"},
		"lower priority asks":   {[]Rule{npm(Allow, "a", at(2)), npm(Ask, "q", at(1))}, "q"},
		"ask beats allow":       {[]Rule{npm(Allow, "a", none), npm(Ask, "q", none)}, "q"},
		"ask beats narrower":    {[]Rule{npm(Allow, "a", func(r *Rule) { r.Scope.Session = "s1" }), npm(Ask, "q", none)}, "q"},
		"session first":         {[]Rule{npm(Allow, "p", func(r *Rule) { r.Scope.Project = w.project }), npm(Allow, "s", func(r *Rule) { r.Scope.Session = "s1" })}, "s"},
		"project before agent":  {[]Rule{npm(Allow, "c", func(r *Rule) { r.Scope.Agent = "claude" }), npm(Allow, "p", func(r *Rule) { r.Scope.Project = w.root })}, "p"},
		"agent before all":      {[]Rule{npm(Allow, "a", none), npm(Allow, "c", func(r *Rule) { r.Scope.Agent = "claude" })}, "c"},
		"older":                 {[]Rule{npm(Allow, "young", func(r *Rule) { r.CreatedAt = made.Add(1) }), npm(Allow, "z", none)}, "z"},
		"other session":         {[]Rule{npm(Allow, "s", func(r *Rule) { r.Scope.Session = "s2" })}, ""},
		"other agent":           {[]Rule{npm(Allow, "s", func(r *Rule) { r.Scope.Agent = "codex" })}, ""},
		"other project":         {[]Rule{npm(Allow, "s", func(r *Rule) { r.Scope.Project = w.project + "-evil" })}, ""},
		"project look-alike":    {[]Rule{npm(Allow, "s", func(r *Rule) { r.Scope.Project = strings.TrimSuffix(w.project, "p") })}, ""},
		"project and session":   {[]Rule{npm(Allow, "s", func(r *Rule) { r.Scope = Scope{Project: w.project, Session: "s2"} })}, ""},
		"expired":               {[]Rule{npm(Allow, "s", func(r *Rule) { r.ExpiresAt = now })}, ""},
		"not yet expired":       {[]Rule{npm(Allow, "s", func(r *Rule) { r.ExpiresAt = now.Add(1) })}, "s"},
		"used up":               {[]Rule{npm(Allow, "s", func(r *Rule) { r.MaxUses, r.Uses = 3, 3 })}, ""},
		"not used up":           {[]Rule{npm(Allow, "s", func(r *Rule) { r.MaxUses, r.Uses = 3, 2 })}, "s"},
		"disabled":              {[]Rule{npm(Allow, "s", func(r *Rule) { r.Enabled = false })}, ""},
		"disabled deny":         {[]Rule{npm(Allow, "a", none), npm(Deny, "s", func(r *Rule) { r.Enabled = false })}, "a"},
		"deny without project":  {[]Rule{npm(Allow, "a", none), npm(Deny, "s", func(r *Rule) { r.Scope.Project = w.root + "/home" })}, "a"},
		"dangerous for another": {[]Rule{npm(Allow, "a", none), npm(Deny, "s", func(r *Rule) { r.Scope.Agent = "codex" })}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				if a := judge(t, set(t, tt.rules...), Prepare(w.bash(t, "npm test"))); a.Rule != tt.want {
					t.Errorf("decided by %q (%s), want %q", a.Rule, a.Reason, tt.want)
				}
				slices.Reverse(tt.rules)
			}
		})
	}
}

func TestAssessment(t *testing.T) {
	w := newWorld(t)
	s := set(t, rule(Allow, "Bash", "command", "npm *"), rule(Allow, "Bash", "command", "*"), rule(Ask, "Write", "file_path", "**"),
		with(rule(Allow, "Bash", "command", "npm test"), func(r *Rule) { r.Priority = 5 }))
	a := judge(t, s, Prepare(w.bash(t, "npm test > a.log && cat src/a.go")))
	if a.Verdict != Ask || a.Rule != "ask Write file_path **" || a.Rules != nil {
		t.Errorf("%s by %s (%v): %s", a.Verdict, a.Rule, a.Rules, a.Reason)
	}
	want := []Judged{
		{
			Kind: "command", Text: "npm test", Argv: []string{"npm", "test"}, Effects: effects.Of(effects.Check), Verdict: Allow, Rule: "allow Bash command npm test", Why: `rule "npm test" allows it`,
			Matches: []string{"allow Bash command npm test", "allow Bash command *", "allow Bash command npm *"},
		},
		{
			Kind: "write", Text: "> a.log", Path: w.project + "/a.log", Real: w.project + "/a.log", Effects: effects.Of(effects.Edit), Verdict: Ask, Rule: "ask Write file_path **", Why: `rule "Write file_path **" asks`,
			Matches: []string{"ask Write file_path **"},
		},
		{
			Kind: "command", Text: "cat src/a.go", Argv: []string{"cat", "src/a.go"}, Effects: effects.Of(effects.Look), Verdict: Allow, Rule: "allow Bash command *", Why: `rule "*" allows it`,
			Matches: []string{"allow Bash command *"},
		},
		{Kind: "read", Text: "src/a.go", Path: w.project + "/src/a.go", Real: w.project + "/src/a.go", Effects: effects.Of(effects.Look), Verdict: Allow, Neutral: true, Why: "goes with its command"},
	}
	if diff := cmp.Diff(want, a.Elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	a = judge(t, s, Prepare(w.question(t, "Tool", map[string]any{"text": "x", "path": "link/x", "z_path": "src"})))
	if e := a.Elements[0]; e.Path != w.project+"/link/x" || e.Real != w.root+"/shop-evil/x" {
		t.Errorf("the file of a tool: %+v", e)
	}
	a = judge(t, s, Prepare(w.bash(t, "npm test && npm run x && ls")))
	if diff := cmp.Diff([]string{"allow Bash command npm test", "allow Bash command *"}, a.Rules); diff != "" || a.Verdict != Allow {
		t.Errorf("%s, rules (-want +got):\n%s", a.Verdict, diff)
	}
}

func TestFiles(t *testing.T) {
	w := newWorld(t)
	got := Prepare(w.bash(t, "./run.sh < link/x > new; ~/x/run")).Files()
	want := []string{w.root + "/home/ana/x/run", w.root + "/shop-evil/x", w.project + "/link/x", w.project + "/new", w.project + "/run.sh"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	got = Prepare(w.question(t, "Edit", map[string]any{"file_path": "src/a.go", "old_string": "a"})).Files()
	if diff := cmp.Diff([]string{w.project + "/src/a.go"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A project so wide that nothing may be allowed in it by its name, such as the home
// folder, still has its own refusals.
func TestRefusalsHoldWithoutProject(t *testing.T) {
	w := newWorld(t)
	w.place.Project = ""
	scoped := func(d Verdict, where ...string) Rule {
		return with(rule(d, "*", where...), func(r *Rule) { r.Scope.Project = w.project })
	}
	c := Prepare(w.question(t, "Edit", map[string]any{"file_path": "src/a.go"}))
	for _, tt := range []struct {
		rule Rule
		want Verdict
	}{
		{scoped(Deny), Deny},
		{scoped(Deny, "file_path", "src/**"), Deny},
		{rule(Deny, "Edit", "file_path", "src/**"), Deny},
		{scoped(Allow), Ask},
		{rule(Allow, "Edit", "file_path", "src/**"), Ask},
		{rule(Allow, "Edit"), Allow},
	} {
		if a := judge(t, set(t, tt.rule), c); a.Verdict != tt.want {
			t.Errorf("%s: %s, %s", tt.rule.ID, a.Verdict, a.Reason)
		}
	}
}

// However many wrappers a line has, each of them is seen by refusing rules, and the
// work stays small.
func TestManyWrappers(t *testing.T) {
	w := newWorld(t)
	line := "sudo " + strings.Repeat("timeout 5 nice ", 40) + "env npm test"
	for _, pattern := range []string{"sudo *", "nice *", "env *", "timeout *", "npm *"} {
		if a := judge(t, set(t, rule(Deny, "Bash", "command", pattern)), Prepare(w.bash(t, line))); a.Verdict != Deny {
			t.Errorf("deny %s: %s, %s", pattern, a.Verdict, a.Reason)
		}
	}
	if n := len(Prepare(w.bash(t, line)).elems[0].others); n > 10 {
		t.Errorf("%d forms of one command", n)
	}
}

// What an explanation says does not hang on the order of a map.
func TestReasonsAreStable(t *testing.T) {
	w := newWorld(t)
	input := map[string]any{}
	for _, key := range []string{"path", "file_path", "dir", "cwd", "file"} {
		input[key] = "~" + key
	}
	want := judge(t, set(t), Prepare(w.question(t, "Tool", input)))
	for range 20 {
		if got := judge(t, set(t), Prepare(w.question(t, "Tool", input))); got.Reason != want.Reason {
			t.Fatalf("%q, then %q", want.Reason, got.Reason)
		}
	}
}

// A tool's name that cannot be shown as it is names nothing that a rule may allow.
func TestNamesOfTools(t *testing.T) {
	w := newWorld(t)
	for name, want := range map[string]Verdict{"deploy": Allow, "": Ask, "de\x1bploy": Ask, "de\u202eploy": Ask} {
		q := w.question(t, name, map[string]any{"a": "b"})
		if a := judge(t, set(t, rule(Allow, "*")), Prepare(q)); a.Verdict != want {
			t.Errorf("%q: %s, %s", name, a.Verdict, a.Reason)
		}
	}
}

// world is a project on the disk and the place of calls in it.
type world struct {
	root, project string
	place         risk.Place
}

func newWorld(tb testing.TB) world {
	tb.Helper()
	w := rulestest.New(tb)
	return world{root: w.Root, project: w.Project, place: w.Place}
}

func (w world) question(tb testing.TB, tool string, input map[string]any) Question {
	tb.Helper()
	return Question{
		Tool: tool, Input: rulestest.Input(tb, input), Agent: "claude", SessionID: "s1", Place: w.place,
		Exists: rulestest.Exists, Special: rulestest.Special,
	}
}

// What no rule has to allow is told by what it does.
func TestSilentWords(t *testing.T) {
	w := newWorld(t)
	s := set(t)
	a := judge(t, s, Prepare(w.bash(t, "cd src && echo hello && true && set -e && npm test")))
	for text, want := range map[string]string{
		"cd src": "only changes the folder", "echo hello": "only prints text", "true": "changes nothing", "set -e": "changes nothing outside the shell",
	} {
		i := slices.IndexFunc(a.Elements, func(j Judged) bool { return j.Text == text })
		if i < 0 || a.Elements[i].Why != want {
			t.Errorf("%s: not %q in %+v", text, want, a.Elements)
		}
	}
}
