package runner

import (
	"bufio"
	"errors"
	"io"
)

const (
	maxLine  = 32 << 20 // bytes of a line that is read
	headLine = 4 << 10  // what is kept of a longer one
)

// flaw is what is wrong with a line.
type flaw int

const (
	whole   flaw = iota
	tooLong      // longer than maxLine: the text is its beginning
	halved       // the last one, which no newline ended
)

// line is one line that the agent wrote, without its end. A line with a flaw is never parsed.
type line struct {
	text []byte
	flaw flaw
}

// readLines hands the lines of r to take, one by one, until r ends or take says no more.
// At the end of r it returns nil. A line is take's to keep.
func readLines(r io.Reader, take func(line) (more bool)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		l, err := readLine(in)
		// An empty line is a line; an empty rest at the end is none.
		if (len(l.text) > 0 || err == nil) && !take(l) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads one line of any length. Of one that is longer than maxLine only the head is
// kept, and the rest is read all the same: the next line must begin where it begins. A line that
// the end of the input cuts off is marked as halved and is not to be trusted. ReadSlice gives
// pieces of the buffer, so nothing is copied before it is known to be kept.
func readLine(in *bufio.Reader) (line, error) {
	var l line
	for {
		piece, err := in.ReadSlice('\n')
		ends := err == nil
		if ends {
			piece = piece[:len(piece)-1]
		}
		switch {
		case l.flaw == tooLong:
		case len(l.text)+len(piece) > maxLine:
			l.text, l.flaw = append(l.text, piece...)[:headLine:headLine], tooLong
		default:
			l.text = append(l.text, piece...)
		}
		switch {
		case ends:
			return l, nil
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			if l.flaw == whole {
				l.flaw = halved
			}
			return l, err
		}
	}
}
