package jet

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What nobody answers is asked again, for as long as a request may take and no longer.
func TestAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := func(answered int) func(context.Context) (int, error) {
			return func(ctx context.Context) (int, error) {
				if asked++; asked == answered {
					return asked, nil
				}
				<-ctx.Done()
				return 0, ctx.Err()
			}
		}
		if n, err := again(t.Context(), ask(3)); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		asked = 0
		began := time.Now()
		if _, err := again(t.Context(), ask(0)); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != requestWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		refused := errors.New("no")
		if _, err := again(t.Context(), func(context.Context) (int, error) { return 0, refused }); !errors.Is(err, refused) {
			t.Error(err)
		}
	})
}
