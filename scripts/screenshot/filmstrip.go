package main

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// captionHeight is the room below the screen, in pixels.
const captionHeight = 40.0

// poster is the frame that is shown to those who asked for less motion: the first that has all calls.
const poster = 2

// svg is the moving picture: all frames beside each other on a strip that jumps from one to the
// next. Rows that were the same before are kept once.
func (f *film) svg() string {
	width := float64(f.t.width)*cellWidth + 2*margin
	height := float64(f.t.height)*cellHeight + 2*margin + captionHeight
	var b strings.Builder
	f.p.begin(&b, width, height, f.css(width))
	ids := map[string]int{}
	b.WriteString("<defs>\n")
	for _, fr := range f.frames {
		for _, row := range fr.rows {
			if _, known := ids[row]; !known && row != "" {
				ids[row] = len(ids)
				fmt.Fprintf(&b, `<g id="r%d">%s</g>`+"\n", ids[row], row)
			}
		}
	}
	b.WriteString("</defs>\n" + `<g class="film">` + "\n")
	for i, fr := range f.frames {
		fmt.Fprintf(&b, `<g transform="translate(%s %g)">`, short(float64(i)*width+margin), margin)
		for y, row := range fr.rows {
			if row != "" {
				fmt.Fprintf(&b, `<use href="#r%d" y="%s"/>`, ids[row], short(float64(y)*cellHeight))
			}
		}
		f.caption(&b, fr)
		b.WriteString("</g>\n")
	}
	b.WriteString("</g></g></svg>\n")
	return b.String()
}

// caption writes a key as a key cap, and what it does.
func (f *film) caption(b *strings.Builder, fr frame) {
	y := float64(f.t.height)*cellHeight + 12
	x := 0.0
	if fr.key != "" {
		wide := float64(len(fr.key))*cellWidth + 16
		fmt.Fprintf(b, `<rect x="0" y="%s" width="%s" height="26" rx="5" fill="#7cc4ff"/><text x="8" y="%s" class="b" fill="#0d1117">%s</text>`,
			short(y), short(wide), short(y+18), html.EscapeString(fr.key))
		x = wide + 12
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" class="b">%s</text>`, short(x), short(y+18), words(fr.says))
}

// css moves the strip. Whoever asked for less motion sees one frame.
func (f *film) css(width float64) string {
	var total, at time.Duration
	for _, fr := range f.frames {
		total += fr.lasts
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".film{animation:film %.2fs step-end infinite}@keyframes film{", total.Seconds())
	for i, fr := range f.frames {
		fmt.Fprintf(&b, "%.2f%%{transform:translateX(-%spx)}", 100*at.Seconds()/total.Seconds(), short(float64(i)*width))
		at += fr.lasts
	}
	fmt.Fprintf(&b, "}@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateX(-%spx)}}", short(poster*width))
	return b.String()
}
