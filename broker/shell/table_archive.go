package shell

import "strings"

// archiveRows are programs that pack and unpack.
func archiveRows() map[string]spec {
	rows := map[string]spec{
		"tar": tarRow(), "gtar": tarRow(), "bsdtar": tarRow(),
		"zip":     {lax: true, ok: "-0123456789DjqryX -b= -n= -t= -P= -s= -x= -i=", exact: "-@ --names-stdin", unsure: "-T --unzip-command= --test", ops: zipOps},
		"unzip":   {lax: true, ok: "-P= -x= -d=", exact: "-:", ops: unzipOps},
		"zipinfo": {lax: true, ops: readFrom(0)},
		"7z":      sevenRow(), "7za": sevenRow(), "7zz": sevenRow(),
		"cpio":  {lax: true, exact: "-i -o -p --create --extract --pass-through", ok: "-C= -H= -R= --format= --owner= --block-size=", read: "-E= -I= --pattern-file=", write: "-O= -F= -D= --file= --directory=", unsure: "--rsh-command=", ops: cpioOps},
		"ar":    {lax: true, spill: "--output=", unsure: "--plugin=", ops: writeObject},
		"unrar": {lax: true, ops: writeObject},
		"unar":  {lax: true, write: "-o=", ops: readAll},
	}
	same(rows, spec{lax: true, ok: "-S= -T= -b= --suffix= --threads= -M= -D=", write: "-o= --output-dir-flat= --output-dir-mirror=", ops: packOps},
		"gzip gunzip pigz unpigz bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 compress uncompress brotli")
	return rows
}

func tarRow() spec {
	return spec{
		ok: "-AcdrtuxzjJZavpPhklmnoOsSUwWBiGRM -b= -H= -K= -L= -N= -V= --catenate --concatenate --create --delete --diff --compare --append --test-label --list --update --extract --get --check-device --incremental --hole-detection= " +
			"--ignore-failed-read --level= --no-check-device --no-seek --seek --occurrence? --sparse-version= --sparse --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under " +
			"--exclude-tag= --exclude-tag-all= --exclude-tag-under= --exclude-vcs --exclude-vcs-ignores --exclude-ignore= --exclude-ignore-recursive= --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion --unquote " +
			"--verbatim-files-from --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files --keep-old-files " +
			"--no-overwrite-dir --overwrite --overwrite-dir --recursive-unlink --remove-files --skip-old-files --unlink-first --verify --ignore-command-error --no-ignore-command-error --to-stdout --atime-preserve? --clamp-mtime " +
			"--delay-directory-restore --group= --mode= --mtime= --touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner --owner= --preserve-permissions --same-permissions --same-owner --sort= " +
			"--preserve-order --same-order --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs --xattrs-exclude= --xattrs-include= --force-local --tape-length= --multi-volume --blocking-factor= --read-full-records --ignore-zeros " +
			"--record-size= --format= --old-archive --portability --pax-option= --posix --label= --auto-compress --bzip2 --xz --lzip --lzma --lzop --no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --backup? " +
			"--hard-dereference --dereference --starting-file= --newer-mtime= --newer= --after-date= --one-file-system --absolute-names --suffix= --strip-components= --transform= --xform= --checkpoint? --full-time --check-links " +
			"--no-quote-chars= --quote-chars= --quoting-style= --block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names --show-stored-names --totals? --utc --verbose --warning= --interactive " +
			"--confirmation --help --restrict --usage --version -f= --file= -C= --directory= --one-top-level? --no-mac-metadata --disable-copyfile --options= --no-fflags --no-xattrs",
		read:   "-X= --exclude-from= --group-map= --owner-map= --add-file=",
		write:  "-g= --listed-incremental= --volno-file= --index-file=",
		exact:  "-T= --files-from=",
		unsure: "-F= --info-script= --new-volume-script= -I= --use-compress-program= --rmt-command= --rsh-command= --to-command= --checkpoint-action=",
		raw:    tarOps,
	}
}

// tarOps: the first word may be options without a dash, whose values then follow in
// their order: tar xfC a.tar dir.
func tarOps(c *call) {
	o := c.options()
	if len(c.words) > 0 && c.words[0].known && c.words[0].text != "" && c.words[0].text[0] != '-' {
		c.words = c.unbundled(o)
	}
	c.parse()
	for _, g := range c.opts {
		if strings.HasPrefix(g.value.text, "-") && g.value.text != "-" {
			c.exactf("an option of tar has a value that is an option to other versions of it")
		}
	}
	if c.has("-h", "--dereference") {
		c.follows()
	}
	extracts := c.has("-x", "--extract", "--get")
	packs := c.has("-c", "-r", "-u", "-A", "--create", "--append", "--update", "--delete", "--concatenate", "--catenate")
	for _, w := range c.values("-f", "--file") {
		switch {
		case isRemote(w.text) && !c.has("--force-local"):
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
			c.file(w, file{write: true, tree: true})
		}
		if c.has("-P", "--absolute-names") {
			c.exactf("tar -P may write anywhere")
		}
	case packs:
		for _, w := range append(folders, c.rest...) {
			c.file(w, file{tree: true, write: c.has("--remove-files"), deletes: c.has("--remove-files")})
		}
	}
}

func (c *call) unbundled(o *options) []word {
	var words []word
	next := c.words[1:]
	for _, letter := range c.words[0].text {
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
		if strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "T") && !strings.HasPrefix(w.text, "--") {
			c.unsuref("zip -TT can run another program")
		}
	}
	for i, w := range c.rest {
		if i == 0 {
			c.writes(w)
		} else {
			c.file(w, file{tree: true, write: c.has("-m"), deletes: c.has("-m")})
		}
	}
}

// cpioOps: cpio asks another machine for an archive whose name has a colon, as tar does.
func cpioOps(c *call) {
	for _, w := range c.values("-F", "-I", "-O", "--file") {
		if isRemote(w.text) && !c.has("--force-local") {
			c.unsuref("cpio works on an archive of another machine")
		}
	}
	c.farOperands()
}

func unzipOps(c *call) {
	c.first(c.reads)
	for _, w := range c.values("-d") {
		c.file(w, file{write: true, tree: true})
		if faraway(w) {
			c.exactf("unzip writes outside of its folder")
		}
	}
	if !c.has("-l", "-p", "-t", "-v", "-Z", "-z", "-c", "-d") {
		c.file(literal("."), file{write: true, tree: true})
	}
}

func sevenRow() spec {
	return spec{raw: func(c *call) {
		for i, w := range c.words {
			switch {
			case strings.HasPrefix(w.text, "-o"):
				c.file(tail(w, strings.TrimPrefix(w.text, "-o")), file{write: true, tree: true})
			case strings.HasPrefix(w.text, "@") || strings.HasPrefix(w.text, "-i") || strings.HasPrefix(w.text, "-sdel"):
				c.exactf("%s takes names from a file or removes what it packs", c.name)
			case strings.HasPrefix(w.text, "-"):
			case i == 0:
			case c.words[0].text == "l" || c.words[0].text == "t" || c.words[0].text == "x" || c.words[0].text == "e":
				c.reads(w)
			default:
				c.writes(w)
			}
		}
		if len(c.words) > 0 && (c.words[0].text == "x" || c.words[0].text == "e") {
			c.file(literal("."), file{write: true, tree: true})
		}
	}}
}

// packOps: a packer replaces each file by another, unless it prints.
func packOps(c *call) {
	for _, w := range c.rest {
		if c.has("-c", "-t", "-l", "--stdout", "--to-stdout", "--test", "--list") {
			c.reads(w)
			continue
		}
		c.file(w, file{write: true, deletes: true})
	}
}
