package store

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
)

// migrations are numbered from 0001 and never change after a release. There is no
// second copy of the schema.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the scripts in order; the first brings schema 0 to 1.
var migrations = sync.OnceValue(func() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var scripts []string
	for i, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			panic("store: migrations are not numbered 0001, 0002, …: " + name)
		}
		b, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err) // it is part of the program
		}
		scripts = append(scripts, string(b))
	}
	return scripts
})

// newest is the schema that this program writes.
func newest() int { return len(migrations()) }

// migrate brings the schema up to date, each step in a transaction of its own.
func migrate(c *conn) error {
	for {
		done, err := step(c)
		if err != nil || done {
			return err
		}
	}
}

// step applies the next migration, if there is one. The version is read inside the
// transaction, so that two programs starting at once do not both migrate.
func step(c *conn) (done bool, err error) {
	if err := c.script(`BEGIN IMMEDIATE`); err != nil {
		return false, err
	}
	defer func() {
		if !c.raw.AutoCommit() {
			_ = c.script(`ROLLBACK`) // there is an error already
		}
	}()
	version, err := c.integer(`PRAGMA user_version`)
	if err != nil {
		return false, err
	}
	if version > int64(newest()) {
		return false, fmt.Errorf("%w: its schema is %d, this aoctl knows up to %d", ErrTooNew, version, newest())
	}
	if version == int64(newest()) {
		return true, nil
	}
	script := migrations()[version] + fmt.Sprintf(`
		PRAGMA user_version = %d;
		PRAGMA application_id = %d;`, version+1, applicationID)
	if err := c.script(script); err != nil {
		return false, fmt.Errorf("migration %d: %w", version+1, err)
	}
	return false, c.script(`COMMIT`)
}
