package team

import (
	"errors"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/names"
)

func TestMayJoin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		private    bool
		members    int64
		slug, code string
		current    int64
		want       error
	}{
		"by name":                       {members: 1, slug: "rocks"},
		"by code":                       {private: true, members: 1, code: "C0DE"},
		"by both":                       {private: true, members: 1, slug: "rocks", code: "C0DE"},
		"the last seat":                 {members: MaxMembers - 1, slug: "rocks"},
		"private":                       {private: true, members: 1, slug: "rocks", want: ErrPrivate},
		"the code of another":           {members: 1, slug: "papers", code: "C0DE", want: ErrPrivate},
		"in a team":                     {members: 1, slug: "rocks", current: 7, want: ErrInTeam},
		"full":                          {members: MaxMembers, slug: "rocks", want: ErrFull},
		"private hides that it is full": {private: true, members: MaxMembers, slug: "rocks", current: 7, want: ErrPrivate},
		"in a team, and full":           {members: MaxMembers, slug: "rocks", current: 7, want: ErrInTeam},
	} {
		team := &Team{Slug: "rocks", Code: "C0DE", Private: c.private, Members: c.members}
		if err := team.mayJoin(c.slug, c.code, c.current); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

func TestNewTeam(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1)
	got, err := newTeam("  Rock   Stars 7 ", true, chain.Address{1}, now)
	want := Team{Name: "Rock Stars 7", Slug: "rock-stars-7", Private: true, Founder: chain.Address{1}, Members: 1,
		CreatedAt: now}
	if err != nil || *got != want {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	if _, err := newTeam(strings.Repeat("a", maxName), false, chain.Address{}, now); err != nil {
		t.Errorf("the longest name: %v", err)
	}
	for name, want := range map[string]error{
		strings.Repeat("a", maxName+1): ErrName,
		"":                             ErrName, " !? ": ErrName, "a\u200eb": names.ErrText, "Rосk": names.ErrScripts,
		strings.Repeat("ﷺ", 4): ErrName, // longer than 60 characters in NFKC
		"The Support":          ErrNameTaken, "Hidden  Team 9": ErrNameTaken,
		"ＲＯＳＨＡＭＢＯ official": ErrNameTaken, "ѕuрроrt": names.ErrScripts,
	} {
		if _, err := newTeam(name, false, chain.Address{}, now); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", name, err, want)
		}
	}
}
