// Widths asks real terminals how wide they draw what aoctl draws of foreign text, and
// compares with what aoctl counts.
//
// Asked are every assigned character, alone, doubled and between others; every mark on
// letters of its script, one and two; letters of every script joined by every virama and
// joiner; and texts put together at random. With -table it writes anew the table of
// package safe, from what all terminals that are there agree about.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/safe/measure"
)

func main() {
	measure.Inside()
	table := flag.String("table", "", "write the table of widths to this `file` instead")
	random := flag.Int("n", 200_000, "how many random texts to ask for")
	seed := flag.Uint64("seed", 1, "of the random texts")
	most := flag.Duration("t", 10*time.Minute, "give up after this time")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *most)
	defer cancel()
	err := run(ctx, *table, *random, *seed)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "widths:", err)
		os.Exit(1) //nolint:gocritic // cancelled above
	}
}

// terminals are those that are installed; windowed ones need DISPLAY.
func terminals(ctx context.Context) ([]measure.Terminal, error) {
	var list []measure.Terminal
	if t, ok := measure.Tmux(ctx); ok {
		list = append(list, t)
	}
	if os.Getenv("DISPLAY") != "" {
		list = append(list, measure.Windowed(ctx)...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no terminal to ask: install tmux, or xterm or kitty with a display")
	}
	return list, nil
}

func run(ctx context.Context, table string, random int, seed uint64) error {
	list, err := terminals(ctx)
	if err != nil {
		return err
	}
	if table != "" {
		return writeTable(ctx, list, table)
	}
	drawn := everything(random, seed)
	for i, text := range drawn {
		drawn[i] = safe.Line(text)
	}
	bad := 0
	for _, t := range list {
		n, err := compare(ctx, t, drawn)
		if err != nil {
			return err
		}
		bad += n
		fmt.Printf("%s: %d texts, %d drawn otherwise than counted\n", t.Name, len(drawn), n)
	}
	if bad > 0 {
		return fmt.Errorf("%d widths are wrong", bad)
	}
	return nil
}

const shown = 20 // wrong widths that are named

// compare counts the texts that t draws wider or narrower than aoctl counts.
func compare(ctx context.Context, t measure.Terminal, drawn []string) (int, error) {
	cells, err := t.Cells(ctx, drawn)
	if err != nil {
		return 0, err
	}
	bad := 0
	for i, text := range drawn {
		if want := safe.Width(text); cells[i] != want {
			if bad++; bad <= shown {
				fmt.Printf("  %+q takes %d cells, counted are %d\n", text, cells[i], want)
			}
		}
	}
	return bad, nil
}
