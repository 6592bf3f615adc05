package cup

import (
	"errors"
	"testing"
	"time"

	"roshambo/chain"
)

func TestMayCreate(t *testing.T) {
	t.Parallel()
	secured := Entrant{Kind: chain.Full, Secured: true}
	for name, c := range map[string]struct {
		entrant Entrant
		lead    time.Duration
		hosted  int
		want    error
	}{
		"soonest":   {secured, MinLead, 0, nil},
		"latest":    {secured, MaxLead, 0, nil},
		"too soon":  {secured, MinLead - 1, 0, ErrLead},
		"too late":  {secured, MaxLead + 1, 0, ErrLead},
		"unsecured": {Entrant{Kind: chain.Full}, MinLead, 0, ErrUnsecured},
		"a bot":     {Entrant{Kind: chain.Bot, Secured: true}, MinLead, 0, ErrKind},
		"the sixth": {secured, MinLead, MaxHosted - 1, nil},
		"the next":  {secured, MinLead, MaxHosted, ErrHosted},
	} {
		if err := c.entrant.mayCreate(c.lead, c.hosted); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

func TestMayJoin(t *testing.T) {
	t.Parallel()
	start := time.UnixMilli(1000)
	before := start.Add(-time.Millisecond)
	person, bot := Entrant{Kind: chain.Full}, Entrant{Kind: chain.Bot}
	people, bots := Terms{Kind: People}, Terms{Kind: Bots}
	for name, c := range map[string]struct {
		cup     Cup
		entrant Entrant
		now     time.Time
		want    error
	}{
		"a person":              {Cup{Terms: people, Status: Open}, person, before, nil},
		"a bot":                 {Cup{Terms: bots, Status: Open}, bot, before, nil},
		"the last seat":         {Cup{Terms: people, Status: Open, Players: MaxPlayers - 1}, person, before, nil},
		"full":                  {Cup{Terms: people, Status: Open, Players: MaxPlayers}, person, before, ErrFull},
		"at its start":          {Cup{Terms: people, Status: Open}, person, start, ErrStarted},
		"full, at its start":    {Cup{Terms: people, Status: Open, Players: MaxPlayers}, person, start, ErrStarted},
		"running":               {Cup{Terms: people, Status: Running}, person, before, ErrStarted},
		"a bot among people":    {Cup{Terms: people, Status: Open}, bot, before, ErrKind},
		"a person among bots":   {Cup{Terms: bots, Status: Open}, person, before, ErrKind},
		"a bot in a full cup":   {Cup{Terms: people, Status: Open, Players: MaxPlayers}, bot, before, ErrKind},
		"over, with free seats": {Cup{Terms: people, Status: Finished}, person, before, ErrStarted},
	} {
		c.cup.StartsAt, c.cup.Seats = start, MaxPlayers
		if err := c.cup.mayJoin(&c.entrant, "", c.now); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// TestMayJoinPrivate: a private cup takes its code as players type it; its host and the host's bot need none.
func TestMayJoinPrivate(t *testing.T) {
	t.Parallel()
	host := chain.Address{1}
	terms := Terms{Kind: Bots, Code: "1A2B3C40", Seats: 2, StartsAt: time.UnixMilli(1)}
	c := Cup{Terms: terms, Status: Open, Creator: &host}
	for code, owners := range map[string]map[chain.Address]error{
		"": {{2}: ErrPrivate, host: nil}, "la2b-3c4o": {{2}: nil}, "1A2B3C41": {{2}: ErrPrivate, host: nil},
	} {
		for owner, want := range owners {
			e := Entrant{Address: chain.Address{9}, Kind: chain.Bot, Owner: &owner}
			if err := c.mayJoin(&e, code, time.UnixMilli(0)); !errors.Is(err, want) {
				t.Errorf("code %q of %v: error %v, want %v", code, owner, err, want)
			}
		}
	}
}
