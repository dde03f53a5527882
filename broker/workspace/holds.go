package workspace

import (
	"os"
	"path/filepath"
)

// tells are files and folders that say what kind of project a folder is, and what to call them. What
// tells most comes first.
var tells = []struct{ file, name string }{
	{"go.mod", "go.mod"},
	{"Cargo.toml", "Cargo.toml"},
	{"package.json", "package.json"},
	{"deno.json", "deno.json"},
	{"pyproject.toml", "pyproject.toml"},
	{"requirements.txt", "requirements.txt"},
	{"pom.xml", "pom.xml"},
	{"build.gradle", "build.gradle"},
	{"build.gradle.kts", "build.gradle.kts"},
	{"Gemfile", "Gemfile"},
	{"composer.json", "composer.json"},
	{"mix.exs", "mix.exs"},
	{"CMakeLists.txt", "CMakeLists.txt"},
	{"Makefile", "Makefile"},
	{".git", "git"},
}

// Holds names what a project's folder has of the files that say what kind of project it is. It looks
// at the folder alone, and never into a file.
func Holds(dir string) (names []string) {
	for _, t := range tells {
		if _, err := os.Lstat(filepath.Join(dir, t.file)); err == nil {
			names = append(names, t.name)
		}
	}
	return names
}

// InRepository reports whether git has a repository for a project's folder, given by its real path: there or
// above it.
func InRepository(project string) bool { return gitAt(project, project).Top != "" }

// ProjectRoot is the folder that stands for a project in rules: dir with its links followed. It is ""
// for a folder that is not there, or is too wide for one project: the root, the home folder and what
// is above it.
func ProjectRoot(dir, home string) string {
	root, _ := NewPaths().projectRoot(dir, home)
	return root
}
