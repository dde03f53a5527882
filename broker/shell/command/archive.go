package command

import (
	"cmp"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// archiveRows are programs that pack and unpack.
func archiveRows() map[string]spec {
	rows := map[string]spec{
		"tar": tarRow(), "gtar": tarRow(), "bsdtar": tarRow(),
		"zip":     {lax: true, ok: "-0123456789DjqryX -b= -n= -t= -P= -s= -x= -i=", write: "-O= --out= --output-file=", exact: "-@ --names-stdin --logfile-path=", unsure: "-T --unzip-command= --test", ops: zipOps},
		"unzip":   {lax: true, ok: "-P= -x= -d=", exact: "-:", ops: unzipOps},
		"zipinfo": {lax: true, ops: readFrom(0)},
		"7z":      sevenRow(), "7za": sevenRow(), "7zz": sevenRow(),
		"cpio":  {lax: true, exact: "-i -o -p --create --extract --pass-through", ok: "-C= -H= -R= --format= --owner= --block-size=", read: "-E= -I= --pattern-file=", write: "-O= -F= -D= --file= --directory=", unsure: "--rsh-command=", ops: cpioOps},
		"ar":    {lax: true, spill: "--output=", unsure: "--plugin=", ops: arOps},
		"unrar": {lax: true, ops: arOps},
		"unar":  {lax: true, write: "-o=", ops: unarOps},
	}
	packerRows(rows)
	return rows
}

// packerRows are programs that pack each file by itself. An option has a value here only
// where it has one in the very program: else a file behind it would not be seen.
func packerRows(rows map[string]spec) {
	test, list := "-c -t --stdout --to-stdout --test", " -l --list"
	same(rows, spec{lax: true, ok: "-S= -b= --suffix= --bits=", ops: packOps(test + list)}, "gzip gunzip")
	same(rows, spec{lax: true, ok: "-S= -b= -p= --suffix= --blocksize= --processes=", ops: packOps(test + list)}, "pigz unpigz")
	same(rows, spec{lax: true, ok: "-S= -T= -M= -F= -C= --suffix= --threads= --memlimit= --format= --check=", exact: "--files? --files0?", ops: packOps(test + list)}, "xz unxz lzma unlzma")
	same(rows, spec{lax: true, ops: packOps(test)}, "bzip2 bunzip2")
	same(rows, spec{lax: true, read: "-D= --patch-from=", write: "-o= --output-dir-flat= --output-dir-mirror= --trace=", exact: "--filelist= --train? --train-cover? --train-fastcover? --train-legacy?", ops: packOps(test + list)}, "zstd unzstd")
	same(rows, spec{lax: true, ok: "-B?", read: "-D=", ops: packOps(test)}, "lz4 unlz4") // its -l is a format
	same(rows, spec{lax: true, ok: "-b=", ops: packOps("-c")}, "compress uncompress")
	same(rows, spec{lax: true, ok: "-q= -w= -S= --quality= --lgwin= --suffix=", read: "-D= --dictionary=", write: "-o= --output=", ops: packOps(test)}, "brotli")
}

func tarRow() spec {
	return spec{
		ok: "-AcdrtuxzjJZavpPhklmnoOsSUwWBiGRM -b= -K= -N= -V= --catenate --concatenate --create --delete --diff --compare --append --test-label --list --update --extract --get --check-device --incremental --hole-detection= " +
			"--ignore-failed-read --level= --no-check-device --no-seek --seek --occurrence? --sparse-version= --sparse --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under " +
			"--exclude-tag= --exclude-tag-all= --exclude-tag-under= --exclude-vcs --exclude-vcs-ignores --exclude-ignore= --exclude-ignore-recursive= --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion --unquote " +
			"--verbatim-files-from --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files --keep-old-files " +
			"--no-overwrite-dir --overwrite --overwrite-dir --recursive-unlink --remove-files --skip-old-files --unlink-first --verify --ignore-command-error --no-ignore-command-error --to-stdout --atime-preserve? --clamp-mtime " +
			"--delay-directory-restore --group= --mode= --mtime= --touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner --owner= --preserve-permissions --same-permissions --same-owner --sort= " +
			"--preserve-order --same-order --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs --xattrs-exclude= --xattrs-include= --force-local --tape-length= --multi-volume --blocking-factor= --read-full-records --ignore-zeros " +
			"--record-size= --format= --old-archive --portability --pax-option= --posix --label= --auto-compress --bzip2 --xz --lzip --lzma --lzop --no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --backup? " +
			"--hard-dereference --dereference --starting-file= --newer-mtime= --newer= --after-date= --one-file-system --absolute-names --suffix= --strip-components= --transform= --xform= --checkpoint? --full-time --check-links " +
			"--no-quote-chars= --quote-chars= --quoting-style= --block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names --show-stored-names --totals? --utc --verbose --warning= --interactive " +
			"--confirmation --help --restrict --usage --version -f= --file= -C= --directory= --one-top-level? --no-mac-metadata --disable-copyfile --options= --no-fflags",
		read:   "-X= --exclude-from= --group-map= --owner-map= --add-file=",
		write:  "-g= --listed-incremental= --volno-file= --index-file=",
		exact:  "-T= --files-from= -H= -L=", // bsdtar has the last two without a value
		unsure: "-F= --info-script= --new-volume-script= -I= --use-compress-program= --rmt-command= --rsh-command= --to-command= --checkpoint-action=",
		raw:    tarOps,
	}
}

// tarOps: the first word may be options without a dash, whose values then follow in
// their order: tar xfC a.tar dir.
func tarOps(c *call) {
	o := c.options()
	if len(c.words) > 0 && c.words[0].Known && c.words[0].Text != "" && c.words[0].Text[0] != '-' {
		c.words = c.unbundled(o)
	}
	c.parse()
	c.dashedValues()
	if c.has("-h", "--dereference") {
		c.follows()
	}
	extracts := c.has("-x", "--extract", "--get")
	packs := c.has("-c", "-r", "-u", "-A", "--create", "--append", "--update", "--delete", "--concatenate", "--catenate")
	for _, w := range c.values("-f", "--file") {
		switch {
		case isRemote(w.Text) && !c.has("--force-local"):
			c.unsuref("tar works on an archive of another machine")
		case packs:
			c.writes(w)
		default:
			c.reads(w)
		}
	}
	folders := append(c.values("-C", "--directory"), c.values("--one-top-level")...)
	switch {
	case extracts && !c.has("-O", "--to-stdout"):
		for _, w := range orHere(folders) {
			c.file(w, File{Write: true, Tree: true})
		}
		if c.has("-P", "--absolute-names") {
			c.exactf("tar -P may write anywhere")
		}
	case packs:
		for _, w := range append(folders, c.rest...) {
			c.file(w, File{Tree: true, Write: c.has("--remove-files"), Deletes: c.has("--remove-files")})
		}
	}
}

func (c *call) unbundled(o *options) []Word {
	var words []Word
	next := c.words[1:]
	for _, letter := range c.words[0].Text {
		words = append(words, literal("-"+string(letter)))
		if o.byName["-"+string(letter)].value && len(next) > 0 {
			words = append(words, next[0])
			next = next[1:]
		}
	}
	return append(words, next...)
}

// zipOps: the first operand is the archive. -T runs the program that -TT names.
func zipOps(c *call) {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "T") && !strings.HasPrefix(w.Text, "--") {
			c.unsuref("zip -TT can run another program")
		}
		if strings.HasPrefix(w.Text, "-lf") {
			c.exactf("zip -lf writes a file")
		}
	}
	moves := c.has("-m") || c.hasLong("--move")
	for i, w := range c.rest {
		if i == 0 {
			c.writes(w)
		} else {
			c.file(w, File{Tree: true, Write: moves, Deletes: moves})
		}
	}
}

// cpioOps: cpio asks another machine for an archive whose name has a colon, as tar does.
func cpioOps(c *call) {
	for _, w := range c.values("-F", "-I", "-O", "--file") {
		if isRemote(w.Text) && !c.has("--force-local") {
			c.unsuref("cpio works on an archive of another machine")
		}
	}
	c.farOperands()
}

func unzipOps(c *call) {
	c.first(c.reads)
	for _, w := range c.values("-d") {
		c.file(w, File{Write: true, Tree: true})
		if faraway(w) {
			c.exactf("unzip writes outside of its folder")
		}
	}
	if !onlyShows(c.words) && !c.has("-d") {
		c.file(literal("."), File{Write: true, Tree: true})
	}
}

func sevenRow() spec { return spec{raw: sevenOps} }

// sevenOps: the first operand is the command. Neither it nor the options mind capitals.
func sevenOps(c *call) {
	command := ""
	for _, w := range c.words {
		text := strings.ToLower(w.Text)
		switch {
		case !w.Known: // may be the command, too
			command = cmp.Or(command, "?")
			c.writes(w)
		case strings.HasPrefix(text, "@"):
			c.exactf("%s takes the names of its files from a list", c.name)
		case text == "--" && !c.ended:
			c.ended = true
		case strings.HasPrefix(text, "-") && !c.ended:
			c.sevenOption(w, text)
		case command == "":
			command = text
		case sevenLooks.Has(command) || sevenUnpacks.Has(command):
			c.reads(w)
		default:
			c.writes(w)
		}
	}
	if sevenUnpacks.Has(command) {
		c.file(literal("."), File{Write: true, Tree: true})
	}
}

var sevenLooks, sevenUnpacks = wordset.New("l t"), wordset.New("x e")

func (c *call) sevenOption(w Word, text string) {
	if strings.HasPrefix(text, "-o") {
		c.file(tail(w, w.Text[len("-o"):]), File{Write: true, Tree: true})
		return
	}
	for _, start := range strings.Fields("-i -x@ -ai -ax -an -sdel -spf -snl -u -w") {
		if strings.HasPrefix(text, start) {
			c.exactf("%s %s can name other files, or removes what it packs", c.name, start)
		}
	}
}

// arOps: the first word is what to do, in letters; with an x or an e among them it unpacks.
func arOps(c *call) {
	writeObject(c)
	if c.has("-x") || len(c.rest) > 0 && strings.ContainsAny(c.rest[0].Text, "xe") {
		c.file(literal("."), File{Write: true, Tree: true})
	}
}

func unarOps(c *call) {
	readAll(c)
	c.file(literal("."), File{Write: true, Tree: true})
}

// packOps: a packer replaces each file by another, unless it prints. The last of its options
// counts, so that a test is none where it is told to pack or to unpack, too.
func packOps(prints string) func(*call) {
	names := strings.Fields(prints)
	return noted("pack "+prints, func(c *call) {
		prints := c.has(names...)
		if !c.has("-c", "--stdout", "--to-stdout") && (c.lettered("dz") || c.hasLong("--decompress") || c.hasLong("--uncompress") || c.hasLong("--compress")) || c.has("--rm") {
			prints = false
		}
		tree := c.lettered("r") || c.hasLong("--recursive")
		for _, w := range c.words {
			if isShort(w.Text) && strings.Contains(w.Text, "o") && !strings.HasSuffix(w.Text, "o") {
				c.exactf("%s writes a file", c.name) // to zstd the next word is its name
			}
		}
		for _, w := range c.rest {
			c.file(w, File{Tree: tree, Write: !prints, Deletes: !prints})
		}
	})
}
