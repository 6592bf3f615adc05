package httpapi_test

import (
	"maps"
	"net/http"
	"testing"

	"roshambo/internal/server/httpapi"
)

// verdicts are what an operation answers to each kind of caller: "200", or the code of
// an error. The request is one that would succeed for the guest that it was made for.
type verdicts struct {
	nothing string // neither cookie nor key
	guest   string // the guest itself, from its page
	other   string // another guest, whose run, session, key or bot it is not
	key     string // the guest's API key
	bot     string // the key of the guest's bot
	revoked string // an API key that the guest has revoked
	noCSRF  string // the guest's cookie without the CSRF token
}

const (
	who   = "unauthenticated"
	never = "forbidden"
	csrf  = "csrf_failed"
	gone  = "not_found"
	bots  = "bots_only"
	fine  = "200"
)

// Many operations are for the same callers.
var (
	everybody   = verdicts{fine, fine, fine, fine, fine, fine, fine}
	anyWithCSRF = verdicts{fine, fine, fine, fine, fine, fine, csrf} // who has a session must show its token
	readOfOwn   = verdicts{who, fine, fine, fine, fine, who, fine}
	readOnPage  = verdicts{who, fine, fine, never, never, who, fine}
	writeOnPage = verdicts{who, fine, fine, never, never, who, csrf}
	ownOnPage   = verdicts{who, fine, gone, never, never, who, csrf}
	readOfAll   = verdicts{fine, fine, fine, fine, fine, who, fine} // shows who is known more; a wrong key is told so
	write       = verdicts{who, fine, fine, fine, fine, who, csrf}
	ownRun      = verdicts{who, fine, never, fine, never, who, csrf}
	ofBots      = verdicts{who, bots, bots, bots, fine, who, bots}
)

// access is who may do what, to be read by people: every operation of the contract has
// a row, written by hand. A new operation without one fails TestAccess.
var access = map[string]verdicts{
	"createGuest": everybody, // with a session it answers that account, and changes nothing
	"getMe":       readOfOwn,
	"useFaucet":   {who, fine, "balance_too_high", fine, "balance_too_high", who, csrf}, // the guest is poor, the others are not

	"startRun":     write,
	"getActiveRun": readOfOwn,
	"listRuns":     readOfOwn,
	"throw":        ownRun,
	"continueRun":  ownRun,
	"claimRun":     ownRun,
	"abandonRun":   ownRun,
	"getRun":       everybody,
	"getRunProof":  everybody,
	"getTiers":     everybody,

	"listDuels":    readOfAll,
	"createDuel":   write,
	"spar":         write,
	"getDuel":      readOfAll,
	"joinDuel":     write,
	"cancelDuel":   ownRun,
	"commitDuel":   ownRun,
	"revealDuel":   ownRun,
	"getDuelProof": everybody,

	"queue":            ofBots,
	"leaveQueue":       ofBots,
	"arenaLeaderboard": readOfAll,
	"getArenaBot":      everybody,
	"listBotDuels":     everybody,
	"listBotOpponents": everybody,
	"listBotRatings":   everybody,
	"getPlayer":        everybody,

	// Who comes with a key and no session is nobody here: a bot that registers opens an
	// account like anybody, and secures none.
	"register":         anyWithCSRF,
	"login":            anyWithCSRF,
	"requestMagicLink": anyWithCSRF,
	"redeemMagicLink":  anyWithCSRF,

	// What a thief of a key could keep the account by is for its owner's browser alone.
	"logout":       writeOnPage,
	"rename":       writeOnPage,
	"listSessions": readOnPage,
	"endSession":   ownOnPage,
	"listKeys":     readOnPage,
	"createKey":    writeOnPage,
	"revokeKey":    ownOnPage,
	"listBots":     {who, fine, fine, fine, never, who, fine},
	"createBot":    writeOnPage,
	"rotateBotKey": ownOnPage,

	// A bot is an account of its own: it trades its own tokens and nobody else's.
	"getMarket":       everybody,
	"getPrices":       everybody,
	"getListing":      everybody,
	"listOwnListings": readOfOwn,
	"listToken":       {who, fine, "not_owner", fine, "not_owner", who, csrf},
	"buyListing":      {who, fine, fine, fine, fine, who, csrf},
	"cancelListing":   {who, fine, never, fine, never, who, csrf},
	"offerBuyback":    {who, fine, "not_owner", fine, "not_owner", who, csrf},
	"respondBuyback":  {who, fine, never, fine, never, who, csrf},
	"getPortfolio":    readOfOwn,
	"getBuyback":      {who, fine, never, fine, never, who, fine},

	"getLeaderboard":  readOfAll,
	"getSeason":       readOfAll,
	"getPastSeason":   readOfAll,
	"getDaily":        readOfAll,
	"startDaily":      write,
	"listTeams":       everybody,
	"getTeam":         readOfAll,
	"createTeam":      {who, fine, fine, fine, never, who, csrf}, // teams are for people
	"joinTeam":        {who, fine, fine, fine, never, who, csrf},
	"leaveTeam":       {who, fine, "no_team", fine, never, who, csrf}, // the other is in none
	"getAchievements": readOfAll,
	"getFeed":         everybody,

	"getHead":       everybody,
	"listBlocks":    everybody,
	"getBlock":      everybody,
	"getTx":         everybody,
	"getAddress":    everybody,
	"getToken":      everybody,
	"getTokenImage": everybody,
	"search":        everybody,
	"getChainStats": everybody,
	"verifyChain":   everybody,

	"followEvents": {fine, fine, fine, fine, fine, who, fine},
	"getLimits":    everybody,
	"getOpenAPI":   everybody,
}

// TestAccess calls every operation as each kind of caller.
func TestAccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	missing := maps.Clone(access)
	for _, o := range s.doc.operations {
		delete(missing, o.id)
		want, ok := access[o.id]
		if !ok {
			t.Errorf("%s has no row in access: think about who may call it, and write one", o.id)
			continue
		}
		t.Run(o.id, func(t *testing.T) {
			t.Parallel()
			for _, c := range callers(want) {
				p := s.guest(t)
				q := good[o.id](t, p)
				p.bearer = ""
				if got := c.call(t, p, q); got != c.want {
					t.Errorf("%v called with %s: got %s, want %s", q, c.name, got, c.want)
				}
			}
		})
	}
	for id := range missing {
		t.Errorf("%s has a row in access and is no operation", id)
	}
}

// callerKind is a column of the table.
type callerKind struct {
	name, want string
	call       func(t *testing.T, owner *player, q request) string
}

func callers(want verdicts) []callerKind {
	return []callerKind{
		{"nothing", want.nothing, func(t *testing.T, p *player, q request) string {
			return p.s.nobody(t).send(t, q).outcome()
		}},
		{"the guest's session", want.guest, func(t *testing.T, p *player, q request) string {
			return p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf})).outcome()
		}},
		{"another guest's session", want.other, func(t *testing.T, p *player, q request) string {
			other := p.s.guest(t)
			return other.send(t, q.with(map[string]string{"X-CSRF-Token": other.csrf})).outcome()
		}},
		{"the guest's key", want.key, func(t *testing.T, p *player, q request) string {
			return p.s.bearer(t, p.newKey(t).Secret, q).outcome()
		}},
		{"a bot's key", want.bot, func(t *testing.T, p *player, q request) string {
			return p.s.bearer(t, p.newBot(t, newName()).Secret, q).outcome()
		}},
		{"a revoked key", want.revoked, func(t *testing.T, p *player, q request) string {
			key := p.newKey(t)
			p.post(t, key.revokePath(), "").ok(t)
			return p.s.bearer(t, key.Secret, q).outcome()
		}},
		{"a cookie without CSRF token", want.noCSRF, func(t *testing.T, p *player, q request) string {
			return p.send(t, q).outcome()
		}},
	}
}

// outcome is "200", or the code of an error.
func (a answer) outcome() string {
	if a.status == http.StatusOK {
		return fine
	}
	return codeOf(a.body)
}

// TestRefusalsChangeNothing: that somebody else's session, key or bot is refused means
// that it still is what it was.
func TestRefusalsChangeNothing(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner, other := s.guest(t), s.guest(t)
	key, bot := owner.newKey(t), owner.newBot(t, newName())
	session := decode[httpapi.SessionsOut](t, owner.get(t, "/api/sessions").ok(t)).Sessions[0].ID
	other.post(t, key.revokePath(), "").fails(t, 404, "not_found")
	other.post(t, "/api/bots/"+bot.Bot.Address+"/rotate", "").fails(t, 404, "not_found")
	other.post(t, "/api/sessions/"+session+"/end", "").fails(t, 404, "not_found")
	me := request{method: "GET", path: "/api/me"}
	s.bearer(t, key.Secret, me).ok(t)
	s.bearer(t, bot.Secret, me).ok(t)
	owner.get(t, "/api/me").ok(t)
	// Not even its owner's name is a bot's address.
	owner.post(t, "/api/bots/"+owner.address+"/rotate", "").fails(t, 404, "not_found")
}

// TestKeyBesideCookie: a call with a key is the key's, whatever cookies came with it.
func TestKeyBesideCookie(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner, other := s.guest(t), s.guest(t)
	header := map[string]string{"Authorization": "Bearer " + owner.newKey(t).Secret}
	got := decode[httpapi.MeOut](t, other.send(t, request{method: "GET", path: "/api/me", header: header}).ok(t))
	if got.Account.Address != owner.address || got.CSRFToken != nil {
		t.Errorf("got %+v, want the account of the key, without a CSRF token", got)
	}
	// What is for a browser alone stays refused with both.
	header["X-CSRF-Token"] = other.csrf
	other.send(t, request{method: "POST", path: "/api/keys", header: header}).fails(t, 403, "forbidden")
	// A program is no browser: where its request comes from does not matter.
	header["Sec-Fetch-Site"], header["Origin"] = "cross-site", "https://elsewhere.example"
	other.send(t, request{method: "POST", path: "/api/runs", header: header}).ok(t)
	// But what makes use of a cookie looks at where the request comes from.
	other.send(t, request{method: "POST", path: "/api/auth/magic-link", body: `{"email":"a@example.org"}`, header: header}).fails(t, 403, "csrf_failed")
}
