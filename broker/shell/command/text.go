package command

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// textRows are programs that read text and print it, or change it.
func textRows() map[string]spec {
	rows := map[string]spec{
		"head":      {lax: true, ok: "-n= -c= --lines= --bytes=", ops: readAll},
		"tail":      {lax: true, ok: "-n= -c= -s= --lines= --bytes= --pid= --sleep-interval= --max-unchanged-stats=", ops: readAll},
		"cut":       {lax: true, ok: "-b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --output-delimiter=", ops: readAll},
		"nl":        {lax: true, ok: "-b= -d= -f= -h= -i= -l= -n= -s= -v= -w=", ops: readAll},
		"fold":      {lax: true, ok: "-w= --width=", ops: readAll},
		"fmt":       {lax: true, ok: "-w= -p= -g= --width= --prefix= --goal=", ops: readAll},
		"pr":        {lax: true, ok: "-D= -h= -l= -N= -o= -w= -W=", ops: readAll},
		"paste":     {lax: true, ok: "-d= --delimiters=", ops: readAll},
		"join":      {lax: true, ok: "-a= -e= -i -j= -o= -t= -v= -1= -2=", ops: readAll},
		"column":    {lax: true, ok: "-c= -s= -o= -N= -R= -H= -O= -W= -E= -d -l= -n= -r= -i= -p= -T=", ops: readAll},
		"od":        {lax: true, ok: "-A= -j= -N= -S? -t= -w?", ops: readAll},
		"hexdump":   {lax: true, ok: "-n= -s= -e= -L?", read: "-f=", ops: readAll},
		"hd":        {lax: true, ok: "-n= -s= -e=", read: "-f=", ops: readAll},
		"xxd":       {lax: true, ok: "-c= -g= -l= -o= -s= -n= -R=", ops: lastWritten(1)},
		"strings":   {lax: true, ok: "-n= -t= -e= -T= -s=", ops: readAll},
		"base64":    {lax: true, ok: "-w= -b= --wrap= --break=", read: "-i= --input=", spill: "-o= --output=", ops: readAll},
		"base32":    {lax: true, ok: "-w= --wrap=", ops: readAll},
		"stat":      {lax: true, ok: "-c= -f -t --format= --printf=", ops: readAll},
		"du":        {lax: true, ok: "-d= -B= -t= --max-depth= --block-size= --threshold= --exclude= --time-style=", read: "-X= --exclude-from= --files0-from=", ops: followLinks("L", "--dereference", "", readTrees)},
		"ls":        {lax: true, ok: "--block-size= --hide= --ignore= --width= --tabsize= --color? --sort= --time= --time-style= --format= --quoting-style= --indicator-style=", ops: followLinks("L", "--dereference", "R", readAll)},
		"diff":      {lax: true, ok: "-C= -U= -F= -I= -x= -W= -S= --label= --exclude= --width= --ignore-matching-lines= --show-function-line= --starting-file= --horizon-lines= --tabsize= --color? --context? --unified? -L=", read: "--from-file= --to-file= -X= --exclude-from=", ops: diffOps},
		"diff3":     {lax: true, ok: "-L= --label=", unsure: "--diff-program=", ops: readAll},
		"sdiff":     {lax: true, ok: "-I= -w= --width=", spill: "-o= --output=", unsure: "--diff-program=", ops: readAll},
		"colordiff": {lax: true, ops: diffOps}, "icdiff": {lax: true, ops: readAll},
		"delta": {lax: true, unsure: "--pager=", ops: readAll},
		"difft": {lax: true, ops: readAll},
		"cmp":   {lax: true, ok: "-i= -n= --ignore-initial= --bytes=", ops: readAll},
		"uniq":  {lax: true, ok: "-f= -s= -w= --skip-fields= --skip-chars= --check-chars=", ops: lastWritten(1)},
	}
	maps.Copy(rows, searchRows())
	same(rows, spec{lax: true, ops: readAll}, `cat tac rev wc md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum
		cksum sum comm expand unexpand tsort readlink realpath zcat bzcat tokei hexyl`)
	return rows
}

// searchRows are programs that sort, search, change and show text.
func searchRows() map[string]spec {
	return map[string]spec{
		"sort": {
			ok: "-bdfgiMhnRrVcCmsuz -k= -t= -S= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort " +
				"--batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated --help --version",
			read: "--files0-from= --random-source=", write: "-T= --temporary-directory=", spill: "-o= --output=", unsure: "--compress-program=", ops: readAll,
		},
		"shuf": {lax: true, ok: "-i= -n= --input-range= --head-count= -e", read: "--random-source=", spill: "-o= --output=", ops: readAll},
		"tree": {lax: true, ok: "-L= -P= -I= -H= -T= --charset= --filelimit= --gitfile= --infofile= --timefmt= --sort? --filesfirst", read: "--fromfile", spill: "-o=", exact: "-R", ops: followLinks("l", "", "", readTrees)},
		"eza":  ezaRow(), "exa": ezaRow(), "lsd": ezaRow(),
		"grep": grepRow(), "egrep": grepRow(), "fgrep": grepRow(), "zgrep": grepRow(), "ggrep": grepRow(), "rgrep": grepRow(),
		"rg":    rgRow(),
		"ag":    {lax: true, ok: "-acDfFhHilLnoQrRsStuUvwz --hidden --unrestricted --all-types --all-text --ignore-case --case-sensitive --smart-case --fixed-strings --literal --word-regexp --invert-match --files-with-matches --files-without-matches --count --numbers --nonumbers --color --nocolor --heading --noheading --group --nogroup --filename --nofilename --column --only-matching --vimgrep --stats --silent --no-messages --follow --null --version --help --one-device --multiline --nomultiline --break --nobreak --context? --after? --before? --skip-vcs-ignores --search-zip --parallel --print-long-lines --passthrough -A? -B? -C? -G= -m= --depth= --ignore= --ignore-dir= --color-line-number= --color-match= --color-path= --max-count= --file-search-regex= --workers= --width= -W=", read: "-p= --path-to-ignore=", unsure: "--pager=", ops: grepOps},
		"ack":   {lax: true, ok: "-A= -B= -C= -m= --type= --match= -t= --ignore-dir= --ignore-file= --type-set= --type-add= --output=", read: "--files-from=", exact: "--ackrc= -x", unsure: "--pager=", ops: grepOps},
		"look":  {lax: true, ops: readFrom(1)},
		"jq":    {lax: true, ok: "-L= --indent= --seq --stream --tab", ops: jqOps},
		"yq":    {lax: true, ok: "-I= --indent= -o= -p= --output-format= --input-format= --expression=", exact: "-s= --split-exp=", read: "--from-file= --split-exp-file=", ops: yqOps},
		"tomlq": {lax: true, ops: yqOps}, "xq": {lax: true, ops: yqOps}, "gojq": {lax: true, ops: jqOps}, "jaq": {lax: true, ops: jqOps},
		"sed": sedRow(), "gsed": sedRow(),
		"awk": awkRow(), "gawk": awkRow(), "mawk": awkRow(), "nawk": awkRow(), "original-awk": awkRow(),
		"bat": batRow(), "batcat": batRow(),
		"less":  {lax: true, ok: "-b= -h= -j= -p= -P= -t= -x= -y= -z= -D= -#=", spill: "-o= -O= --log-file= --LOG-FILE=", exact: "-k= --lesskey-file= --lesskey-src= --lesskey-content= -T= --tag-file=", whole: "can run programs from its prompt", ops: pagerOps},
		"zless": {lax: true, whole: "can run programs from its prompt", ops: pagerOps}, "zmore": {lax: true, whole: "can run programs from its prompt", ops: pagerOps}, "xzless": {lax: true, whole: "can run programs from its prompt", ops: pagerOps},
		"most":     {lax: true, whole: "can run programs from its prompt", ops: pagerOps},
		"more":     {lax: true, whole: "can run programs from its prompt", ops: pagerOps},
		"info":     {lax: true, spill: "-o= --output=", exact: "--restore= --init-file="},
		"iconv":    {lax: true, ok: "-f= -t= --from-code= --to-code=", spill: "-o= --output=", ops: readAll},
		"file":     {lax: true, ok: "-F= -e= -P= --separator= --exclude=", read: "-m= --magic-file= -f= --files-from=", exact: "-C --compile", ops: readAll},
		"xmllint":  {single: true, lax: true, ok: "-encode= -xpath= -maxmem= -pattern= -path=", read: "-schema= -relaxng= -schematron= -dtdvalid=", spill: "-output= -o=", exact: "-shell -load-trace -loadtrace -noent -xinclude -noxincludenode -loaddtd -dtdattr -valid -postvalid", ops: readAll},
		"xsltproc": {single: true, lax: true, ok: "-param= -stringparam= -path=", spill: "-output= -o= -writesubtree=", exact: "-profile", whole: "runs a stylesheet, which may read and write files", ops: readAll},
		"pandoc":   {lax: true, ok: "-f= -t= -r= -w= -V= -M= --from= --to= --read= --write= --variable= --metadata=", read: "-T= --template= -H= -B= -A= -c=", write: "-o= --output=", exact: "-d= --defaults= --data-dir= --extract-media= --log=", unsure: "-F= --filter= -L= --lua-filter= --pdf-engine= --pdf-engine-opt= --print-default-data-file=", ops: pandocOps},
		"convmv":   {lax: true, ok: "-f= -t= --map= --dump-options=", exact: "--exec=", ops: convmvOps},
		"cloc":     {lax: true, read: "--list-file= --exclude-list-file= --read-lang-def= --force-lang-def=", spill: "--report-file= --out= --counted= --ignored= --found= --categorized= --sql= --write-lang-def= --write-lang-def-incl-dup= --unicode-counts=", exact: "--strip-comments? --strip-code? --original-dir --sdir=", unsure: "--extract-with= --vcs= --config=", ops: readAll},
		"xzcat":    {lax: true, ok: "-S= -T= -M= -F= -C= --suffix= --threads= --memlimit= --format= --check=", exact: "--files? --files0?", ops: readAll},
		"zstdcat":  {lax: true, read: "-D= --patch-from=", write: "-o= --output-dir-flat= --output-dir-mirror= --trace=", exact: "--filelist= --rm", ops: readAll},
		"wdiff":    {lax: true, exact: "-a --auto-pager", ops: readAll},
		"glow":     {lax: true, exact: "-p --pager", ops: readAll},
		"scc":      {lax: true, spill: "-o= --output=", exact: "--format-multi=", ops: readAll},
		"fzf":      {lax: true, exact: "--filter=", whole: "can run programs", unsure: "--preview= --bind= --execute= --listen? --become="},
		"dos2unix": {lax: true, ok: "-c= -D=", ops: writeAll}, "unix2dos": {lax: true, ok: "-c= -D=", ops: writeAll},
		"csvcut": {lax: true, ok: "-c= -C= -d= -q=", ops: readAll},
		"date":   {lax: true, ok: "-d= -I? --date= --iso-8601? --rfc-3339= -v=", read: "-r= --reference= -f= --file=", exact: "-s= --set=", ops: dateOps},
	}
}

// lastWritten reads the first n operands and writes those that follow.
func lastWritten(n int) func(*call) {
	return noted("last-written "+fmt.Sprint(n), func(c *call) {
		for i, w := range c.rest {
			if i < n {
				c.reads(w)
				continue
			}
			c.exactf("%s writes to its second file", c.name)
			c.writes(w)
		}
	})
}

func diffOps(c *call) {
	tree := c.has("-r", "--recursive") || c.hasLong("--recursive")
	if tree && !c.hasLong("--no-dereference") {
		c.follows()
	}
	for _, w := range c.rest {
		c.file(w, File{Tree: tree})
	}
}

// convmvOps: names are changed only with --notest.
func convmvOps(c *call) {
	moves := c.hasLong("--notest")
	for _, w := range c.rest {
		c.file(w, File{Tree: true, Write: moves, Deletes: moves})
	}
}

// dateOps: an operand that is no format is the time that the clock is set to.
func dateOps(c *call) {
	for _, w := range c.rest {
		if !strings.HasPrefix(w.Text, "+") {
			c.exactf("date sets the clock")
		}
	}
}

func ezaRow() spec {
	return spec{lax: true, ok: "-L= -I= -s= -t= --level= --ignore-glob= --sort= --time= --time-style=", ops: readTrees}
}

func grepRow() spec {
	return spec{
		lax: true,
		ok: "-EFGPVabcHhiILlnoqRrsTUuvwxyZz0123456789 -e= -m= -A= -B= -C= -d= -D= --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count " +
			"--files-without-match --files-with-matches --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null --text --null-data --binary --line-buffered --version --help " +
			"--recursive --dereference-recursive --unix-byte-offsets --regexp= --max-count= --after-context= --before-context= --context? --directories= --devices= --include= --exclude= --exclude-dir= --include-dir= --label= --binary-files= --color? --colour? --group-separator=",
		read: "-f= --file= --exclude-from=",
		ops:  grepOps,
	}
}

func rgRow() spec {
	return spec{
		ok: "-FisSvwxchHlLnNoOpPqruUabIV0. -e= -g= -t= -T= -A= -B= -C= -m= -M= -r= -d= -E= -j= --regexp= --glob= --iglob= --type= --type-not= --after-context= --before-context= --context= --max-count= --max-columns= --replace= " +
			"--max-depth= --encoding= --threads= --sort= --sortr= --type-add= --type-clear= --colors= --color= --context-separator= --no-context-separator --field-context-separator= --field-match-separator= --max-filesize= --path-separator= " +
			"--pre-glob= --regex-size-limit= --dfa-size-limit= --engine= --hyperlink-format= --stop-on-nonmatch --files --files-with-matches --files-without-match --count --count-matches --fixed-strings --ignore-case --smart-case --case-sensitive " +
			"--invert-match --word-regexp --line-regexp --line-number --no-line-number --column --no-column --heading --no-heading --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global " +
			"--no-ignore-parent --no-ignore-messages --ignore --unrestricted --follow --no-follow --text --binary --no-binary --only-matching --passthru --passthrough --pcre2 --no-pcre2 --pcre2-version --auto-hybrid-regex --multiline --no-multiline --multiline-dotall " +
			"--crlf --null --null-data --json --vimgrep --quiet --stats --trace --debug --trim --no-trim --unicode --no-unicode --no-search-zip --no-messages --messages --no-config --no-pre --one-file-system --mmap --no-mmap --line-buffered " +
			"--block-buffered --byte-offset --include-zero --max-columns-preview --no-require-git --glob-case-insensitive --ignore-file-case-insensitive --pretty --type-list --version --help --with-filename --no-filename -f -0 --sort-files --generate= --no-encoding",
		read: "-f= --file= --ignore-file=", exact: "-z --search-zip", unsure: "--pre= --hostname-bin=", ops: grepOps,
	}
}

// grepOps: the first operand is the pattern unless an option gave it; without files
// the programs that descend by themselves read the folder that they work in.
func grepOps(c *call) {
	files := c.rest
	if !c.has("-e", "-f", "--regexp", "--file", "--files", "--match", "--type-list") && len(files) > 0 {
		files = files[1:]
	}
	if c.descendsLinks() {
		c.follows()
	}
	tree := c.has("-r", "-R", "--recursive", "--dereference-recursive") || c.hasLong("--recursive") || c.hasLong("--dereference-recursive") || descends.Has(c.name)
	if tree && len(files) == 0 {
		files = []Word{literal(".")}
	}
	for _, w := range files {
		c.file(w, File{Tree: tree})
	}
}

// descends are programs that look below a folder by themselves.
var descends = wordset.New("rg ag ack rgrep ugrep ug ugrep+ ug+")

// descendsLinks reports whether grep or a program like it is told to go through links.
func (c *call) descendsLinks() bool {
	switch c.name {
	case "rg":
		if len(c.given("-u", "--unrestricted")) > 2 {
			c.exactf("rg -uuu reads hidden and ignored files, too")
		}
		return c.has("-L", "--follow")
	case "ag":
		return c.has("-f") || c.hasLong("--follow")
	case "ack":
		return c.hasLong("--follow")
	}
	return c.has("-R", "-S", "-O") || c.hasLong("--dereference-recursive")
}

// follows marks a program that goes through links below the folders that it is given:
// what it reads may be anywhere.
func (c *call) follows() {
	c.unsuref("%s follows links, which may lead anywhere", c.name)
}

// lettered reports whether a word of options has one of letters. Systems disagree on
// which letters take the rest of their word as a value, so that is not looked at.
func (c *call) lettered(letters string) bool {
	for _, w := range c.words {
		switch {
		case w.Text == "--":
			return false
		case len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.ContainsAny(w.Text, letters):
			return true
		}
	}
	return false
}

// followLinks is ops for a program that follows links below its folders when it has
// one of the letters short, or the long option, and, with deep, one of those as well.
func followLinks(short, long, deep string, ops func(*call)) func(*call) {
	return noted("follow-links "+dash(short)+" "+dash(long)+" "+dash(deep)+" "+kebab(ops), func(c *call) {
		follows := c.lettered(short) || long != "" && c.hasLong(long)
		if follows && (deep == "" || c.lettered(deep) || c.hasLong("--recursive") || c.hasLong("--archive")) {
			c.follows()
		}
		ops(c)
	})
}

// jqOps: jq runs and writes nothing. Some of its options take two words, the second
// of which may be a file.
func jqOps(c *call) {
	c.rest = nil
	program, files, options := true, true, true
	inPlace := c.has("-i") || c.hasLong("--in-place") // jaq alone has it
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		switch w.Text {
		case "--arg", "--argjson":
			i += 2
		case "--slurpfile", "--rawfile", "--argfile":
			if i+2 < len(c.words) {
				c.reads(c.words[i+2])
			}
			i += 2
		case "-f", "--from-file":
			c.exactf("%s takes its program from a file, which may read variables or other files", c.name)
			if program && i+1 < len(c.words) {
				c.reads(c.words[i+1])
			}
			program = false
			i++
		case "-L", "--indent":
			i++
		case "--args", "--jsonargs":
			files = false
		default:
			if options && strings.HasPrefix(w.Text, "-") && len(w.Text) > 1 {
				options = w.Text != "--"
				if isShort(w.Text) && strings.ContainsAny(w.Text, "fL") || strings.HasPrefix(w.Text, "--from-f") || strings.HasPrefix(w.Text, "--library-path") {
					c.exactf("%s takes its program or a part of it from a file", c.name)
				}
				continue
			}
			switch {
			case !program && files:
				c.file(w, File{Write: inPlace})
			case !program:
			case environment().MatchString(w.Text):
				c.exactf("%s reads variables or files that its program names", c.name)
			}
			program = false
		}
	}
}

// environment finds a program of jq that reads variables or other files.
var environment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^.\w"])(env|ENV|import|include|modulemeta)\b`) })

// yqOps: two programs bear this name; both have an option that changes files in place.
// One has functions that read files and variables.
func yqOps(c *call) {
	inPlace := c.has("-i", "--inplace", "--in-place") || c.hasLong("--inplace") || c.hasLong("--in-place")
	if len(c.rest) > 1 && yqSubs.Has(c.rest[0].Text) {
		c.rest = c.rest[1:]
	}
	programs := c.values("--expression")
	if len(programs) == 0 && !c.has("--from-file") && len(c.rest) > 0 {
		programs = c.rest[:1]
		if len(c.rest) > 1 { // a file alone is shown as it is
			c.rest = c.rest[1:]
		}
	}
	for _, w := range c.rest {
		c.file(w, File{Write: inPlace})
	}
	if inPlace {
		c.exactf("%s -i changes files", c.name)
	}
	for _, w := range programs {
		if strings.Contains(w.Text, "load") || strings.Contains(w.Text, "system") || strings.Contains(w.Text, "env") {
			c.exactf("%s reads files that its program names", c.name)
		}
	}
}

// isShort reports whether a word is options of one letter.
func isShort(text string) bool { return len(text) > 1 && text[0] == '-' && text[1] != '-' }

var yqSubs = wordset.New("eval e eval-all ea")

func batRow() spec {
	return spec{lax: true, ok: "-l= -H= -r= -m= --language= --highlight-line= --line-range= --theme= --style= --wrap= --tabs= --terminal-width= --color= --paging= --map-syntax= --file-name= --decorations= --italic-text=", unsure: "--pager=", exact: "--config-file --generate-config-file --source= --target=", ops: batOps}
}

// batOps: "bat cache" builds its files.
func batOps(c *call) {
	c.first(func(w Word) {
		if w.Text == "cache" {
			c.exactf("bat cache changes its own files")
		}
	})
	readAll(c)
}

// pandocOps: a format that is a file is a script.
func pandocOps(c *call) {
	for _, w := range c.values("-f", "-t", "-r", "-w", "--from", "--to", "--read", "--write") {
		if strings.ContainsAny(w.Text, "./") {
			c.exactf("pandoc runs a format that is a file")
		}
	}
	readAll(c)
}

// pagerOps: +!cmd runs a program at once.
func pagerOps(c *call) {
	for _, w := range c.rest {
		if strings.HasPrefix(w.Text, "+") {
			c.unsuref("%s is given a command to start with", c.name)
			continue
		}
		c.reads(w)
	}
}
