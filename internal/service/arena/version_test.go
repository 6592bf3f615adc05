package arena_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
)

func (h *fixture) setVersion(t testing.TB, bot chain.Address, version string) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.SetVersion(ctx, tx, bot, version) })
}

func (h *fixture) versions(t testing.TB, bot chain.Address) (list []arena.Version) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = h.Versions(ctx, tx, bot)
		return err
	})
	return list
}

// rated rates a duel of two bots that a wins.
func (h *fixture) rated(t testing.TB, n int, a, b chain.Address) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return h.record(ctx, tx, arena.Result{Duel: fmt.Sprint("BOTS", n), Pool: arena.Bots, Rated: true, A: a, B: b,
			Winner: sides["a"], Rounds: rounds("a"), At: h.now()})
	})
}

// played returns the versions in each form of a bot's history, the oldest first: of its duels, of its chart, of data in
// bulk.
func (h *fixture) played(t testing.TB, bot chain.Address) (lists [3][]string) {
	t.Helper()
	of := arena.PlayerKey{Pool: arena.Bots, Address: bot}
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		lists = [3][]string{}
		history, err := h.History(ctx, tx, of, 1<<60, 1000)
		if err != nil {
			return err
		}
		for i := range history {
			lists[0] = append(lists[0], history[len(history)-1-i].Version)
		}
		points, err := h.Ratings(ctx, tx, of, 1000)
		if err != nil {
			return err
		}
		for _, p := range points {
			lists[1] = append(lists[1], p.Version)
		}
		changes, err := h.ChangesBetween(ctx, tx, arena.DataPage{Of: &of, Before: tx.Now().Add(time.Hour), Count: 1000})
		for _, c := range changes {
			lists[2] = append(lists[2], c.Version)
		}
		return err
	})
	return lists
}

// TestVersions: each rated duel names the version at its end, also of a bot that has named none at times; a version that
// has played nothing leaves no trace, and the same one again is no new one.
func TestVersions(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	a, b := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
	h.setVersion(t, a, "")
	if got := h.versions(t, a); len(got) != 0 {
		t.Errorf("no version: %+v", got)
	}
	h.rated(t, 1, a, b)
	h.setVersion(t, a, "1.O")
	h.setVersion(t, a, "1.0")
	since := h.now()
	h.forward(time.Minute)
	h.setVersion(t, a, "1.0")
	h.rated(t, 2, a, b)
	h.rated(t, 3, a, b)
	h.setVersion(t, a, "")
	h.rated(t, 4, b, a)
	h.setVersion(t, a, "2.0")
	want := []string{"", "1.0", "1.0", ""}
	if diff := cmp.Diff([3][]string{want, want, want}, h.played(t, a)); diff != "" {
		t.Errorf("of a:\n%s", diff)
	}
	none := []string{"", "", "", ""}
	if diff := cmp.Diff([3][]string{none, none, none}, h.played(t, b)); diff != "" {
		t.Errorf("of b:\n%s", diff)
	}
	got := h.versions(t, a)
	if len(got) != 3 || got[0].Name != "2.0" || got[0].Games != 0 || got[0].Rating != 0 || got[1].Name != "" ||
		got[1].Games != 1 || got[2].Name != "1.0" || got[2].Games != 2 || !got[2].Since.Equal(since) ||
		got[2].Rating <= got[1].Rating || got[1].Rating == 0 {
		t.Errorf("versions %+v", got)
	}
}

// TestVersionsAreFew: of many versions the newest are kept, whatever their owner does, and older duels name none.
func TestVersionsAreFew(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	a, b := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
	const more = 3
	for i := range arena.MaxVersions + more {
		h.setVersion(t, a, fmt.Sprint("unplayed-", i))
		h.setVersion(t, a, fmt.Sprint(i))
		h.rated(t, i, a, b)
	}
	got := h.versions(t, a)
	if len(got) != arena.MaxVersions || got[0].Name != fmt.Sprint(arena.MaxVersions+more-1) ||
		got[len(got)-1].Name != fmt.Sprint(more) {
		t.Errorf("%d versions, from %+v to %+v", len(got), got[len(got)-1], got[0])
	}
	if n := h.number(t, "SELECT count(*) FROM arena_version"); n != arena.MaxVersions {
		t.Errorf("%d rows", n)
	}
	played := h.played(t, a)[0]
	if played[more-1] != "" || played[more] != fmt.Sprint(more) {
		t.Errorf("the duels name %q", played)
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.Forget(ctx, tx, a) })
	if n := h.number(t, "SELECT count(*) FROM arena_version"); n != 0 {
		t.Errorf("%d rows after the deletion", n)
	}
}

// TestHiddenVersion: while an operator hides the words of a bot, no answer names a version of it.
func TestHiddenVersion(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	a, b := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
	h.setVersion(t, a, "1.0")
	h.exec(t, "UPDATE bot SET version = '1.0' WHERE address = $1", a[:])
	h.rated(t, 1, a, b)
	named := func() (names []string) {
		for _, list := range h.played(t, a) {
			names = append(names, list...)
		}
		for _, v := range h.versions(t, a) {
			names = append(names, v.Name)
		}
		var row, standing arena.Row
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			rows, err := h.Table(ctx, tx, arena.Bots, arena.TableCursor{}, 1)
			if err != nil {
				return err
			}
			row = rows[0]
			standing, err = h.Standing(ctx, tx, arena.Bots, a)
			return err
		})
		return append(names, row.Player.Version, standing.Player.Version)
	}
	if diff := cmp.Diff([]string{"1.0", "1.0", "1.0", "1.0", "1.0", "1.0"}, named()); diff != "" {
		t.Errorf("shown:\n%s", diff)
	}
	h.exec(t, "UPDATE bot SET hidden_reason = 'an insult' WHERE address = $1", a[:])
	if diff := cmp.Diff([]string{"", "", "", "", ""}, named()); diff != "" {
		t.Errorf("hidden:\n%s", diff)
	}
}
