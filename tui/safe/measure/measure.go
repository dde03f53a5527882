// Package measure asks terminals how wide they draw texts.
//
// A terminal's own word is the only sound one: tables of widths differ with the
// version of Unicode, with the C library and with what each terminal makes of signs
// that join. The program that asks runs inside of the terminal: it writes a text at
// the left edge and asks where the cursor is. So a program that uses this package
// calls Inside first, because it is started a second time there. Only tests and trials
// use it.
//
// A question goes like this: Cells writes the texts into a folder, starts the terminal
// with this program in it and the folder's name in its environment, and waits for it
// to end. Inside finds that name, asks the terminal and writes the answer beside the
// texts. The table of package safe was made from such answers; the trial says when a
// terminal no longer agrees.
package measure

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"
)

// inside names the environment variable that holds the folder of a question: with it
// set, the program is the one inside of the terminal.
const inside = "AOCTL_MEASURE"

// The files of a question, in its folder.
const (
	askedFile  = "texts.json"
	answerFile = "cells.json"
	columns    = 400 // of the terminals that are started: no text may be wider
)

// Inside answers the question and ends the process, when it was started for that.
// Otherwise it returns at once. It must come before the program does anything else.
func Inside() {
	folder := os.Getenv(inside)
	if folder == "" {
		return
	}
	if err := answer(folder); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// answer reads the texts, asks the terminal that it runs in, and writes how many cells
// each took.
func answer(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	data, err := root.ReadFile(askedFile)
	if err != nil {
		return err
	}
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	// The answers would otherwise be echoed and wait for a line break.
	state, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(os.Stdin.Fd(), state) }() // the terminal closes anyway
	cells, err := ask(os.Stdin, os.Stdout, texts)
	if err != nil {
		return err
	}
	if data, err = json.Marshal(cells); err != nil {
		return err
	}
	return root.WriteFile(answerFile, data, 0o600)
}

// atOnce is how many texts are written before the answers are read: they must fit the
// buffer of the terminal's line.
const atOnce = 200

// ask writes each text and reads where the cursor is behind it: CSI 6 n is answered by
// CSI row ; column R (ECMA-48, DSR and CPR).
func ask(in io.Reader, out io.Writer, texts []string) ([]int, error) {
	replies := bufio.NewReader(in)
	cells := make([]int, 0, len(texts))
	for len(cells) < len(texts) {
		some := texts[len(cells):min(len(cells)+atOnce, len(texts))]
		var b strings.Builder
		for _, text := range some {
			// Each text is written over the one before, at the left edge of the first
			// row.
			b.WriteString("\x1b[H\x1b[2K" + text + "\x1b[6n")
		}
		if _, err := io.WriteString(out, b.String()); err != nil {
			return nil, err
		}
		for range some {
			n, err := column(replies)
			if err != nil {
				return nil, err
			}
			cells = append(cells, n)
		}
	}
	return cells, nil
}

// column reads one report of the cursor's place. A text that went on to the next row
// is wider than the terminal.
func column(replies *bufio.Reader) (int, error) {
	reply, err := replies.ReadString('R')
	if err != nil {
		return 0, err
	}
	place := reply[strings.LastIndexByte(reply, '[')+1 : len(reply)-1]
	row, col, _ := strings.Cut(place, ";")
	n, err := strconv.Atoi(col)
	if err != nil {
		return 0, fmt.Errorf("the terminal answered %q", reply)
	}
	if row != "1" {
		return 0, errors.New("a text is wider than the terminal")
	}
	return n - 1, nil
}
