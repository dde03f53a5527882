package service

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
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

// projectFiles are the rules files of the projects that calls came from.
type projectFiles struct {
	mu    sync.Mutex              // one reader of files at a time; comes before Broker.mu
	known map[string]*projectFile // by real path; guarded by Broker.mu
}

// projectFile is one rules file as it was read last.
type projectFile struct {
	broker.RulesFile
	project string // the folder that it is about, as the disk has it
	stamp   workspace.FileStamp
	readAt  time.Time
}

// holds reports whether f is still what its file says, if that has this stamp now.
func (f *projectFile) holds(s workspace.FileStamp) bool {
	return f.stamp == s && (s.Missing || f.readAt.Sub(s.Changed) > settleTime)
}

// list returns the files that are there, in the order of their paths.
func (p *projectFiles) list() []broker.RulesFile {
	var list []broker.RulesFile
	for _, f := range p.known {
		if !f.stamp.Missing {
			c := f.RulesFile
			c.Rules = slices.Clone(c.Rules)
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y broker.RulesFile) int { return strings.Compare(x.Path, y.Path) })
	return list
}

// projectRules brings the rules of project's own file up to date, and those of known
// files above it, which hold there too. It says why one of them cannot be read; then
// nothing of that project may be allowed by a rule.
func (b *Broker) projectRules(project string) (problem string) {
	if !filepath.IsAbs(project) {
		return ""
	}
	real := filepath.Clean(workspace.RealPath(project))
	dirs := []string{real}
	b.mu.Lock()
	for _, f := range b.keeper.files.known {
		if f.project != real && workspace.Below(f.project, real) {
			dirs = append(dirs, f.project)
		}
	}
	b.mu.Unlock()
	for _, dir := range dirs {
		problem = cmp.Or(problem, b.projectFile(dir))
	}
	return problem
}

// projectFile brings the rules of one project's file up to date.
func (b *Broker) projectFile(project string) (problem string) {
	path := filepath.Join(project, RulesFileName)
	if problem, holds := b.knownFile(path); holds {
		return problem
	}
	files := &b.keeper.files
	files.mu.Lock()
	defer files.mu.Unlock()
	if problem, holds := b.knownFile(path); holds {
		return problem
	}
	b.mu.Lock()
	trusted := b.keeper.trusted[path]
	b.mu.Unlock()
	f := &projectFile{project: project, readAt: time.Now()}
	var err error
	if f.RulesFile, f.stamp, err = readRulesFile(path, project, trusted, b.opts.Vet); err != nil {
		f.Problem, f.Rules = err.Error(), nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !files.room(path) {
		return fmt.Sprintf("there are %d such files in use already", maxFiles)
	}
	old := files.known[path]
	files.known[path] = f
	if old != nil && sameFile(old, f) {
		return f.Problem
	}
	if err := b.compile(); err != nil {
		f.Problem, f.Rules = err.Error(), nil
		b.recompile() // without them: what was in force, and this project asks
	}
	b.publishRules()
	return f.Problem
}

// knownFile reports whether what is known of path holds still, and then what is wrong
// with the file.
func (b *Broker) knownFile(path string) (problem string, holds bool) {
	stamp, err := workspace.StampOf(path)
	b.mu.Lock()
	defer b.mu.Unlock()
	f, known := b.keeper.files.known[path]
	switch {
	case err != nil:
		return "", false
	case !known:
		return "", stamp.Missing
	}
	return f.Problem, f.holds(stamp)
}

// sameFile reports whether two readings of a file mean the same.
func sameFile(x, y *projectFile) bool {
	return x.stamp.Missing == y.stamp.Missing && x.Digest == y.Digest && x.Trusted == y.Trusted && x.Problem == y.Problem
}

// room makes room for one more file: those without rules are forgotten first, and read
// again when their project asks. Caller holds Broker.mu.
func (p *projectFiles) room(path string) bool {
	if _, ok := p.known[path]; ok || len(p.known) < maxFiles {
		return true
	}
	for path, f := range p.known {
		if len(f.Rules) == 0 {
			delete(p.known, path)
		}
	}
	return len(p.known) < maxFiles
}

// ReadRulesFile reads a project's rules file. Its allow rules are on when trusted is
// the digest of its content. Errors say what is wrong with the file; its path and
// digest are returned also then.
func ReadRulesFile(path, project, trusted string) (broker.RulesFile, error) {
	f, stamp, err := readRulesFile(path, project, trusted, trusting{})
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
	f.Digest = rules.Digest(data)
	f.Trusted = trusted == f.Digest
	if r := v.File(path, data, project); r.Why != "" {
		return f, stamp, errors.New(r.Why)
	}
	f.Rules, err = vet.LoadFile(path, data, f.Trusted, project)
	return f, stamp, err
}

// forgetFile has a rules file read again when the next call comes, and now.
func (b *Broker) forgetFile(path string) {
	b.mu.Lock()
	if f, ok := b.keeper.files.known[path]; ok {
		f.stamp = workspace.FileStamp{}
	}
	b.mu.Unlock()
	b.projectRules(strings.TrimSuffix(path, string(filepath.Separator)+RulesFileName))
}
