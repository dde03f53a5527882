package broker

import (
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

	"github.com/aoctl/aoctl/broker/rules"
)

// RulesFileName is where a project keeps rules of its own, below its folder.
const RulesFileName = ".aoctl/rules.toml"

const maxRulesFile = 1 << 20 // bytes

// projectFiles are the rules files of the projects that calls came from.
type projectFiles struct {
	mu    sync.Mutex              // one reader of files at a time; comes before Broker.mu
	known map[string]*projectFile // by path; guarded by Broker.mu
}

// projectFile is one rules file as it was read last.
type projectFile struct {
	RulesFile
	stamp fileStamp
}

// fileStamp tells whether a file is still the one that was read. The change time
// cannot be set by a program.
type fileStamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime time.Time
	missing      bool
}

func stampOf(path string) (fileStamp, fs.FileInfo, error) {
	info, err := os.Stat(path) //nolint:gosec // G703: where the file lies is all that is asked
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fileStamp{missing: true}, nil, nil
	}
	if err != nil {
		return fileStamp{}, nil, err
	}
	s := fileStamp{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino, s.ctime = uint64(st.Dev), st.Ino, changeTime(st) //nolint:unconvert // Dev is signed on some systems
	}
	return s, info, nil
}

// list returns the files that are there, in the order of their paths.
func (p *projectFiles) list() []RulesFile {
	var list []RulesFile
	for _, f := range p.known {
		if !f.stamp.missing {
			c := f.RulesFile
			c.Rules = slices.Clone(c.Rules)
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y RulesFile) int { return strings.Compare(x.Path, y.Path) })
	return list
}

// projectRules brings the rules of project's own file up to date and says why it
// cannot be read; then nothing of that project may be allowed by a rule.
func (b *Broker) projectRules(project string) (problem string) {
	if project == "" {
		return ""
	}
	path := filepath.Join(project, RulesFileName)
	files := &b.keeper.files
	files.mu.Lock()
	defer files.mu.Unlock()
	stamp, info, err := stampOf(path)
	b.mu.Lock()
	old, known := files.known[path]
	b.mu.Unlock()
	switch {
	case err == nil && known && old.stamp == stamp:
		return old.Problem
	case err == nil && !known && stamp.missing:
		return ""
	}
	f := &projectFile{stamp: stamp}
	f.Path = path
	if err == nil && !stamp.missing {
		err = b.readRules(f, project, info)
	}
	if err != nil {
		f.Problem, f.Rules = err.Error(), nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	files.known[path] = f
	if err := b.compile(); err != nil {
		f.Problem, f.Rules = err.Error(), nil
		_ = b.recompiled() // without them: what was in force, and this project asks
	}
	b.publishRules()
	return f.Problem
}

// readRules reads f. Its allow rules are on only while the operator trusts its digest.
func (b *Broker) readRules(f *projectFile, project string, info fs.FileInfo) error {
	b.mu.Lock()
	trusted := b.keeper.trusted[f.Path]
	b.mu.Unlock()
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	read, err := ReadRulesFile(f.Path, project, trusted)
	f.RulesFile = read
	return err
}

// ReadRulesFile reads a project's rules file. Its allow rules are on when trusted is
// the digest of its content. Errors say what is wrong with the file; its path and
// digest are returned also then.
func ReadRulesFile(path, project, trusted string) (RulesFile, error) {
	f := RulesFile{Path: path}
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // the project's own file
	if err != nil {
		return f, err
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, maxRulesFile+1))
	if err != nil {
		return f, err
	}
	if len(data) > maxRulesFile {
		return f, fmt.Errorf("it is larger than %d bytes", maxRulesFile)
	}
	f.Digest = rules.Digest(data)
	f.Trusted = trusted == f.Digest
	f.Rules, err = rules.LoadFile(path, data, f.Trusted, project)
	return f, err
}

// forgetFile has a rules file read again when the next call comes, and now.
func (b *Broker) forgetFile(path string) {
	b.mu.Lock()
	if f, ok := b.keeper.files.known[path]; ok {
		f.stamp = fileStamp{}
	}
	b.mu.Unlock()
	b.projectRules(strings.TrimSuffix(path, string(filepath.Separator)+RulesFileName))
}
