package hookclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

const fuzzCorrelation = "01901234-5678-7000-8000-000000000001"

func goodAnswer() []byte {
	client, server := net.Pipe()
	go func() {
		reply(200, allow)(server, heard{correlation: fuzzCorrelation})
		_ = server.Close()
	}()
	b, _ := io.ReadAll(client)
	return b
}

// Whatever bytes a socket gives back, reading them must not panic, must not depend
// on how they are cut into packets, and must not print anything but one complete
// JSON object that came with our protocol and our correlation.
func FuzzResponse(f *testing.F) {
	good := goodAnswer()
	f.Add(good)
	f.Add(good[:len(good)-10])
	f.Add(append(bytes.Clone(good), "more"...))
	f.Add([]byte("HTTP/1.1 202 Accepted\r\nAoctl-Protocol: 1\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200\r\n:\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, err := finalAnswer(bytes.NewReader(data))
		slow, slowErr := finalAnswer(iotest.OneByteReader(bytes.NewReader(data)))
		if err == nil && (slowErr != nil || !bytes.Equal(answer, slow)) {
			t.Fatalf("read at once %q, byte by byte %q, %v", answer, slow, slowErr)
		}
		if err != nil {
			if answer != nil {
				t.Fatalf("an error, %v, with an answer, %q", err, answer)
			}
			return
		}
		head, _, _ := strings.Cut(string(data), "\r\n\r\n")
		if !strings.Contains(head, fuzzCorrelation) || !strings.HasPrefix(head, "HTTP/1.1 200") {
			t.Fatalf("%q was taken for our answer", head)
		}
		if !json.Valid(answer) || answer[0] != '{' || !bytes.HasSuffix(answer, []byte("}\n")) || !bytes.Contains(data, answer) {
			t.Fatalf("%q would be printed", answer)
		}
	})
}

// finalAnswer does what a conversation does with one answer to its post.
func finalAnswer(r io.Reader) (answer []byte, err error) {
	resp, err := readResponse(r)
	if err != nil {
		return nil, err
	}
	c := conversation{caller: caller{correlation: fuzzCorrelation}}
	c.question.usable = func(r response) (err error) { answer, err = checkAnswer(r); return err }
	if id, err := c.judge(resp, true); err != nil || id != "" {
		return nil, errors.Join(errTest, err)
	}
	return answer, nil
}

func TestResponseInPieces(t *testing.T) {
	good := goodAnswer()
	for name, r := range map[string]io.Reader{
		"whole":     bytes.NewReader(good),
		"bytes":     iotest.OneByteReader(bytes.NewReader(good)),
		"with EOF":  iotest.DataErrReader(bytes.NewReader(good)),
		"then fail": io.MultiReader(bytes.NewReader(good), iotest.ErrReader(errTest)),
	} {
		if got, err := finalAnswer(r); err != nil || string(got) != allow {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for n := range good {
		got, err := finalAnswer(bytes.NewReader(good[:n]))
		if err == nil || got != nil {
			t.Fatalf("cut after %d bytes: %q, %v", n, got, err)
		}
		if n == 0 != errors.Is(err, errNoByte) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
}

func TestReadErrorBeforeTheFirstByte(t *testing.T) {
	if _, err := readResponse(iotest.ErrReader(errTest)); !errors.Is(err, errNoByte) || !errors.Is(err, errTest) {
		t.Errorf("got %v", err)
	}
}
