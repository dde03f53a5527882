package vet

import (
	"errors"
	"io"
	"time"
)

// Serve is the guard's side: it reads frames until in ends, which is no error, and answers
// on out. Should a text take longer than limit, exit is called: the console has given it
// up long before, or is no more.
func Serve(in io.Reader, out io.Writer, limit time.Duration, exit func()) error {
	if _, err := io.WriteString(out, hello); err != nil {
		return err
	}
	watchdog := time.AfterFunc(time.Hour, exit)
	watchdog.Stop()
	defer watchdog.Stop()
	var buf []byte
	for {
		t, b, err := readFrame(in, buf)
		if buf = b; cap(buf) > keptBuffer {
			buf = nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		watchdog.Reset(limit)
		answer := answerTo(t)
		watchdog.Stop()
		if _, err := out.Write([]byte{answer}); err != nil {
			return err
		}
	}
}

// keptBuffer is the largest buffer that is kept between two texts, in bytes. A single large one
// should not be kept for good.
const keptBuffer = 1 << 20

// answerTo reads a text, whose panic is an answer. Running out of stack or memory is none: then
// the process ends, and the console sees the pipe close.
func answerTo(t text) (answer byte) {
	defer func() {
		if recover() != nil {
			answer = answerFailed
		}
	}()
	if examine(t) {
		return answerLegible
	}
	return answerRead
}
