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
		want    error
	}{
		"soonest":   {secured, MinLead, nil},
		"latest":    {secured, MaxLead, nil},
		"too soon":  {secured, MinLead - 1, ErrLead},
		"too late":  {secured, MaxLead + 1, ErrLead},
		"unsecured": {Entrant{Kind: chain.Full}, MinLead, ErrUnsecured},
		"a bot":     {Entrant{Kind: chain.Bot, Secured: true}, MinLead, ErrKind},
	} {
		if err := c.entrant.mayCreate(c.lead); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

func TestMayJoin(t *testing.T) {
	t.Parallel()
	start := time.UnixMilli(1000)
	before := start.Add(-time.Millisecond)
	person, bot := Entrant{Kind: chain.Full}, Entrant{Kind: chain.Bot}
	for name, c := range map[string]struct {
		cup     Cup
		entrant Entrant
		now     time.Time
		want    error
	}{
		"a person":              {Cup{Kind: People, Status: Open}, person, before, nil},
		"a bot":                 {Cup{Kind: Bots, Status: Open}, bot, before, nil},
		"the last seat":         {Cup{Kind: People, Status: Open, Players: MaxPlayers - 1}, person, before, nil},
		"full":                  {Cup{Kind: People, Status: Open, Players: MaxPlayers}, person, before, ErrFull},
		"at its start":          {Cup{Kind: People, Status: Open}, person, start, ErrStarted},
		"full, at its start":    {Cup{Kind: People, Status: Open, Players: MaxPlayers}, person, start, ErrStarted},
		"running":               {Cup{Kind: People, Status: Running}, person, before, ErrStarted},
		"a bot among people":    {Cup{Kind: People, Status: Open}, bot, before, ErrKind},
		"a person among bots":   {Cup{Kind: Bots, Status: Open}, person, before, ErrKind},
		"a bot in a full cup":   {Cup{Kind: People, Status: Open, Players: MaxPlayers}, bot, before, ErrKind},
		"over, with free seats": {Cup{Kind: People, Status: Finished}, person, before, ErrStarted},
	} {
		c.cup.StartsAt = start
		if err := c.cup.mayJoin(&c.entrant, c.now); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}
