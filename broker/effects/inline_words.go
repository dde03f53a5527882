package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// speech collects what the text of a program says that it does beyond the project. It looks for words,
// not for meaning: a word in a comment counts.
type speech struct {
	language string
	set      Set
	found    map[Effect][]string // the words for each, for a person
	pieces   []string            // texts in it that may be names of files, which package risk follows
	imports  bool                // it loads modules
	walks    string              // the word by which it goes through folders; "" for none
	reads    bool                // it reads files, too
}

// Limits of what is looked at. A text beyond them is unknown.
const (
	maxProgram = 1 << 16
	maxPieces  = 200
)

// saying is an effect with words that name it. A word is a whole name; "a.b" is a name behind
// another one, whatever marks stand between.
type saying struct {
	effect    Effect
	languages string // "" for all
	words     string
	called    bool // only in front of a parenthesis, or where it is imported
}

// sayings are what programs of several languages say. A word too many costs a question.
func sayings() []saying {
	return []saying{
		{effect: Network, words: `socket Socket WebSocket urllib urllib2 urllib3 requests httpx aiohttp httplib http.client smtplib ftplib poplib imaplib telnetlib xmlrpc paramiko fabric websockets websocket
			boto3 psycopg2 psycopg pymysql pymongo MySQLdb asyncpg webbrowser open_connection create_connection XMLHttpRequest axios undici superagent dgram net.connect tls.connect
			get_server_certificate SMTPHandler HTTPHandler SocketHandler DatagramHandler multiprocessing.connection telnetlib3 nntplib asyncssh grpc redis antigravity openai anthropic nltk connectTls resolveDns
			LWP Net HTTP Mojo WWW Faraday HTTParty TCPSocket UDPSocket UNIXSocket IO.Socket Deno.connect Bun.connect EventSource node.http node.https node.net node.tls node.dns node.dgram node.http2 open-uri URI.open`},
		{effect: Network, languages: "node", words: "fetch", called: true},
		{effect: Serve, words: `http.server HTTPServer serve_forever TCPServer socketserver createServer start_server Deno.serve Bun.serve WEBrick`},
		{effect: Serve, words: "listen", called: true},
		{effect: Outside, words: `expanduser Path.home homedir Dir.home tempfile tmpdir gettempdir mkdtemp mkstemp mkdtempSync mktmpdir tmpnam Tempfile NamedTemporaryFile TemporaryDirectory makeTempDir makeTempFile pardir getpwuid getpwnam os.sep path.sep expandvars makeTempDirSync`},
		{effect: Secrets, words: `environ environb getenv process.env meta.env Deno.env Bun.env process.report getReport dotenv dotenv_values load_dotenv keyring getpass netrc id_rsa id_ed25519 pypirc`},
		{effect: Secrets, languages: "perl ruby", words: `ENV`},
		{effect: Delete, words: `rmtree remove_tree unlink rmdir removedirs send2trash rmSync rmdirSync unlinkSync rimraf os.remove fs.remove import.remove fs.rm promises.rm File.delete Dir.delete FileUtils rm_rf rm_r Deno.remove removeSync deleteSync deleteAsync emptyDir emptyDirSync deleteMany truncate truncateSync ftruncate`},
		{effect: Delete, words: "rm", called: true},
		{effect: Install, words: `ensurepip venv.create EnvBuilder CPAN Gem.install pip._internal import.pip pip.main`},
		{effect: Privilege, words: `setuid setgid seteuid setegid chroot chown lchown fchown chownSync killpg os.kill process.kill Process.kill psutil`},
		{effect: Gate, words: `hooksPath AOCTL_URL AOCTL_TOKEN`},
		{effect: Unknown, words: `subprocess popen Popen popen2 popen3 Open3 pty PTY ctypes cffi Fiddle dlopen __import__ importlib import_module runpy builtins __builtins__ __subclasses__ __globals__ __getattribute__ __loader__
			getattr globals child_process execSync execFile execFileSync spawn spawnSync posix_spawn posix_spawnp spawnl spawnle spawnlp spawnv spawnve spawnvp execv execve execvp execvpe execl execle execlp forkpty startfile
			create_subprocess_exec create_subprocess_shell pexpect plumbum import.sh from.sh import.git from.git import.invoke from.invoke import.docker from.docker pygit2 dulwich __dict__ attrgetter methodcaller globalThis mainModule _load process.binding process.dlopen Reflect constructor worker_threads
			Deno.Command Deno.run Deno.dlopen WebAssembly CORE ObjectSpace
			extractall unpack_archive execa execaSync shelljs IPC.Cmd syscall base64 b64decode codecs marshal pickle dill fromhex unhexlify fromCharCode atob os.system os.fork os.open os.link import.system symlink symlinkSync linkSync symlink_to hardlink_to link_to mkfifo mknod chdir fchdir
			instance_eval class_eval module_eval const_get public_send __send__ define_method Marshal Base64 Kernel MIME unpack`},
		{effect: Unknown, words: `eval exec execfile compile system chr Function Worker bytes bytearray vars locals`, called: true},
		{effect: Unknown, languages: "perl ruby", words: `eval exec system fork qx send pack readpipe spawn load binding method`},
		{effect: Privilege, languages: "perl ruby", words: `kill`},
	}
}

// harmless are names that mean something else behind these.
var harmless = []string{"re.compile", "regex.compile", "platform.system"}

// lexicon has the sayings of one language, by their words.
type lexicon map[string]saying

var lexicons = sync.OnceValue(func() map[string]lexicon {
	all := map[string]lexicon{}
	for _, language := range []string{"python", "node", "ruby", "perl"} {
		all[language] = lexicon{}
		for _, s := range sayings() {
			if s.languages != "" && !slices.Contains(strings.Fields(s.languages), language) {
				continue
			}
			for w := range strings.FieldsSeq(s.words) {
				all[language][w] = s
			}
		}
	}
	return all
})

// parts are texts that say something wherever they stand.
var parts = sync.OnceValue(func() []saying {
	return []saying{
		{effect: Network, words: ":// net/http open-uri net/ftp net/smtp"},
		{effect: Outside, words: "parents[ path\").sep path').sep"},
		{effect: Unknown, words: "process[ require[ global[ module["},
		{effect: Gate, words: ".claude .codex .gemini .qwen .cursor/ .opencode .aoctl .copilot .git/ .githooks .husky .github/ .mcp.json"},
	}
})

// walkers are names by which a program goes through the files of a folder when they are called, whoever has them.
var (
	walkers = wordset.New("walk iglob rglob glob globSync children each_child entries find finddepth Glob scan scanSync")
	// roamers are the same also where they are not called at once: under another name, or handed on.
	roamers = wordset.New("listdir scandir fwalk iterdir glob1 globstar readdir readdirSync opendir opendirSync walkSync readDir readDirSync")
	// packers go through folders, and read all that is there.
	packers = wordset.New("copytree copy_tree make_archive create_archive tarfile cpSync fs.cp promises.cp")
	// readers are parts of names by which it reads or packs files. What perl and ruby have is read by marks, too.
	readers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)open|read|copy|load|slurp|archive|tar|zip|input|^cp`)
	})
)

// marks are patterns of what a text says without a name for it.
type marks struct {
	hidden    *regexp.Regexp // a letter by its number
	rooted    *regexp.Regexp // an absolute path that stands without quotes, or in others
	upward    *regexp.Regexp // the same, of a path that leads up
	route     *regexp.Regexp // a call about an address of a server, or a text, that begins like a path
	root      *regexp.Regexp // a call with the folder of all folders
	harmless  *regexp.Regexp // such a call about a text or an address
	readable  *regexp.Regexp // a module by a name that stands there
	shebang   *regexp.Regexp
	openPipe  *regexp.Regexp
	process   *regexp.Regexp // of node: all that it knows of its process, without saying what
	from      *regexp.Regexp // of python: names out of a module
	taken     *regexp.Regexp // of node: the same
	runsWords *regexp.Regexp // of perl and ruby
	here      *regexp.Regexp // the whole path of the folder that it works in, or of a program or module
	above     *regexp.Regexp // the folder that something lies in
	narrow    *regexp.Regexp // a call with a pattern for names with one ending
	angle     *regexp.Regexp // of perl: the same for any pattern, in angles
}

var mark = sync.OnceValue(func() marks {
	return marks{
		hidden:    regexp.MustCompile(`\\x(?:[02-9a-fA-F]|1[0-9ac-fA-F])|\\u00[0-7]|\\u\{0*[0-7]?[0-9a-fA-F]\}|\\[1-7][0-7][0-7]|\\0(?:[0-24-7][0-7]|3[0-24-7])|\\N\{`),
		rooted:    regexp.MustCompile("(?:^|[^\\w.)\\]}/~*\"'`-])/(?:etc|home|Users|root|tmp|var|usr|opt|proc|sys|dev|mnt|media|srv|run|private|Library|boot|bin|sbin)(?:/|\\b)"),
		upward:    regexp.MustCompile(`(?:^|[^\w./])(?:\.\./|~/)`),
		route:     regexp.MustCompile(`\.(?:get|post|put|patch|delete|head|options|route|use|test|match|startswith|startsWith|endswith|endsWith|includes)\(\s*["'](/[\w/:{}<>.?=-]*)["']`),
		root:      regexp.MustCompile(`\b\w+\(\s*["']/["']\s*[,)]`),
		harmless:  regexp.MustCompile(`^(r?split|sub|subn|gsub|join|[lr]?strip|startswith|endswith|startsWith|endsWith|includes|indexOf|lastIndexOf|r?find|r?index|count|r?partition|print|get|post|put|patch|delete|test|match|replace|replaceAll)\(`),
		readable:  regexp.MustCompile("^\\(\\s*(?:\"[^\"+$]*\"|'[^'+$]*'|`[^`+$]*`)\\s*[),]"),
		shebang:   regexp.MustCompile(`#!/\S+`),
		from:      regexp.MustCompile(`\bfrom\s+([\w.]+)\s+import\s+\(?([\w, ]+)`),
		taken:     regexp.MustCompile(`\{([\w, ]+)\}\s*(?:=\s*(?:await\s+)?(?:require|import)\(|from)\s*["'](?:node:)?(\w+)`),
		process:   regexp.MustCompile(`(?:[=(,]|\bin)\s*process\s*(?:[;,)\n]|$)`),
		here:      regexp.MustCompile(`(?i)cwd|\bpwd\b|\b(?:resolve|realpath|realpathSync|absolute|abspath|expand_path|rel2abs)\b|__file__|\bsys\.(?:executable|\w*prefix)\b|execPath|module\.paths`),
		above:     regexp.MustCompile(`\.parents?\b|\bdirname\b|\.(?:root|anchor)\b`),
		narrow:    regexp.MustCompile(`^(?:\.glob)?\s*[\[(]\s*[frbu]?["'][^"']*\.\w+["']\s*(?:[)\]]|,\s*(?:\{|\w+\s*=))`),
		angle:     regexp.MustCompile(`<[^<>\s]*[*?][^<>\s]*>`),
		openPipe:  regexp.MustCompile(`["']\s*(?:-?\||\+?>)|\|-?\s*["']`),
		runsWords: regexp.MustCompile("`|%x|[/})\\]|#!,][msixpodualngcr]*e[msixpodualngcr]*e[msixpodualngcr]*(?:[\\s;)'\"]|$)"),
	}
})

// nodeModules are modules of node by which a program reaches further, as one says them.
var nodeModules = map[string]Effect{
	"http": Network, "https": Network, "http2": Network, "net": Network, "tls": Network, "dns": Network, "dgram": Network,
	"zx": Unknown, "simple-git": Unknown, "isomorphic-git": Network, "dockerode": Unknown, "del": Delete, "trash": Delete,
	"cluster": Unknown, "vm": Unknown, "worker_threads": Unknown, "inspector": Unknown, "repl": Unknown, "v8": Unknown,
	"node:cluster": Unknown, "node:vm": Unknown, "node:inspector": Unknown, "node:repl": Unknown, "node:v8": Unknown,
}

// says notes an effect and the word that names it.
func (s *speech) says(e Effect, word string) {
	if s.found == nil {
		s.found = map[Effect][]string{}
	}
	s.set |= Of(e)
	if !slices.Contains(s.found[e], word) {
		s.found[e] = append(s.found[e], word)
	}
}

// why tells a person what was found of each effect, in words of the tables.
func (s *speech) why() map[Effect]string {
	why := map[Effect]string{}
	for e, words := range s.found {
		why[e] = "its code has " + strings.Join(words[:min(len(words), 3)], ", ")
	}
	return why
}

// read looks through one text.
func (s *speech) read(text string) {
	if len(text) > maxProgram {
		s.says(Unknown, "more than anybody looks at")
		return
	}
	text = mark().shebang.ReplaceAllString(text, "")
	s.names(text)
	s.imported(text)
	for _, p := range parts() {
		for w := range strings.FieldsSeq(p.words) {
			if strings.Contains(text, w) {
				s.says(p.effect, w)
			}
		}
	}
	if mark().here.MatchString(text) && (s.language == "perl" || mark().above.MatchString(text)) { // perl cuts it by any pattern
		s.says(Outside, "the folder above its own")
	}
	if mark().hidden.MatchString(text) {
		s.says(Unknown, "letters by their numbers")
	}
	s.paths(text)
	s.cut(text, "\"'`\n", true)
	switch s.language {
	case "perl", "ruby":
		s.shellish(text)
	case "node":
		if strings.Contains(text, "$`") { // bun runs what stands there
			s.says(Unknown, "marks that run programs")
		}
		if mark().process.MatchString(text) {
			s.says(Secrets, "process as a whole")
		}
	}
}

// paths looks for paths outside of the project that are easily seen.
func (s *speech) paths(text string) {
	outside := mark().rooted.MatchString(strings.ReplaceAll(text, "/dev/null", ""))
	for _, call := range mark().root.FindAllString(text, -1) {
		outside = outside || !mark().harmless.MatchString(call)
	}
	if outside {
		s.says(Outside, "an absolute path")
	}
}

// cut cuts the text at its quotes into pieces that may be paths, without those from the root when these
// may as well be patterns, and without addresses of a server.
func (s *speech) cut(text, quotes string, rooted bool) {
	text = mark().route.ReplaceAllStringFunc(text, func(call string) string {
		if p := mark().route.FindStringSubmatch(call)[1]; mark().rooted.MatchString(p) || strings.Contains(p, "..") {
			return call
		}
		return ""
	})
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(quotes, r) }) {
		if e, ok := nodeModules[piece]; ok && s.language == "node" {
			s.says(e, piece)
		}
		switch {
		case piece == "/", piece == "/dev/null", piece[0] == '/' && !rooted, slices.Contains(s.pieces, piece):
			continue
		case len(piece) > 300, strings.ContainsAny(piece, "()=;<>|&,\t") && (piece[0] == '/' || !strings.Contains(piece, "/")):
			s.paths(piece)
			continue
		case strings.Contains(piece, " ") && !strings.Contains(piece, "/"):
			continue
		case len(s.pieces) == maxPieces:
			s.says(Unknown, "more names than anybody looks at")
			return
		}
		s.pieces = append(s.pieces, piece)
	}
}

// shellish looks for what perl and ruby do by marks. Nearly any of them may be a quote.
func (s *speech) shellish(text string) {
	s.cut(text, " \t\n\r'\"`(),;=[]{}<>|&$\\!#~^%", false)
	if mark().runsWords.MatchString(text) {
		s.says(Unknown, "marks that run programs")
	}
	if (strings.Contains(text, "open") || s.language == "ruby") && mark().openPipe.MatchString(text) {
		s.says(Unknown, "open with a pipe")
	}
	if mark().upward.MatchString(text) {
		s.says(Outside, "a path that leads up")
	}
	s.reads = true // perhaps by a mark
	if s.language == "perl" && (mark().angle.MatchString(text) || slices.ContainsFunc([]string{"glob", "opendir", "find"}, func(w string) bool { return strings.Contains(text, w) })) {
		s.walks = "glob"
	}
}

// imported looks up what is taken out of a module by its name: "from http import client" is http.client.
func (s *speech) imported(text string) {
	for _, m := range mark().from.FindAllStringSubmatch(text, -1) {
		module := m[1][strings.LastIndexByte(m[1], '.')+1:]
		for name := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if l, ok := lexicons()[s.language][module+"."+name]; ok {
				s.says(l.effect, module+"."+name)
			}
		}
	}
	for _, m := range mark().taken.FindAllStringSubmatch(text, -1) {
		for name := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r == ',' || r == ' ' }) {
			if l, ok := lexicons()[s.language][m[2]+"."+name]; ok {
				s.says(l.effect, m[2]+"."+name)
			}
		}
	}
}

// names goes through the names in a text, each with the one before it.
func (s *speech) names(text string) {
	lexicon := lexicons()[s.language]
	last := ""
	for i := 0; i < len(text); {
		if !letter(text[i]) {
			if strings.IndexByte(".: />-", text[i]) < 0 {
				last = ""
			}
			i++
			continue
		}
		end := i
		for end < len(text) && letter(text[end]) {
			end++
		}
		s.name(lexicon, last, text, i, end)
		last, i = text[i:end], end
	}
}

// name looks one name up, which stands in text from a place to another.
func (s *speech) name(lexicon lexicon, last, text string, from, to int) {
	name, rest := text[from:to], text[to:]
	if name == "require" || name == "import" {
		s.imports = true
		s.loads(rest)
	}
	s.walk(last, name, rest)
	if last != "" {
		if l, ok := lexicon[last+"."+name]; ok {
			s.says(l.effect, last+"."+name)
		}
		if slices.Contains(harmless, last+"."+name) {
			return
		}
	}
	l, ok := lexicon[name]
	if !ok {
		return
	}
	called := strings.HasPrefix(strings.TrimLeft(rest, " "), "(") || last == "import"
	member := from > 0 && text[from-1] == '.' // of a pattern it is another exec
	if !l.called || called && (name != "exec" || !member) {
		s.says(l.effect, name)
	}
}

// walk notes a name by which the program goes through folders, or reads files.
func (s *speech) walk(last, name, rest string) {
	rest = strings.TrimLeft(rest, " ")
	of := s.language == "ruby" && (name == "Dir" || name == "Find" || name == "Pathname")
	called := strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "?.(")
	narrow := (of || strings.Contains(name, "glob")) && mark().narrow.MatchString(rest)
	switch {
	case last == "ast" || last == "Object": // trees and tables of names
	case packers.Has(name) || packers.Has(last+"."+name):
		s.walks, s.reads = name, true
	case roamers.Has(name), (of || walkers.Has(name) && called) && !narrow:
		s.walks = name
	case !walkers.Has(name):
		s.reads = s.reads || readers().MatchString(name)
	}
}

// loads notes a module of node that is loaded by a name which nobody can read.
func (s *speech) loads(rest string) {
	if s.language == "node" && strings.HasPrefix(rest, "(") && !mark().readable.MatchString(rest) {
		s.says(Unknown, "a module whose name it makes up")
	}
}

// ownModules are modules that bun brings along.
var ownModules = wordset.New("fs fs/promises path os util url assert events crypto zlib stream buffer readline timers perf_hooks querystring string_decoder bun module process")

// fetches is for interpreters that get what is imported from elsewhere. bun does so for any name of a
// package, and which of the pieces are such names is not told apart.
func (s *speech) fetches(name string) {
	for _, p := range s.pieces {
		bare := name == "bun" && s.imports && strings.IndexFunc(p, func(r rune) bool { return r >= 'a' && r <= 'z' || r == '@' }) == 0 && !strings.Contains(p, " ")
		if strings.HasPrefix(p, "npm:") || strings.HasPrefix(p, "jsr:") || bare && !ownModules.Has(p) && !strings.HasPrefix(p, "node:") {
			s.says(Network, "a module that "+name+" may fetch")
		}
	}
}

// letter reports whether a byte is part of a name.
func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
