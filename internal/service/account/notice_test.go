package account_test

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestNoticesWait: a notice that could not be mailed is retried for a day and then dropped.
func TestNoticesWait(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.attach(t, o.registered(t, "ann"), "ann@example.org")
	select {
	case <-o.Links.Woken(): // by the link
	default:
	}
	if _, err := o.change(t, ann, o.proof(t, ann, "first password"), "second password"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-o.Links.Woken():
	default:
		t.Error("a notice does not wake its mailer")
	}
	broken := account.NewLinks(o.Service, failingMailer{})
	for range 2 {
		if err := broken.Send(t.Context()); err == nil {
			t.Error("a failed mail is no error")
		}
		o.Clock.Add(time.Minute + time.Millisecond)
	}
	o.View(t, func(ctx context.Context, tx *store.Tx) error {
		if st, err := o.Stats(ctx, tx); err != nil || st.Mails != 1 {
			t.Errorf("%d mails wait, error %v", st.Mails, err)
		}
		return nil
	})
	o.Clock.Add(24 * time.Hour)
	if mails := o.sent(t); len(mails) != 0 {
		t.Errorf("mailed after a day: %q", mails)
	}
	o.Update(t, func(ctx context.Context, tx *store.Tx) error {
		n, err := o.DropExpiredNotices(ctx, tx)
		if n != 1 {
			t.Errorf("%d notices dropped, want 1", n)
		}
		return err
	})
}
