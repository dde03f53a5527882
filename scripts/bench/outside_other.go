//go:build !linux

package main

import "context"

// outside is measured where the real console can be had drawn.
func (*bench) outside(context.Context) ([]row, error) {
	return []row{{measure: "console at a terminal", value: "on Linux only"}}, nil
}

// served is measured beside the real console.
func (*bench) served(context.Context) ([]row, error) {
	return []row{{measure: "aoctl serve beside a console", value: "on Linux only"}}, nil
}
