package api_test

import (
	"maps"
	"net/http"
	"testing"

	"roshambo/internal/server/api"
)

// verdicts are the outcomes of an operation for each kind of caller: "200", or the code of an
// error. The request is one that succeeds for the guest that it was made for.
type verdicts struct {
	nothing string // neither cookie nor key
	guest   string // the guest, from the page
	other   string // another guest, owner of none of the run, session, key and bot
	key     string // the guest's API key
	bot     string // the key of the guest's bot
	revoked string // an API key that the guest has revoked
	noCSRF  string // the guest's cookie without the CSRF token
}

const (
	unauth   = "unauthenticated"
	never    = "forbidden"
	csrf     = "csrf_failed"
	notFound = "not_found"
	bots     = "bots_only"
	fine     = "200"
)

// Verdicts that many operations share.
var (
	openToAll   = verdicts{fine, fine, fine, fine, fine, fine, fine}
	anyWithCSRF = verdicts{fine, fine, fine, fine, fine, fine, csrf} // a caller with a session must send its token
	readOfOwn   = verdicts{unauth, fine, fine, fine, fine, unauth, fine}
	readOnPage  = verdicts{unauth, fine, fine, never, never, unauth, fine}
	writeOnPage = verdicts{unauth, fine, fine, never, never, unauth, csrf}
	ownerMakes  = verdicts{unauth, fine, fine, fine, never, unauth, csrf} // a key only with all scopes
	ownOnPage   = verdicts{unauth, fine, notFound, never, never, unauth, csrf}
	// signed-in callers see more; a wrong key is refused
	readOfAll = verdicts{fine, fine, fine, fine, fine, unauth, fine}
	write     = verdicts{unauth, fine, fine, fine, fine, unauth, csrf}
	ownRun    = verdicts{unauth, fine, never, fine, never, unauth, csrf}
	ofBots    = verdicts{unauth, bots, bots, bots, fine, unauth, bots}
)

// access lists the permitted callers of each operation, written by hand for readers. TestAccess
// fails for an operation of the contract without a row.
var access = map[string]verdicts{
	"createGuest": openToAll, // with a session it returns that account, and changes nothing
	"getMe":       readOfOwn,
	// the guest's balance is low, the others' are not
	"useFaucet": {unauth, fine, "balance_too_high", fine, "balance_too_high", unauth, csrf},

	"startRun":     write,
	"getActiveRun": readOfOwn,
	"listRuns":     readOfOwn,
	"throw":        ownRun,
	"continueRun":  ownRun,
	"claimRun":     ownRun,
	"abandonRun":   ownRun,
	"getRun":       readOfAll,
	"getRunProof":  readOfAll,
	"getTiers":     openToAll,

	"listDuels":       readOfAll,
	"createDuel":      write,
	"spar":            write,
	"getDuel":         readOfAll,
	"joinDuel":        write,
	"cancelDuel":      ownRun,
	"commitDuel":      ownRun,
	"quickMatch":      {unauth, fine, fine, fine, never, unauth, csrf}, // bots have the arena
	"leaveQuickMatch": write,
	"resignDuel":      ownRun,
	"rematchDuel":     ownRun,
	"revealDuel":      ownRun,
	"emoteDuel":       ownRun,
	"listOpponents":   readOfOwn,
	"getChallenges":   readOfOwn,
	"setChallenges":   write,
	"blockOpponent":   {unauth, fine, notFound, fine, notFound, unauth, csrf}, // the others have not played the opponent
	"getDuelProof":    openToAll,

	"listCups":        readOfAll,
	"getCup":          readOfAll,
	"listPlayerCups":  openToAll,
	"createCup":       {unauth, fine, "not_secured", fine, never, unauth, csrf}, // the guest is registered
	"joinCup":         {unauth, fine, fine, fine, never, unauth, csrf},          // a cup for people
	"getCupTable":     openToAll,
	"getCupPairings":  openToAll,
	"getCupReport":    openToAll,
	"getCupMoves":     openToAll,
	"getCupProofs":    openToAll,
	"startCup":        ownRun,
	"endCup":          ownRun,
	"pauseCup":        ownRun,
	"resumeCup":       ownRun,
	"removeCupPlayer": ownRun,
	"endCupBotKey":    {unauth, fine, never, never, never, unauth, csrf},
	"leaveCup":        {unauth, fine, "not_in_cup", fine, "not_in_cup", unauth, csrf},

	"queue":            ofBots,
	"leaveQueue":       ofBots,
	"arenaLeaderboard": readOfAll,
	"getArenaBot":      openToAll,
	"listBotDuels":     openToAll,
	"listBotOpponents": openToAll,
	"listBotRatings":   openToAll,
	"listBotVersions":  openToAll,
	"getPlayer":        openToAll,
	"getCrosstable":    openToAll,
	"getTV":            readOfAll,

	"listPlayerDuels":        openToAll,
	"listPlayerRatings":      openToAll,
	"listPlayerAchievements": openToAll,

	// A caller with a key and no session counts as anonymous here: a bot that registers opens a new
	// account, and secures none.
	"register":             anyWithCSRF,
	"login":                anyWithCSRF,
	"requestMagicLink":     anyWithCSRF,
	"redeemMagicLink":      anyWithCSRF,
	"requestPasswordReset": anyWithCSRF,
	"redeemPasswordReset":  anyWithCSRF,

	// Operations by which the thief of a key could keep the account take the owner's browser
	// session only.
	"logout":       writeOnPage,
	"rename":       writeOnPage,
	"listSessions": readOnPage,
	"endSession":   ownOnPage,
	// Another guest has neither a password nor signed in.
	"changePassword":   {unauth, fine, "sign_in_required", never, never, unauth, csrf},
	"endOtherSessions": writeOnPage,
	"dataDuels":        openToAll,
	"dataRatings":      openToAll,
	"dataRuns":         openToAll,
	"dataBoards":       openToAll,
	"exportAccount":    readOnPage,
	"deleteAccount":    writeOnPage,
	"listMailboxes":    readOnPage,
	"removeMailbox":    {unauth, fine, "sign_in_required", never, never, unauth, csrf},
	"listKeys":         readOnPage,
	"createKey":        ownerMakes,
	"revokeKey":        ownOnPage,
	"listBots":         {unauth, fine, fine, fine, never, unauth, fine},
	"createBot":        ownerMakes,
	"rotateBotKey":     {unauth, fine, notFound, fine, never, unauth, csrf},
	"describeBot":      {unauth, fine, notFound, fine, notFound, unauth, csrf}, // another bot of the owner

	// A bot is an account of its own: it trades its own tokens only.
	"getMarket":       openToAll,
	"getPrices":       openToAll,
	"getListing":      openToAll,
	"listOwnListings": readOfOwn,
	"listToken":       {unauth, fine, "not_owner", fine, "not_owner", unauth, csrf},
	"buyListing":      {unauth, fine, fine, fine, fine, unauth, csrf},
	"cancelListing":   {unauth, fine, never, fine, never, unauth, csrf},
	"offerBuyback":    {unauth, fine, "not_owner", fine, "not_owner", unauth, csrf},
	"respondBuyback":  {unauth, fine, never, fine, never, unauth, csrf},
	"getPortfolio":    readOfOwn,
	"getBuyback":      {unauth, fine, never, fine, never, unauth, fine},

	"getLeaderboard":  readOfAll,
	"getSeason":       readOfAll,
	"getPastSeason":   readOfAll,
	"getDaily":        readOfAll,
	"startDaily":      write,
	"listTeams":       openToAll,
	"getTeam":         readOfAll,
	"createTeam":      {unauth, fine, fine, fine, never, unauth, csrf}, // teams are for players
	"joinTeam":        {unauth, fine, fine, fine, never, unauth, csrf},
	"leaveTeam":       {unauth, fine, "no_team", fine, never, unauth, csrf}, // the other guest is in no team
	"getAchievements": readOfAll,
	"getFeed":         openToAll,

	"getHead":       openToAll,
	"listBlocks":    openToAll,
	"getBlock":      openToAll,
	"getTx":         openToAll,
	"getAddress":    openToAll,
	"getToken":      openToAll,
	"getTokenImage": openToAll,
	"search":        openToAll,
	"getChainStats": openToAll,
	"verifyChain":   readOfAll,

	"followEvents": {fine, fine, fine, fine, fine, unauth, fine},
	"getLimits":    openToAll,
	"getOpenAPI":   openToAll,
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
			t.Errorf("%s has no row in access: add one", o.id)
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
			return p.s.anonymous(t).send(t, q).outcome()
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

// outcome returns "200", or the code of an error.
func (a answer) outcome() string {
	if a.status == http.StatusOK {
		return fine
	}
	return codeOf(a.body)
}

// TestRefusalsChangeNothing: a refused operation on another player's session, key or bot leaves it
// unchanged.
func TestRefusalsChangeNothing(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner, other := s.guest(t), s.guest(t)
	key, bot := owner.newKey(t), owner.newBot(t, newName())
	session := decode[api.SessionsOut](t, owner.get(t, "/api/sessions").ok(t)).Sessions[0].ID
	other.post(t, key.revokePath(), "").fails(t, 404, "not_found")
	other.post(t, "/api/bots/"+bot.Bot.Address+"/rotate", "").fails(t, 404, "not_found")
	other.post(t, "/api/sessions/"+session+"/end", "").fails(t, 404, "not_found")
	me := request{method: "GET", path: "/api/me"}
	s.bearer(t, key.Secret, me).ok(t)
	s.bearer(t, bot.Secret, me).ok(t)
	owner.get(t, "/api/me").ok(t)
	// The owner's address does not name the bot either.
	owner.post(t, "/api/bots/"+owner.address+"/rotate", "").fails(t, 404, "not_found")
}

// TestKeyBesideCookie: a call with a key acts for the key's account, whatever cookies it carries.
func TestKeyBesideCookie(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner, other := s.guest(t), s.guest(t)
	header := map[string]string{"Authorization": "Bearer " + owner.newKey(t).Secret}
	got := decode[api.MeOut](t, other.send(t, request{method: "GET", path: "/api/me", header: header}).ok(t))
	if got.Account.Address != owner.address || got.CSRFToken != nil {
		t.Errorf("got %+v, want the account of the key, without a CSRF token", got)
	}
	// Operations for browsers only stay refused with both.
	header["X-CSRF-Token"] = other.csrf
	other.send(t, request{method: "POST", path: "/api/sessions/end-others", header: header}).fails(t, 403, "forbidden")
	// The origin of a program's request does not matter.
	header["Sec-Fetch-Site"], header["Origin"] = "cross-site", "https://elsewhere.example"
	other.send(t, request{method: "POST", path: "/api/runs", header: header}).ok(t)
	// Operations that use a cookie check the origin.
	other.send(t, request{method: "POST", path: "/api/auth/magic-link", body: `{"email":"a@example.org"}`,
		header: header}).fails(t, 403, "csrf_failed")
}
