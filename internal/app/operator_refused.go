package app

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/service/account"
	"roshambo/internal/service/operator"
	"roshambo/internal/store"
)

// Calls without the token that the log of acts records on one node: strangersPer a strangersEvery.
// Every client that reaches the admin address can send them, and the log is kept for good.
const (
	strangersPer   = 20
	strangersEvery = time.Hour
)

// unknownOperator is the operator of an entry that has no name; no operator can give it.
const unknownOperator = "?"

// strangers limits the entries about calls without the token.
type strangers struct {
	mu       sync.Mutex // guards the rest
	began    time.Time  // of the current period
	recorded int        // in this period
	left     int        // calls since the last entry that have none
}

// take reports whether a call gets an entry, and how many before it got none.
func (s *strangers) take(now time.Time) (ok bool, left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.began) >= strangersEvery {
		s.began, s.recorded = now, 0
	}
	if s.recorded == strangersPer {
		s.left++
		return false, 0
	}
	left, s.left = s.left, 0
	s.recorded++
	return true, left
}

// refusal returns the text of an error by which a call was refused; false for a fault, for a call that is
// to be repeated, and for none.
func refusal(err error) (string, bool) {
	var refused *operatorError
	switch {
	case errors.As(err, &refused):
		return refused.text, refused.status < http.StatusInternalServerError
	case errors.Is(err, account.ErrNotFound):
		return "there is no such account", true
	}
	return "", false
}

// recordRefusal appends a refused call to the log of acts. The act has been rolled back, so this is a
// transaction of its own: a crash before it leaves no entry of a call that has changed nothing. Nothing
// of what a stranger has sent is stored.
func (c *operatorCall) recordRefusal(ctx context.Context, text string) {
	detail := map[string]any{"refused": text}
	if c.admitted {
		values := map[string]string{}
		maps.Copy(values, c.values)
		detail["arguments"] = values
	} else {
		ok, left := c.s.strangers.take(c.s.config.Now())
		if !ok {
			return
		}
		if left > 0 {
			detail["not_recorded_before"] = left
		}
	}
	// A caller that disconnects must not prevent the entry.
	ctx = context.WithoutCancel(ctx)
	var entry operator.Entry
	err := c.s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		e := operator.Entry{Operator: c.operator, Action: "refused " + c.action}
		entry, err = c.s.acts().Append(ctx, tx, e, detail)
		return err
	})
	if errors.Is(err, ledger.ErrRecovering) { // which the log says once
		c.s.log.Warn("operators' API: a refused call is not in the log of acts, which is not written now", "action", c.action)
		return
	}
	if err != nil {
		c.s.log.Error("operators' API: a refused call is not in the log of acts", "action", c.action, "error", err)
		return
	}
	c.s.log.Warn("operator", "seq", entry.Seq, "operator", entry.Operator, "action", entry.Action,
		"hash", hex.EncodeToString(entry.Hash[:]))
}
