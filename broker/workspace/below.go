package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// maxStrayLinks is how many links below a folder are told.
const maxStrayLinks = 500

// namesBelow goes through a folder as find does, and through no link in it, once for each folder. Beyond
// the limits of a look for keys, it was not all of it.
func (f *Paths) namesBelow(dir string) risk.Below {
	b, ok := f.below[dir]
	if !ok {
		b = lookBelow(dir, time.Now)
		f.below[dir] = b
	}
	return b
}

// lookBelow tells of all that is below a folder, that of a .git and of node_modules too.
func lookBelow(dir string, now func() time.Time) risk.Below {
	b := risk.Below{Whole: true}
	end, looked := now().Add(lookTime), 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		looked++
		switch {
		case err != nil, looked > maxLooked, len(b.Links) >= maxStrayLinks, looked%256 == 0 && now().After(end):
			b.Whole = false
			return filepath.SkipAll
		case d.Type()&fs.ModeSymlink != 0:
			b.Links = append(b.Links, file)
		case !d.IsDir() && !d.Type().IsRegular():
			b.Special = true
		}
		b.Blanks = b.Blanks || file != dir && strings.ContainsAny(d.Name(), " \t\n\r\v\f'\"\\\\")
		return nil
	})
	b.Whole = b.Whole && err == nil
	return b
}

// dashesIn reports whether a folder has a name that begins with a dash. One that cannot be read may
// have one.
func dashesIn(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), "-") })
}
