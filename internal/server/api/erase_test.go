package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/server/api"
)

// export returns the text and the sections of a player's export.
func (p *player) export(t *testing.T) (string, map[string]json.RawMessage) {
	t.Helper()
	a := p.get(t, "/api/account/export").ok(t)
	sections := map[string]json.RawMessage{}
	for _, section := range decode[api.ExportOut](t, a).Sections {
		rows, err := json.Marshal(section.Rows)
		if err != nil {
			t.Fatal(err)
		}
		sections[section.Name] = rows
	}
	return a.body, sections
}

// TestExport: the export has what the account entered and did, nothing of another account, and no
// secret.
func TestExport(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, other := s.guest(t), s.guest(t)
	name := newName()
	p.register(t, name)
	mailbox := p.attach(t)
	key, foreign := p.scopedKey(t, `["read"]`), other.newKey(t)
	bot := p.newBot(t, newName())
	code := p.open(t, 5).ID
	token := p.win(t)
	p.found(t, true)
	body, sections := p.export(t)
	for section, want := range map[string]string{
		"account": `"username":"` + name + `"`, "mailboxes": `"email":"` + mailbox + `"`, "keys": `"prefix":"` +
			key.Key.Prefix,
		"bots": bot.Bot.Address, "duels_as_a": `"code":"` + code + `"`, "tokens": fmt.Sprintf(`"token_id":%d`, token.TokenID),
		"runs": `"status":"claimed"`, "sessions": `"signed_in_at":"2026-11-20T12:00:00.000Z"`, "password": `"changed_at"`,
		"balance": `"balance":995`, "founded_teams": `"private":1`, "listings": `[]`,
	} {
		if !strings.Contains(string(sections[section]), want) {
			t.Errorf("%s is %s, want %s in it", section, sections[section], want)
		}
	}
	for _, secret := range []string{key.Secret, foreign.Key.Prefix, bot.Secret, p.csrf, "argon2id"} {
		if strings.Contains(body, secret) {
			t.Errorf("the export has %s", secret)
		}
	}
}

// TestDelete deletes an account with all that it has: nothing of its owner is left but the address
// and the names of games under the generated name.
func TestDelete(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, other := s.guest(t), s.guest(t)
	name := newName()
	p.register(t, name)
	mailbox := p.attach(t)
	key, bot := p.newKey(t), p.newBot(t, newName())
	listing := p.list(t, 10)
	open, playing := p.open(t, 5).ID, p.open(t, 7).ID
	other.post(t, "/api/duels/"+playing+"/join", "").ok(t)
	slug := p.found(t, false).Slug
	elsewhere := s.anonymous(t)
	elsewhere.signIn(t, "/api/auth/login", credentials(name))
	p.post(t, "/api/auth/magic-link", `{"email":"second-`+mailbox+`"}`).ok(t)
	link := p.mailedTo(t, "second-"+mailbox, "/link#")
	hosted := decode[api.CupOut](t, p.post(t, "/api/cups", `{"by_hand":true,"play":false}`).ok(t)).Cup.Number
	before := decode[api.MeOut](t, other.get(t, "/api/me").ok(t)).Balance

	p.post(t, "/api/account/delete", "").ok(t)

	p.get(t, "/api/me").fails(t, 401, "unauthenticated")
	elsewhere.get(t, "/api/me").fails(t, 401, "unauthenticated")
	s.bearer(t, key.Secret, me).fails(t, 401, "unauthenticated")
	s.bearer(t, bot.Secret, me).fails(t, 401, "unauthenticated")
	elsewhere.post(t, "/api/auth/login", credentials(name)).fails(t, 401, "bad_credentials")
	if got := decode[api.ListingOut](t,
		other.get(t, fmt.Sprintf("/api/market/listings/%d", listing.ID)).ok(t)).Listing.Status; got != "cancelled" {
		t.Errorf("the listing is %s", got)
	}
	duel := decode[api.DuelOut](t, other.get(t, "/api/duels/"+open).ok(t)).Duel
	if duel.Status != "cancelled" || !strings.HasPrefix(duel.A.Username, "deleted-") {
		t.Errorf("the open duel is %s by %s", duel.Status, duel.A.Username)
	}
	other.wantCup(t, hosted, "cancelled")
	other.get(t, "/api/teams/"+slug).fails(t, 404, "not_found")
	// A link that the account requested attaches nothing to it any more.
	other.post(t, "/api/auth/magic-link/redeem", tokenBody(link)).fails(t, 404, "link_invalid")
	// The opponent of the duel in play wins both stakes by the deadlines.
	for i := range 8 {
		round := decode[api.DuelOut](t, other.get(t, "/api/duels/"+playing).ok(t)).Duel
		if round.Status == "finished" {
			break
		}
		other.post(t, "/api/duels/"+playing+"/commit", committing(game.Rock, fmt.Sprint("salt ", i))).ok(t)
		s.clock.forward(61 * time.Second)
	}
	if got := decode[api.DuelOut](t, other.get(t, "/api/duels/"+playing).ok(t)).Duel; got.Winner == nil ||
		*got.Winner != "b" {
		t.Errorf("the duel in play: %+v", got)
	}
	if got := decode[api.MeOut](t, other.get(t, "/api/me").ok(t)).Balance; got != before+14 {
		t.Errorf("the opponent has %d coins, want %d", got, before+14)
	}
	if got := other.get(t, "/api/players/"+p.address).ok(t); strings.Contains(got.body, name) ||
		!strings.Contains(got.body, "deleted-") {
		t.Errorf("the player is %s", got.body)
	}
	// The name is held for 30 days, then free.
	other.post(t, "/api/auth/rename", `{"username":"`+name+`"}`).fails(t, 409, "username_taken")
	s.anonymous(t).post(t, "/api/auth/register", credentials(name)).fails(t, 409, "username_taken")
	s.clock.forward(30*24*time.Hour - 20*time.Minute)
	s.anonymous(t).post(t, "/api/auth/register", credentials(name)).fails(t, 409, "username_taken")
	s.clock.forward(20 * time.Minute)
	s.anonymous(t).post(t, "/api/auth/register", credentials(name)).ok(t)
	s.seal(t)
	if got := s.anonymous(t).get(t, "/api/chain/verify").ok(t); !strings.Contains(got.body, `"valid":true`) {
		t.Errorf("the chain: %s", got.body)
	}
}

// TestDeleteNeedsTheOwner: neither an old session nor a wrong password deletes an account, and a
// refused call deletes nothing; the password alone suffices.
func TestDeleteNeedsTheOwner(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	name := newName()
	p.register(t, name)
	s.clock.forward(11 * time.Minute)
	p.post(t, "/api/account/delete", "").fails(t, 403, "sign_in_required")
	p.post(t, "/api/account/delete", `{"password":"wrong horse"}`).fails(t, 401, "bad_credentials")
	if got := p.me(t).Account.Username; got != name {
		t.Errorf("after refusals the account is %s", got)
	}
	count := outcomes(t, s, 6, func(int) (answer, error) {
		return p.try(t, request{method: "POST", path: "/api/account/delete", body: `{"password":"correct horse"}`,
			header: map[string]string{"X-CSRF-Token": p.csrf}})
	})
	if count[fine] != 1 {
		t.Errorf("six concurrent deletions: %v, want one that succeeds", count)
	}
}

// TestRenameLimit: three renames in 30 days, and each former name stays its owner's.
func TestRenameLimit(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, other := s.guest(t), s.guest(t)
	names := []string{newName(), newName(), newName(), newName()}
	p.register(t, names[0])
	rename := func(p *player, name string) answer {
		return p.post(t, "/api/auth/rename", `{"username":"`+name+`"}`)
	}
	rename(p, names[1]).ok(t)
	rename(other, strings.ToUpper(names[0])).fails(t, 409, "username_taken")
	other.post(t, "/api/bots", `{"name":"`+names[0]+`"}`).fails(t, 409, "username_taken")
	s.clock.forward(time.Hour)
	rename(p, names[0]).ok(t) // back
	rename(other, names[1]).fails(t, 409, "username_taken")
	rename(p, names[2]).ok(t)
	if e := rename(p, names[3]).fails(t, 409, "limit_reached"); e.NextAt != "2026-12-20T12:00:00.000Z" {
		t.Errorf("the next rename is allowed at %s", e.NextAt)
	}
	s.clock.forward(30*24*time.Hour - time.Hour)
	rename(p, names[3]).ok(t)
	rename(other, names[1]).fails(t, 409, "username_taken") // left an hour later
	s.clock.forward(time.Hour)
	rename(other, names[1]).ok(t)
}

// TestDeletedNamesAreReserved: no caller takes a name that passes for a deleted account.
func TestDeletedNamesAreReserved(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for _, name := range []string{"deleted-1", "DELETED_0af", "de1eted-00"} {
		a := s.anonymous(t).post(t, "/api/auth/register", credentials(name))
		if a.fails(t, http.StatusConflict, "username_taken"); a.status == http.StatusOK {
			t.Errorf("%s is free", name)
		}
	}
}
