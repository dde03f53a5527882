package metrics

import (
	"slices"
	"strconv"
	"strings"
)

// page is text in the format of Prometheus: of each family a line of help, its type, and then its
// samples.
type page struct{ text []byte }

// family begins one. help is one line.
func (p *page) family(name, kind, help string) {
	p.say("# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n")
}

// sample is a value, with labels as names and values in turn.
func (p *page) sample(name string, value float64, labels ...string) {
	p.say(name)
	before, after := "{", ""
	for i := 0; i+1 < len(labels); i += 2 {
		p.say(before, labels[i], `="`, escape.Replace(labels[i+1]), `"`)
		before, after = ",", "}"
	}
	p.say(after, " ", strconv.FormatFloat(value, 'g', -1, 64), "\n")
}

func (p *page) say(parts ...string) {
	for _, part := range parts {
		p.text = append(p.text, part...)
	}
}

// escape is for the values of labels.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// gauge is a family with one sample.
func (p *page) gauge(name, help string, value float64) {
	p.family(name, "gauge", help)
	p.sample(name, value)
}

// histogram is the samples of one; labels tell it from others of its family.
func (p *page) histogram(name string, h *histogram, labels ...string) {
	sum := 0
	for i, n := range h.counts {
		sum += n
		le := "+Inf"
		if i < len(h.ends) {
			le = strconv.FormatFloat(h.ends[i], 'g', -1, 64)
		}
		p.sample(name+"_bucket", float64(sum), append(slices.Clone(labels), "le", le)...)
	}
	p.sample(name+"_sum", h.sum, labels...)
	p.sample(name+"_count", float64(sum), labels...)
}

// histogram counts values by the first end that they do not exceed.
type histogram struct {
	ends   []float64 // ascending
	counts []int     // one more than ends: the last is for all others
	sum    float64
}

func newHistogram(ends []float64) *histogram {
	return &histogram{ends: ends, counts: make([]int, len(ends)+1)}
}

func (h *histogram) add(v float64) {
	at, _ := slices.BinarySearch(h.ends, v)
	h.counts[at]++
	h.sum += v
}
