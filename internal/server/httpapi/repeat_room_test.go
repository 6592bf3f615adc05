package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/limit"
)

// TestLargeAnswersAreBounded: the stored answers of an account stay within its limit, whatever
// their size.
func TestLargeAnswersAreBounded(t *testing.T) {
	t.Parallel()
	for _, kib := range []int{1, 3, 200, 256} {
		a := roomFor(t, 1024)
		stored := 0
		for i := range 2000 {
			end, err := a.beginRepeatable(t.Context(), idempotency.Call{Account: chain.Address{1}, Key: strconv.Itoa(i)})
			if _, limited := errors.AsType[*rateLimitError](err); limited {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			end(t.Context(), kib<<10, nil)
			stored += kib
		}
		if stored > 1024 || stored < 1024-largestAnswer {
			t.Errorf("answers of %d KiB: %d KiB were stored, the limit is 1024", kib, stored)
		}
	}
}

// TestHouseHasNoAnswerLimit: the house's bots have no limit that a player could use up to win by their
// silence.
func TestHouseHasNoAnswerLimit(t *testing.T) {
	t.Parallel()
	a := roomFor(t, 2)
	for i := range 10 {
		end, err := a.beginRepeatable(InProcess(context.Background()), idempotency.Call{Key: strconv.Itoa(i)})
		if err != nil {
			t.Fatalf("call %d of a bot of the house: %v", i, err)
		}
		end(t.Context(), 1<<10, nil)
	}
}

// roomFor returns an interface that stores up to kib KiB of answers.
func roomFor(t *testing.T, kib int) *API {
	answers, err := idempotency.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	room, err := limit.New(kib, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return &API{Config: Config{Answers: answers, AnswerLimit: room, Logger: slog.New(slog.DiscardHandler)}}
}
