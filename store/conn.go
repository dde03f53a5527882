package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"
)

// busyTimeout is how long a statement waits for another program's lock: shorter than
// anybody's patience with a decision.
const busyTimeout = 2 * time.Second

// dsn names path and the pragmas that belong to every connection.
func dsn(path string, more map[string]string) string {
	q := url.Values{
		"_busy_timeout":    {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_foreign_keys":    {"on"},
		"_stmt_cache_size": {"32"},
	}
	for k, v := range more {
		q.Set(k, v)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// conn is one SQLite connection with its prepared statements, for one goroutine. The
// writer uses it instead of database/sql because every microsecond of a transaction
// is one that all callers wait.
type conn struct {
	raw   *sqlite3.SQLiteConn
	stmts map[string]*sqlite3.SQLiteStmt
	args  []driver.NamedValue // of the statement that runs
}

func dial(dsn string) (*conn, error) {
	c, err := (&sqlite3.SQLiteDriver{}).Open(dsn)
	if err != nil {
		return nil, err
	}
	raw, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, fmt.Errorf("sqlite3 driver returned a %T", c)
	}
	return &conn{raw: raw, stmts: map[string]*sqlite3.SQLiteStmt{}}, nil
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		_ = s.Close() // the connection's own close reports what matters
	}
	return c.raw.Close()
}

// script runs statements without arguments, without keeping them.
func (c *conn) script(sql string) error {
	_, err := c.raw.Exec(sql, nil)
	return err
}

// exec runs one statement and returns how many rows it changed.
func (c *conn) exec(sql string, args ...driver.Value) (int64, error) {
	s, err := c.stmt(sql)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(context.Background(), c.numbered(args))
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row returns the first row of a query; errNoRow when there is none.
func (c *conn) row(sql string, args ...driver.Value) ([]driver.Value, error) {
	s, err := c.stmt(sql)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(context.Background(), c.numbered(args))
	if err != nil {
		return nil, err
	}
	dest := make([]driver.Value, len(rows.Columns()))
	err = rows.Next(dest)
	if cerr := rows.Close(); err == nil {
		err = cerr
	}
	if errors.Is(err, io.EOF) {
		return nil, errNoRow
	}
	return dest, err
}

// integer returns the one integer that a query yields.
func (c *conn) integer(sql string, args ...driver.Value) (int64, error) {
	row, err := c.row(sql, args...)
	if err != nil {
		return 0, err
	}
	return intOf(row[0], sql)
}

// numbered is args as the driver wants them, up to the next statement.
func (c *conn) numbered(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

// intOf is a column that holds an integer.
func intOf(v any, what string) (int64, error) {
	n, ok := v.(int64)
	if !ok {
		return 0, fmt.Errorf("%w: %s of %T", ErrCorrupt, what, v)
	}
	return n, nil
}

func (c *conn) stmt(sql string) (*sqlite3.SQLiteStmt, error) {
	if s, ok := c.stmts[sql]; ok {
		return s, nil
	}
	d, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, err
	}
	s, ok := d.(*sqlite3.SQLiteStmt)
	if !ok {
		return nil, fmt.Errorf("sqlite3 driver prepared a %T", d)
	}
	c.stmts[sql] = s
	return s, nil
}
