package idempotency

import (
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store/storetest"
)

// TestEachStatement checks that a failed lookup is not taken for a new call, and that an answer
// which cannot be stored rolls its effect back.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	n := openWith(t, &each)
	do, call := storetest.Do, Call{Account: chain.Address{1}, Key: "k", Request: [32]byte{1}}
	find := func(want string) storetest.Case {
		return storetest.Case{Name: "find", View: func(c storetest.In) (any, error) {
			got, err := n.one.Find(c, c.Tx, call)
			if err != nil && got != nil {
				t.Errorf("found %q, error %v", got, err)
			}
			return string(got), err
		}, Want: want}
	}
	each.Run(t, []storetest.Case{
		find(""),
		{Name: "save", Update: do(n.one.Save, call, []byte("answer"))},
		find("answer"),
	})
	if err := n.save(t, n.one, Call{Account: call.Account, Key: "large"}, strings.Repeat("x", trimAfter)); err != nil {
		t.Fatal(err)
	}
	each.Run(t, []storetest.Case{
		{Name: "trim", Call: do(n.one.Trim, n.db), After: func() { n.now = n.now.Add(Keep + time.Millisecond) }},
		{Name: "drop", Update: do(n.one.Drop), Want: int64(2)},
		{Name: "save again", Update: do(n.one.Save, call, []byte("again"))},
		{Name: "forget", Update: do(n.one.Forget, call.Account)},
		find(""),
	})
}
