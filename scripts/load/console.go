//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/screen"
)

// console is the real console at a terminal of its own.
type console struct {
	*screen.Screen
	home  string
	api   ask.Client
	drawn time.Time // when its first screen was there
}

// openConsole starts the console with its state in the folder called name, and returns
// once it is drawn. With files above 0 it may open only so many.
func (l *load) openConsole(ctx context.Context, name string, files int) (*console, error) {
	home := filepath.Join(l.dir, name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	argv := []string{l.aoctl, "--no-bell"}
	if files > 0 {
		argv = append([]string{"/bin/sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(files)}, argv...)
	}
	s, err := screen.Start(ctx, argv, environ(home), l.dir)
	if err != nil {
		return nil, err
	}
	c := &console{Screen: s, home: home, api: ask.Client{Socket: filepath.Join(home, "broker.sock")}}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.WaitFor(ctx, "Sessions"); err != nil {
		s.Close()
		return nil, err
	}
	c.drawn = time.Now()
	return c, nil
}

// get reads one list of the API and returns how long that took.
func (c *console) get(ctx context.Context, path string) (time.Duration, error) {
	began := time.Now()
	rep, err := c.api.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0, err
	}
	if rep.Status != http.StatusOK {
		return 0, fmt.Errorf("GET %s: %w", path, &ask.Error{Status: rep.Status, Body: string(rep.Body)})
	}
	return time.Since(began), nil
}

// getList reads a list of the API.
func getList[T any](ctx context.Context, c *console, path string) ([]T, error) {
	rep, err := c.api.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	if rep.Status != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %w", path, &ask.Error{Status: rep.Status, Body: string(rep.Body)})
	}
	var list []T
	if err := json.Unmarshal(rep.Body, &list); err != nil {
		return nil, fmt.Errorf("GET %s: %w", path, err)
	}
	return list, nil
}
