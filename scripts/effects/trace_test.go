package main

import (
	"slices"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
)

// What strace wrote of two processes, of which the second begins to work where the first one was.
func TestReadTrace(t *testing.T) {
	got := readTrace(map[string]string{
		"1": "chdir(\"src\") = 0\n" +
			"clone(child_stack=NULL, flags=SIGCHLD) = 2\n" +
			"chdir(\"/\") = 0\n" +
			"openat(AT_FDCWD</p>, \"a\\40b\", O_RDONLY) = 3</p/real \\303\\251>\n" +
			"renameat2(4</p/d>, \"a\", AT_FDCWD</p>, \"../b\", 0) = 0\n" +
			"--- SIGCHLD {si_signo=SIGCHLD} ---\n",
		"2": "unlink(\"x\\\"y\") = 0\nsymlink(\"/etc\", \"l\") = 0\nfchmod(3</p/f>, 0644) = 0\nconnect(3<TCP:[1]>, {sa_family=AF_INET}, 16) = -1 ENETUNREACH (Network is unreachable)\n",
	}, "/p")
	var paths []string
	for _, e := range got.events {
		paths = append(paths, e.paths...)
	}
	slices.Sort(paths)
	want := []string{"/b", "/p/d/a", "/p/f", "/p/real é", "/p/src/l", `/p/src/x"y`}
	if !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
	if last := got.events[3]; last.call != "connect" || !last.fails {
		t.Errorf("%+v", got.events)
	}
}

// One call of each kind, and what it shows when nothing but a look was named.
func TestTracedEffects(t *testing.T) {
	w := &world{root: "/w", known: map[string]bool{"/w/project/kept": true, "/w/project/loose": false}}
	look, check := effects.Of(effects.Look), effects.Of(effects.Look, effects.Check)
	for _, tt := range []struct {
		call  string
		named effects.Set
		want  effects.Set
	}{
		{`openat(AT_FDCWD</w/project>, "a", O_RDONLY) = 3</w/project/a>`, look, 0},
		{`openat(AT_FDCWD</w/project>, "a", O_RDONLY) = 3</w/other/a>`, look, effects.Of(effects.Outside)},
		{`openat(AT_FDCWD</w/project>, "a", O_RDONLY) = 3</w/project/.env>`, look, effects.Of(effects.Secrets)},
		{`openat(AT_FDCWD</w/project>, "a", O_WRONLY|O_CREAT, 0666) = 3</w/project/a>`, look, effects.Of(effects.Edit)},
		{`openat(AT_FDCWD</w/project>, "a", O_WRONLY|O_CREAT, 0666) = 3</w/project/a>`, check, 0},
		{`openat(AT_FDCWD</w/project>, "/tmp/a", O_WRONLY|O_CREAT, 0666) = 3</tmp/a>`, look, effects.Of(effects.Outside)},
		{`openat(AT_FDCWD</w/project>, "/tmp/a", O_WRONLY|O_CREAT, 0666) = 3</tmp/a>`, check, 0},
		{`openat(AT_FDCWD</w/project>, "a", O_RDWR|O_CREAT, 0666) = 3</w/project/.git/objects/a>`, look, effects.Of(effects.Commit)},
		{`openat(AT_FDCWD</w/project>, "a", O_RDWR|O_CREAT, 0666) = 3</w/project/.git/hooks/a>`, check, effects.Of(effects.Unknown)},
		{`openat(AT_FDCWD</w/project>, "aoctl-effects-ran", O_RDONLY) = -1 ENOENT (No such file or directory)`, look, effects.Of(effects.Check)},
		{`unlink("kept") = 0`, look, effects.Of(effects.Edit)},
		{`unlink("loose") = 0`, look, effects.Of(effects.Delete)},
		{`mkdir("../other/x", 0777) = 0`, check, effects.Of(effects.Outside)},
		{`execve("/usr/bin/ls", ["ls"], 0x1 /* 1 vars */) = 0`, look, 0},
		{`execve("./run", ["run"], 0x1 /* 1 vars */) = 0`, look, effects.Of(effects.Check)},
		{`execve("/w/other/run", ["run"], 0x1 /* 1 vars */) = 0`, check, effects.Of(effects.Unknown)},
		{`connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("8.8.8.8")}, 16) = -1 ENETUNREACH (Network is unreachable)`, check, effects.Of(effects.Network)},
		{`connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`, check, 0},
		{`connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`, effects.Of(effects.Serve), 0},
		{`connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`, look, effects.Of(effects.Network)},
		{`connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("8.8.8.8")}, 16) = 0`, effects.Of(effects.Serve), effects.Of(effects.Network)},
		{`listen(3<TCP:[0.0.0.0:80]>, 511) = 0`, check, effects.Of(effects.Serve)},
		{`setuid(5) = 0`, check, effects.Of(effects.Privilege)},
		{`kill(77, SIGTERM) = 0`, check, effects.Of(effects.Privilege)},
	} {
		var got effects.Set
		for _, f := range w.effects(readTrace(map[string]string{"9": tt.call}, "/w/project"), tt.named) {
			if !tt.named.Has(f.effect) {
				got |= effects.Of(f.effect)
			}
		}
		if got != tt.want {
			t.Errorf("%s with %s: %q, want %q", tt.call, tt.named, got, tt.want)
		}
	}
	if got := w.effects(trace{output: "x " + canary}, look); len(got) != 1 || got[0].effect != effects.Secrets {
		t.Errorf("a secret that is printed: %v", got)
	}
}

// The corpus can be read, has as many lines as it promises, and each of its worlds a name of its own.
func TestCorpus(t *testing.T) {
	groups, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	lines, names := 0, map[string]bool{}
	for _, g := range groups {
		lines += len(g.Lines)
		if names[g.World] && g.World != "plain" {
			t.Errorf("two worlds are called %s", g.World)
		}
		names[g.World] = true
	}
	if lines < 2000 {
		t.Errorf("%d lines", lines)
	}
}

// Slots are filled in all ways, quoted lines are read, and setup belongs to its world.
func TestParseCorpus(t *testing.T) {
	groups, err := parse("# x\n@a@ = 1 %% 2\n@b@ = x %% y\nls @a@ @b@ @a@\n=== w\n$ touch x\n\"a\\nb\"\nmail@x")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range groups {
		for _, l := range g.Lines {
			lines = append(lines, l.World+":"+l.Text)
		}
	}
	want := []string{"plain:ls 1 x 1", "plain:ls 1 y 1", "plain:ls 2 x 2", "plain:ls 2 y 2", "w:a\nb", "w:mail@x"}
	if !slices.Equal(lines, want) || !slices.Equal(groups[1].Setup, []string{"touch x"}) {
		t.Errorf("%q %q", lines, groups[1].Setup)
	}
}
