package claude

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// Tools whose calls read or edit files. Claude Code looks at paths after Read and Edit
// only, and holds those rules for the whole family.
var (
	claudeReads = map[string]bool{"Read": true, "Grep": true, "Glob": true, "LS": true, "NotebookRead": true}
	claudeEdits = map[string]bool{"Edit": true, "Write": true, "MultiEdit": true, "NotebookEdit": true}
)

// fileClaude is a rule about paths. One rule there becomes one for each parameter that holds a
// path here.
func (im *claudeImport) fileClaude(d rules.Verdict, name, spec string) ([]draft, error) {
	if d == rules.Allow && name != "Read" && name != "Edit" {
		return nil, unsaid("Claude Code takes no notice of paths after " + name + "; it means Read or Edit")
	}
	pattern, err := im.pathClaude(d, spec)
	if err != nil {
		return nil, err
	}
	where := func(param string) map[string]string { return map[string]string{param: pattern} }
	if claudeEdits[name] {
		return []draft{{"Edit|Write|MultiEdit", where("file_path")}, {"NotebookEdit", where("notebook_path")}}, nil
	}
	list := []draft{{"Read", where("file_path")}, {"Grep|Glob|LS", where("path")}, {"NotebookRead", where("notebook_path")}}
	if d == rules.Deny { // a file that must not be read must not be changed either
		list[0].tool = "Read|Edit|Write|MultiEdit"
		list[2].tool = "NotebookRead|NotebookEdit"
	}
	// A search is judged by the folder that it starts in; from above it may still find them.
	if d != rules.Allow && !im.warned {
		im.warned = true
		return list, unsaid("it was taken over, but a search that starts in a folder above these files is not stopped by it")
	}
	return list, nil
}

// pathClaude turns a pattern of .gitignore into a glob. "//" begins an absolute path, "~/" one
// in the home folder, "/" one where the settings stand, anything else one below the working
// folder. Source: Claude Code's documentation of Read and Edit rules.
func (im *claudeImport) pathClaude(d rules.Verdict, spec string) (string, error) {
	if strings.HasPrefix(spec, "!") || strings.HasPrefix(spec, "#") || strings.TrimSpace(spec) != spec {
		return "", unsaid("its path cannot be said as a glob")
	}
	switch {
	case strings.HasPrefix(spec, "//"):
		return anchored(d, "/", strings.TrimLeft(spec, "/")), nil
	case strings.HasPrefix(spec, "~/"):
		return anchored(d, "~/", spec[2:]), nil
	case strings.HasPrefix(spec, "/") && im.project == "":
		return anchored(d, "~/.claude/", strings.TrimLeft(spec, "/")), nil
	case strings.HasPrefix(spec, "/"):
		return anchored(d, "", strings.TrimLeft(spec, "/")), nil
	}
	rest, dotted := strings.CutPrefix(spec, "./")
	if im.project != "" && strings.HasPrefix(rest, "../") {
		return im.outside(d, rest), nil
	}
	return relative(d, rest, dotted), nil
}

// outside follows the ".." at the beginning of a path out of the project. Links are not
// followed: the settings mean the names.
func (im *claudeImport) outside(d rules.Verdict, rest string) string {
	dir := path.Clean(im.project)
	for strings.HasPrefix(rest, "../") {
		dir, rest = path.Dir(dir), rest[3:]
	}
	return anchored(d, strings.TrimSuffix(patterns.EscapePath(dir), "/")+"/", rest)
}

// anchored is a pattern below base, at any depth when it is a bare name. base ends with a
// slash, or is "" for the project.
func anchored(d rules.Verdict, base, rest string) string {
	glob, dirOnly := gitGlob(rest)
	return contents(d, base+glob, dirOnly)
}

// relative is a pattern below the working folder. There a bare name fits at any depth; for
// refusing rules "src/**" does too. As the working folder may lie deeper than the project,
// refusing rules hold at any depth of it anyway: "./" keeps them below it. An allow for "*.go"
// becomes "**/*.go", a deny for it "./**/*.go" and all below such a name.
func relative(d rules.Verdict, rest string, dotted bool) string {
	glob, dirOnly := gitGlob(rest)
	deep := glob == "**" || strings.HasPrefix(glob, "**/")
	switch {
	case d != rules.Allow && deep:
		glob = "./" + glob
	case d != rules.Allow:
		glob = "./**/" + glob
	case !deep && !dotted && !strings.Contains(glob, "/"):
		glob = "**/" + glob
	}
	return contents(d, glob, dirOnly)
}

// contents adds what lies in a folder of the name: .gitignore means that as well. An
// allow rule means only what it says: with a slash at the end no file of the name.
func contents(d rules.Verdict, glob string, dirOnly bool) string {
	all := glob == "**" || strings.HasSuffix(glob, "/**")
	switch {
	case d != rules.Allow && !all:
		return glob + "|" + glob + "/**"
	case d != rules.Allow || !dirOnly:
		return glob
	case all:
		glob += "/*"
	}
	return glob + "/**/*"
}

// gitGlob writes a pattern of .gitignore so that braces, commas and bars, which mean nothing
// there, mean nothing here. dirOnly: it ended with a slash.
func gitGlob(s string) (glob string, dirOnly bool) {
	s, dirOnly = strings.CutSuffix(s, "/")
	if s == "" {
		return "**", false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte('\\')
			i++
		case strings.IndexByte("{},|", s[i]) >= 0:
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String(), dirOnly
}
