//go:build race

package tui

// raceDetector is on: everything takes several times as long.
const raceDetector = true
