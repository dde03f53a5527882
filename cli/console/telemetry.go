package console

import (
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/spans"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
)

// headersEnv are headers for the collector, such as its key: a flag would be for all to read.
const headersEnv = "OTEL_EXPORTER_OTLP_HEADERS"

// telemetryOptions are what programs that watch over machines are told.
type telemetryOptions struct {
	metrics bool
	otlp    string // address of a collector; "" for none
	content bool

	to     spans.Address
	header http.Header
}

func (o *telemetryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.metrics, "metrics", false, "answer GET /metrics with numbers for Prometheus")
	cmd.Flags().StringVar(&o.otlp, "otlp", "", "send how long each call took and how it ended to this OpenTelemetry collector, such as http://localhost:4318")
	cmd.Flags().BoolVar(&o.content, "otlp-content", false, "send to --otlp also what calls say: input, folder, reason, session")
}

// read completes and checks o.
func (o *telemetryOptions) read(cmd *cobra.Command) (err error) {
	if !cmd.Flags().Changed("otlp") {
		if o.content {
			return usage.Error{Text: "--otlp-content says something about --otlp, which is not there", Hint: "give --otlp http://localhost:4318 as well"}
		}
		return nil
	}
	if o.to, err = spans.ParseAddress(o.otlp); err != nil {
		return usage.Error{Text: "--otlp " + err.Error(), Hint: "such as --otlp http://localhost:4318"}
	}
	if o.header, err = spans.ParseHeaders(os.Getenv(headersEnv)); err != nil {
		return usage.Error{Text: headersEnv + ": " + err.Error(), Hint: "such as api-key=…, values percent-encoded and commas between several"}
	}
	return nil
}

// measure counts and times calls, until Close. It comes before serving, and after consoles may attach.
func (a *App) measure(o telemetryOptions) {
	stop := a.Broker.Measure(service.Telemetry{
		Version: version.Read().Version, Metrics: o.metrics, Screens: a.consoles.Present,
		Spans: spans.Options{To: o.to, Header: o.header, Content: o.content, Trouble: func(what string) { a.tell("", what) }},
	})
	a.closers = append(a.closers, func() error {
		stop()
		return nil
	})
}
