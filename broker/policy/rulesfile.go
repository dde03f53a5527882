package policy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/broker/workspace"
)

// RulesFileName is where a project keeps rules of its own, below its folder.
const RulesFileName = ".aoctl/rules.toml"

const (
	maxRulesFile = 1 << 20 // bytes
	maxFiles     = 256     // files that are remembered; anybody can say that he works in some folder
	// settleTime is how old a change must be before the same times and size mean the same
	// content: the disk's clock is coarse, and a file can be written twice in one tick.
	settleTime = 100 * time.Millisecond
)

// projectFiles are the rules files of the projects that calls came from, as they were read last:
// by real path.
type projectFiles struct {
	reading sync.Mutex // one reader of files at a time
	mu      sync.Mutex
	known   map[string]*projectFile
}

// projectFile is one rules file as it was read last.
type projectFile struct {
	project string // the folder that it is about, as the disk has it
	digest  string
	problem string // why no rule in it holds
	empty   bool   // it has no rules
	stamp   workspace.FileStamp
	readAt  time.Time
}

// holds reports whether f is still what its file says, if that has this stamp now.
func (f *projectFile) holds(s workspace.FileStamp) bool {
	return f.stamp == s && (s.Missing || f.readAt.Sub(s.Changed) > settleTime)
}

// projectRules brings the rules of project's own file up to date, and those of known files above
// it, which hold there too. It says why one of them cannot be read; then nothing of that project
// may be allowed by a rule.
func (p *Policy) projectRules(project string) (problem string) {
	if !filepath.IsAbs(project) {
		return ""
	}
	real := filepath.Clean(workspace.RealPath(project))
	dirs := append([]string{real}, p.files.above(real)...)
	for _, dir := range dirs {
		problem = cmp.Or(problem, p.projectFile(dir))
	}
	return problem
}

// above are the projects with a known file whose folder holds project.
func (p *projectFiles) above(project string) (dirs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.known {
		if f.project != project && workspace.Below(f.project, project) {
			dirs = append(dirs, f.project)
		}
	}
	return dirs
}

// projectFile brings the rules of one project's file up to date. A file that has not changed
// since it was read costs one stat. The rules hold once the engine has taken them in.
func (p *Policy) projectFile(project string) (problem string) {
	path := filepath.Join(project, RulesFileName)
	if problem, holds := p.files.holds(path); holds {
		return problem
	}
	p.files.reading.Lock()
	defer p.files.reading.Unlock()
	if problem, holds := p.files.holds(path); holds {
		return problem
	}
	// The time is taken before the file is read, so a write meanwhile is seen as a change.
	f := &projectFile{project: project, readAt: time.Now()}
	read, stamp, err := readRulesFile(path, project, p.Engine.Trusted(path), p.Vet)
	if f.stamp = stamp; err != nil {
		read.Problem, read.Rules = err.Error(), nil
	}
	room, forgotten := p.files.room(path)
	// They had no rules, so the engine need not know of them any more.
	for _, old := range forgotten {
		p.Tell(engine.FileRead{File: broker.RulesFile{Path: old}, Missing: true})
	}
	if !room {
		return fmt.Sprintf("there are %d such files in use already", maxFiles)
	}
	f.digest, f.empty = read.Digest, len(read.Rules) == 0
	r := p.Tell(engine.FileRead{File: read, Missing: stamp.Missing})
	f.problem = r.Problem
	if r.Err != nil {
		return r.Err.Error()
	}
	p.files.mu.Lock()
	defer p.files.mu.Unlock()
	p.files.known[path] = f
	return f.problem
}

// holds reports whether what is known of path holds still, and then what is wrong with the file.
func (p *projectFiles) holds(path string) (problem string, holds bool) {
	stamp, err := workspace.StampOf(path)
	p.mu.Lock()
	defer p.mu.Unlock()
	f, known := p.known[path]
	switch {
	case err != nil:
		return "", false
	case !known:
		return "", stamp.Missing
	}
	return f.problem, f.holds(stamp)
}

// room makes room for one more file: those without rules are forgotten first, and read again when
// their project asks.
func (p *projectFiles) room(path string) (room bool, forgotten []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.known[path]; ok || len(p.known) < maxFiles {
		return true, nil
	}
	maps.DeleteFunc(p.known, func(path string, f *projectFile) bool {
		if f.empty {
			forgotten = append(forgotten, path)
		}
		return f.empty
	})
	return len(p.known) < maxFiles, forgotten
}

// ReadRulesFile reads a project's rules file. Its allow rules are on when trusted is the digest
// of its content. Errors say what is wrong with the file; its path and digest are returned also
// then. It parses without a vetter, so it is for commands and not for the broker.
func ReadRulesFile(path, project, trusted string) (broker.RulesFile, error) {
	f, stamp, err := readRulesFile(path, project, trusted, Trusting{})
	if err == nil && stamp.Missing {
		err = fs.ErrNotExist
	}
	return f, err
}

// readRulesFile also says which file it was; one that is missing has no rules.
func readRulesFile(path, project, trusted string, v Vetter) (broker.RulesFile, workspace.FileStamp, error) {
	f := broker.RulesFile{Path: path}
	// A pipe must not hold up the reader, nor a file that takes another's place.
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // the project's own file
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return f, workspace.FileStamp{Missing: true}, nil
	}
	if err != nil {
		return f, workspace.FileStamp{}, err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return f, workspace.FileStamp{}, err
	}
	stamp := workspace.StampOfInfo(info)
	if !info.Mode().IsRegular() {
		return f, stamp, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxRulesFile+1))
	if err != nil {
		return f, stamp, err
	}
	if len(data) > maxRulesFile {
		return f, stamp, fmt.Errorf("it is larger than %d bytes", maxRulesFile)
	}
	f.Digest = rulesfile.Digest(data)
	f.Trusted = trusted == f.Digest
	if r := v.File(path, data, project); r.Why != "" {
		return f, stamp, errors.New(r.Why)
	}
	f.Rules, err = vet.LoadFile(path, data, f.Trusted, project)
	return f, stamp, err
}

// ReadAnew has a rules file read again, now. It returns the digest of what is there; known is
// false for a file that nobody works with. It is for a moment at which the stamp's grain would
// be too coarse.
func (p *Policy) ReadAnew(path string) (digest string, known bool) {
	p.files.mu.Lock()
	if f, ok := p.files.known[path]; ok {
		next := *f
		next.stamp = workspace.FileStamp{}
		p.files.known[path] = &next
	}
	p.files.mu.Unlock()
	p.projectRules(strings.TrimSuffix(path, string(filepath.Separator)+RulesFileName))
	p.files.mu.Lock()
	defer p.files.mu.Unlock()
	f, known := p.files.known[path]
	if known {
		digest = f.digest
	}
	return digest, known
}
