package shell

import "testing"

// Braces are plain where all shells either expand them alike or keep them, and the line has elements for both.
func TestPlainBraces(t *testing.T) {
	for line, want := range map[string]bool{
		"mkdir -p src/{app,lib/{x,y}}": true, "cat src/{a,b}.go | head -3": true, "cp a.go{,.bak}": true, "ls packages/*/{src,test} *.{js,ts}": true,
		"touch f{1..3}.txt && git add f{1..3}.txt": true, "for i in {1..5}; do echo $i; done": true, "for d in {a,b}; do mkdir \"$d\"; done": true,
		`bash -c 'cat {a,b}'`: true, "cat $(ls {a,b}) {c,d}": true, "cat 'x y' {c,d} <in >out": true,

		// mksh expands lists and no sequences; zsh keeps an empty word.
		"touch {a,b}{1..2}": false, "touch {a,b} {1..2}": false, "touch {a,{1..2}}": false, "ls {a,}": false, "ls {,}x{,}": true, "ls {,}": false,
		"ls {a}": false, "ls {a}{b,c}": false, "ls x{a": false, "ls {a,b}}": false, "ls {1..3..2}": false, "ls {01..03}": false, "ls {a..c}": false,
		"ls {a,~}/b": false, "ls {a,=b}": false, "ls {a,$x}": false, "ls {a,'b c'}": false, `ls {a,\b}`: false, "ls {a,[b]}": false, "ls {a,b}(x)": false, "ls {a,b": false,
		"cd {a,b}": false, "export {A,B}=c": false, "[ {x,-eq,0} ]": false, "printf {%d,x}": false, "env {eval,x}": false, "timeout 5 cat {a,b}": false, "{ls,-l}": false,
		"x={a,b}; ls $x": false, "ls > {a,b}": false, "xargs cat {a,b}": false, "f() { ls; }; cat {a,b}": false, "cat <<E {a,b}\nx\nE\n": true,
	} {
		if l := Parse(line); l.Plain != want {
			t.Errorf("%s is plain: %v, %s", line, l.Plain, l.Odd)
		}
	}
}
