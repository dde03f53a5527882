package stats

import (
	"strconv"
	"time"

	"github.com/NimbleMarkets/ntcharts/barchart"
	"github.com/NimbleMarkets/ntcharts/canvas"

	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	scaleWidth = 4 // cells left of a chart, for its scale
	mostColumn = 8 // the widest column, cells
	least      = 8 // a block has this many parts: what is not nothing is at least one of them high
)

// blocks draws values as bars of a width and a gap on a canvas, and gives its rows. A
// value of top reaches from edge to edge. The rows have blocks and blanks only; inks
// are for the caller.
func blocks(values []float64, top float64, w, h, width, gap int, more ...barchart.Option) []string {
	// The library's own axis and scale are off: they would have inks and words of
	// their own.
	m := barchart.New(w, h, append([]barchart.Option{
		barchart.WithNoAxis(), barchart.WithNoAutoMaxValue(), barchart.WithMaxValue(top),
		barchart.WithNoAutoBarWidth(), barchart.WithBarWidth(width), barchart.WithBarGap(gap),
	}, more...)...)
	for _, v := range values {
		m.Push(barchart.BarData{Values: []barchart.BarValue{{Value: v}}})
	}
	m.Draw()
	rows := make([]string, h)
	for y := range rows {
		row := make([]rune, w)
		for x := range row {
			// A cell in which nothing was drawn has no rune at all.
			if row[x] = m.Canvas.Cell(canvas.Point{X: x, Y: y}).Rune; row[x] == 0 {
				row[x] = ' '
			}
		}
		rows[y] = string(row)
	}
	return rows
}

// seen is v, or where that is too little to be seen as a bar of length cells, the
// least that is. One call among thousands must not look like none.
func seen(v, top float64, length int) float64 {
	if v <= 0 {
		return 0
	}
	return max(v, top/float64(length*least))
}

// chart draws how many of 100 calls were prompts, a column for each slot, newest at
// the right. It needs at least one slot. Slots without a call have a sign of their own
// in the line below, since an empty column could also mean that nobody was asked.
func (s *Screen) chart(width, height int) []string {
	list := s.report.OverTime
	room := width - scaleWidth
	// The oldest slots are left out where there is no room for all.
	left := max(0, len(list)-room)
	list = list[left:]
	column, gap := columns(len(list), room)
	top := scale(list)
	values := make([]float64, len(list))
	for i, slot := range list {
		values[i] = seen(per100(slot), top, height)
	}
	// The last column has no gap behind it.
	wide := len(list)*(column+gap) - gap
	rows := []string{s.chartTitle(width, left)}
	for y, row := range blocks(values, top, wide, height, column, gap) {
		mark := ""
		// The scale stands at the upper and the lower edge only; in between there is
		// no room for it.
		switch y {
		case 0:
			mark = strconv.FormatFloat(top, 'f', -1, 64)
		case height - 1:
			mark = "0"
		}
		r := s.Styles.Row(width).To(scaleWidth-1-len(mark)).Put(draw.Muted, mark).To(scaleWidth)
		rows = append(rows, r.Put(draw.Key, row).To(width).String())
	}
	r := s.Styles.Row(width).To(scaleWidth)
	for i, slot := range list {
		sign := "─"
		if slot.Calls == 0 {
			sign = "·"
		}
		r.Line(draw.Muted, sign, r.Width+column)
		if i+1 < len(list) {
			r.To(r.Width + gap)
		}
	}
	return append(rows, r.To(width).String(), s.times(list, width, wide))
}

// columns are how wide a column is, and the gap between two, for n of them in room
// cells.
func columns(n, room int) (column, gap int) {
	// Columns that would touch are drawn without a gap, one cell each.
	if each := room / n; each > 1 {
		return min(each-1, mostColumn), 1
	}
	return 1, 0
}

// chartTitle says what is drawn, and that slots were left out where there is no room
// for them.
func (s *Screen) chartTitle(width, left int) string {
	r := s.Styles.Row(width).Fit(draw.Title, "Prompts per 100 calls", width)
	note := " · " + figures.Each(time.Duration(s.report.SlotMS)*time.Millisecond) + " each"
	if left > 0 {
		note += ", the newest " + figures.Count(len(s.report.OverTime)-left)
	}
	return r.Fit(draw.Muted, note, width-r.Width).To(width).String()
}

// times are those of the first and the last column, where there is room for both.
func (s *Screen) times(list []tally.Slot, width, wide int) string {
	first, last := s.time(list[0].At), s.time(list[len(list)-1].At)
	r := s.Styles.Row(width).To(scaleWidth).Fit(draw.Muted, first, width-scaleWidth)
	if end := scaleWidth + max(wide, draw.Cells(first+last)+2); len(list) > 1 && end <= width {
		r.Right(draw.Muted, last, end)
	}
	return r.To(width).String()
}

// time is when a slot begins, as precisely as slots are long.
func (s *Screen) time(at time.Time) string {
	at = at.In(s.At.Location())
	switch {
	// A slot of a day or more has no time of day.
	case time.Duration(s.report.SlotMS)*time.Millisecond >= 24*time.Hour:
		return at.Format("Jan 2")
	case at.YearDay() == s.At.YearDay() && at.Year() == s.At.Year():
		return at.Format("15:04")
	}
	return at.Format("Jan 2 15:04")
}

// per100 is the share of a slot's calls that somebody was asked about.
func per100(slot tally.Slot) float64 {
	if slot.Calls == 0 {
		return 0
	}
	return float64(slot.Prompts) * 100 / float64(slot.Calls)
}

// scale is the value at a chart's upper edge: a round one, so that two charts can be
// compared.
func scale(list []tally.Slot) float64 {
	most := 0.0
	for _, slot := range list {
		most = max(most, per100(slot))
	}
	for _, round := range []float64{5, 10, 20, 50} {
		if most <= round {
			return round
		}
	}
	return 100
}
