package api_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
	"roshambo/verify"
)

// bot is a bot that calls with its key.
type bot struct {
	*player
	name string
}

// bot returns a new bot of a new guest.
func (s *stack) bot(t *testing.T) *bot {
	t.Helper()
	return s.guest(t).bot(t)
}

func (p *player) bot(t *testing.T) *bot {
	t.Helper()
	made := p.newBot(t, newName())
	b := p.s.anonymous(t)
	b.bearer, b.address = made.Secret, made.Bot.Address
	return &bot{b, made.Bot.Username}
}

// house returns a bot of the house.
func (s *stack) house(t *testing.T) *bot {
	t.Helper()
	b := &bot{s.anonymous(t), account.HousePrefix + newName()}
	b.bearer = newHouseKey()
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		a, err := s.accounts.EnsureHouseBot(ctx, tx, b.name, parseKey(b.bearer))
		b.address = a.Address.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.tokens.add(b.bearer)
	return b
}

// newHouseKey returns a key for a bot of the house.
func newHouseKey() string {
	return account.BotKey([32]byte(fmt.Appendf(nil, "%032d", houseKeys.Add(1)))).Text()
}

// parseKey returns the key with a text.
func parseKey(text string) account.KeySecret {
	key, _ := account.ParseKey(text)
	return key
}

var houseKeys atomic.Uint64

func (b *bot) queue(t *testing.T) api.QueueOut {
	t.Helper()
	return decode[api.QueueOut](t, b.post(t, "/api/arena/queue", "").ok(t))
}

func (b *bot) page(t *testing.T) api.ArenaBot {
	t.Helper()
	return decode[api.ArenaBotOut](t, b.s.anonymous(t).get(t, "/api/arena/bots/"+b.name).ok(t)).Bot
}

func (s *stack) pass(t *testing.T) {
	t.Helper()
	if _, err := s.arena.MatchOnce(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// beat plays a duel that a wins by three rounds to none.
func (s *stack) beat(t *testing.T, code string, a, b *bot) {
	t.Helper()
	g, did := s.game(code, a.sender(), b.sender()), "rs"
	if d := decode[api.GetDuelOut](t, a.get(t, "/api/duels/"+code).ok(t)).Duel; *d.You == "b" {
		g, did = s.game(code, b.sender(), a.sender()), "sr"
	}
	g.play(t, did, did, did)
}

// TestArena follows two bots from the queue to the rating table, and its public views.
func TestArena(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	if out := a.queue(t); out.Status != "waiting" || out.Duel != nil || *out.WaitedMS != 0 || *out.Window != 100 ||
		*out.Waiting != 0 {
		t.Fatalf("alone: %+v", out)
	}
	if page := a.page(t); page.State != "waiting" || page.Rank != nil || page.Rating != 1500 || page.LastSeenAt == nil {
		t.Errorf("while waiting: %+v", page)
	}
	matched := b.queue(t)
	if matched.Status != "matched" || matched.Duel == nil || matched.Duel.Kind != "ranked" || !matched.Duel.Rated ||
		matched.Duel.You == nil {
		t.Fatalf("b arrives: %+v", matched)
	}
	code := matched.Duel.ID
	if out := a.queue(t); out.Status != "matched" || out.Duel.ID != code || *out.Duel.You == *matched.Duel.You {
		t.Errorf("a asks again: %+v", out)
	}
	if page := a.page(t); page.State != "playing" || page.Duel == nil || *page.Duel != code {
		t.Errorf("while playing: %+v", page)
	}
	s.beat(t, code, a, b)
	s.tableIsRight(t, a, b)
	s.pagesAreRight(t, code, a, b)
	s.seal(t)
	proof := s.anonymous(t).get(t, "/api/duels/"+code+"/proof").ok(t)
	if report := verify.Duel([]byte(proof.body), verify.Options{Key: &s.key}); !report.Valid {
		t.Errorf("the proof: %+v", report)
	}
	a.chainIsValid(t)
	s.ratingsFollowFromChain(t)
}

// tableIsRight checks the table after a has beaten b; both were new.
func (s *stack) tableIsRight(t *testing.T, a, b *bot) {
	t.Helper()
	board := decode[api.ArenaLeaderboardOut](t, a.get(t, "/api/arena/leaderboard").ok(t))
	if len(board.Rows) != 2 || board.Rows[0].Username != a.name || board.Rows[1].Username != b.name || board.Next != nil {
		t.Fatalf("the table: %+v", board)
	}
	first, last := board.Rows[0], board.Rows[1]
	if first.Rank != 1 || last.Rank != 2 || first.Rating != 1662.31 || last.Rating != 1337.69 ||
		first.Deviation != 290.32 ||
		!first.Provisional || first.Wins != 1 || last.Losses != 1 || first.Games != 1 || first.House || first.Owner == nil ||
		first.LastPlayed == nil {
		t.Errorf("the rows: %+v %+v", first, last)
	}
	if board.Me == nil || board.Me.Address != a.address || board.Me.Rank != 1 {
		t.Errorf("me: %+v", board.Me)
	}
	page := decode[api.ArenaLeaderboardOut](t, s.anonymous(t).get(t, "/api/arena/leaderboard?limit=1").ok(t))
	if len(page.Rows) != 1 || page.Me != nil || page.Next == nil {
		t.Fatalf("the first page: %+v", page)
	}
	page = decode[api.ArenaLeaderboardOut](t, s.anonymous(t).get(t,
		"/api/arena/leaderboard?limit=1&cursor="+*page.Next).ok(t))
	if len(page.Rows) != 1 || page.Rows[0].Rank != 2 || page.Next != nil {
		t.Errorf("the second page: %+v", page)
	}
}

func (s *stack) pagesAreRight(t *testing.T, code string, a, b *bot) {
	t.Helper()
	anonymous := s.anonymous(t)
	base := "/api/arena/bots/" + strings.ToUpper(b.name) // in any case
	page := decode[api.ArenaBotOut](t, anonymous.get(t, base).ok(t)).Bot
	if page.State != "idle" || page.Rank == nil || *page.Rank != 2 || page.Losses != 1 || page.Peak != nil ||
		page.Volatility >= 0.0601 {
		t.Errorf("b's page: %+v", page)
	}
	duels := decode[api.BotDuelsOut](t, anonymous.get(t, base+"/duels").ok(t))
	want := api.PlayerName{Username: a.name, Address: a.address, ShortAddress: duels.Duels[0].Opponent.ShortAddress}
	if len(duels.Duels) != 1 || duels.Duels[0].ID != code || duels.Duels[0].Outcome != "loss" ||
		duels.Duels[0].Opponent != want ||
		duels.Duels[0].RatingBefore != 1500 || duels.Duels[0].Rating != 1337.69 || duels.Duels[0].Game != 1 {
		t.Errorf("b's duels: %+v", duels)
	}
	anonymous.get(t, duels.Duels[0].Replay).ok(t)
	opponents := decode[api.BotOpponentsOut](t, anonymous.get(t, base+"/opponents").ok(t))
	if len(opponents.Opponents) != 1 || opponents.Opponents[0].Username != a.name || opponents.Opponents[0].Losses != 1 {
		t.Errorf("b's opponents: %+v", opponents)
	}
	ratings := decode[api.BotRatingsOut](t, anonymous.get(t, base+"/ratings").ok(t))
	if len(ratings.Ratings) != 1 || ratings.Ratings[0].Rating != 1337.69 {
		t.Errorf("b's ratings: %+v", ratings)
	}
	player := decode[api.PlayerOut](t, anonymous.get(t, "/api/players/"+b.address).ok(t)).Player
	if player.Kind != "bot" || player.Rating != 1337.69 || player.Username != b.name {
		t.Errorf("b as a player: %+v", player)
	}
	for _, name := range []string{"nobody-at-all", "x", "rps1qqqq", *page.Owner} {
		anonymous.get(t, "/api/arena/bots/"+name).fails(t, 404, "not_found")
	}
	owner := decode[api.PlayerOut](t, anonymous.get(t, "/api/players/"+*page.Owner).ok(t)).Player
	if owner.Kind != "guest" || owner.Rank != nil || owner.Games != 0 {
		t.Errorf("b's owner: %+v", owner)
	}
}

// ratingsFollowFromChain recomputes all ratings from the chain and the transcripts of duels.
func (s *stack) ratingsFollowFromChain(t *testing.T) {
	t.Helper()
	err := s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		book := arena.NewBook()
		if err := s.ledger.Each(ctx, tx, book.Add); err != nil {
			return err
		}
		found, err := s.arena.Audit(ctx, tx, book, 20)
		if len(found) != 0 {
			t.Errorf("the ratings are not what the chain says: %+v", found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLongPollOfQueue: a waiting bot is answered as soon as an opponent arrives.
func TestLongPollOfQueue(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	got := a.held(t)
	matched := b.queue(t)
	if out := <-got; out.Status != "matched" || out.Duel.ID != matched.Duel.ID {
		t.Errorf("a got %+v, b %+v", out, matched)
	}
}

// TestLongPollRenewsQueueEntry: each poll of a waiting call renews the bot's entry in the queue.
func TestLongPollRenewsQueueEntry(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	got := a.held(t)
	address, err := chain.ParseAddress(a.address)
	if err != nil {
		t.Fatal(err)
	}
	lapses := func() int64 { return s.count(t, "SELECT expires_at FROM arena_bot WHERE since IS NOT NULL") }
	for range 3 {
		before := lapses()
		s.clock.forward(8 * time.Second)
		s.hub.Wake(event.Account(address)) // as the timer would
		for lapses() == before {
			<-time.After(time.Millisecond)
		}
	}
	if out := b.queue(t); out.Status != "matched" || (<-got).Status != "matched" {
		t.Errorf("after 24 s: %+v", out)
	}
}

// held starts a waiting call, and returns once it waits.
func (b *bot) held(t *testing.T) <-chan api.QueueOut {
	t.Helper()
	got := make(chan api.QueueOut, 1)
	address, err := chain.ParseAddress(b.address)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		answer, err := b.try(t, request{"POST", "/api/arena/queue", "", map[string]string{"Prefer": "wait=30"}})
		if err != nil || answer.status != http.StatusOK || answer.header.Get("Preference-Applied") != "wait=30" {
			t.Errorf("a held call: %v %d %s", err, answer.status, answer.body)
			got <- api.QueueOut{}
			return
		}
		got <- decode[api.QueueOut](t, answer)
	}()
	b.s.watchers(t, event.Account(address), 1)
	for b.page(t).State != "waiting" {
		<-time.After(time.Millisecond)
	}
	return got
}

// TestLeaveQueue: leaving ends a waiting call, which does not enter the queue again.
func TestLeaveQueue(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	got := a.held(t)
	leave := func() bool {
		return decode[api.LeaveOut](t, a.post(t, "/api/arena/leave", "").ok(t)).Left
	}
	if !leave() || leave() {
		t.Error("a did not leave once")
	}
	if out := <-got; out.Status != "left" || out.Duel != nil {
		t.Errorf("the held call: %+v", out)
	}
	if out := b.queue(t); out.Status != "waiting" || *out.Waiting != 0 {
		t.Errorf("b arrives after a has left: %+v", out)
	}
}

// TestQueueAfterDeadlines: two matched bots that never move are released with a draw that is not rated.
func TestQueueAfterDeadlines(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	a.queue(t)
	code := b.queue(t).Duel.ID
	s.clock.forward(10 * duel.BotStepTimeout)
	if out := a.queue(t); out.Status != "waiting" {
		t.Fatalf("a comes back: %+v", out)
	}
	if page := b.page(t); page.State != "idle" || page.Games != 0 || page.Rating != 1500 {
		t.Errorf("b: %+v", page)
	}
	d := decode[api.GetDuelOut](t, a.get(t, "/api/duels/"+code).ok(t)).Duel
	if d.Status != "finished" || d.Winner != nil || d.SettleTx == nil {
		t.Errorf("the duel: %+v", d)
	}
}

// TestHouseBots: house bots are marked as such, and play any bot.
func TestHouseBots(t *testing.T) {
	t.Parallel()
	s := start(t)
	house, a := s.house(t), s.bot(t)
	house.queue(t)
	a.queue(t)
	s.clock.forward(5 * time.Second)
	s.pass(t)
	out := a.queue(t)
	if out.Status != "matched" {
		t.Fatalf("a: %+v", out)
	}
	s.beat(t, out.Duel.ID, house, a)
	board := decode[api.ArenaLeaderboardOut](t, s.anonymous(t).get(t, "/api/arena/leaderboard").ok(t))
	if len(board.Rows) != 2 || !board.Rows[0].House || board.Rows[0].Owner != nil || board.Rows[1].House {
		t.Errorf("the table: %+v", board)
	}
	// With another key it is the same bot, and the old key ends.
	old := house.bearer
	house.bearer = newHouseKey()
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		found, err := s.accounts.EnsureHouseBot(ctx, tx, house.name, parseKey(house.bearer))
		if err == nil && found.Address.String() != house.address {
			err = fmt.Errorf("got %+v", found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	house.queue(t)
	s.bearer(t, old, request{method: "POST", path: "/api/arena/queue"}).fails(t, 401, "unauthenticated")
}

// TestHumanRating: a duel between two accounts changes their ratings and no bot's.
func TestHumanRating(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.guest(t), s.guest(t)
	a.register(t, newName())
	b.register(t, newName())
	s.paired(t, a, b).play(t, "rs", "rs", "rs")
	profile := decode[api.PlayerOut](t, s.anonymous(t).get(t, "/api/players/"+a.address).ok(t)).Player
	if profile.Kind != "account" || profile.Rating != 1662.31 || profile.Wins != 1 || profile.Rank == nil ||
		*profile.Rank != 1 {
		t.Errorf("the winner: %+v", profile)
	}
	if board := decode[api.ArenaLeaderboardOut](t, a.get(t, "/api/arena/leaderboard").ok(t)); len(board.Rows) != 0 ||
		board.Me != nil {
		t.Errorf("the bots' table: %+v", board)
	}
	s.seal(t)
	s.ratingsFollowFromChain(t)
}

// TestArenaRush has many bots queue, leave, disconnect and play concurrently, with the matcher
// running: no bot is in two duels or plays a bot of its owner, and all ratings follow from the
// chain.
func TestArenaRush(t *testing.T) {
	t.Parallel()
	s := start(t)
	var bots []*bot
	for range 4 {
		owner := s.guest(t)
		for range 3 {
			bots = append(bots, owner.bot(t))
		}
	}
	bots = append(bots, s.house(t), s.house(t))
	ctx, stop := context.WithCancel(t.Context())
	var matcher, rush sync.WaitGroup
	matcher.Go(func() { s.arena.MatchLoop(ctx) })
	const enough = 20
	seed := testseed.Seed(t)
	var duels idSet
	for i, b := range bots {
		rush.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(i), seed)) // of a test
			// The number of duels depends on scheduling, so all bots continue until there were
			// enough.
			for acts := 0; acts < 25 || acts < 1000 && duels.count() < enough; acts++ {
				duels.add(b.act(t, chance))
				s.clock.forward(time.Duration(chance.IntN(300)) * time.Millisecond)
			}
		})
	}
	rush.Wait()
	stop()
	matcher.Wait()
	s.nobodyIsInTwo(t)
	s.clock.forward(time.Hour)
	for { // until all deadlines are applied
		if _, err := s.duels.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.count(t, "SELECT count(*) FROM duel WHERE ended_at IS NULL") == 0 {
			break
		}
	}
	if n := s.count(t, "SELECT count(*) FROM arena_bot WHERE duel IS NOT NULL"); n != 0 {
		t.Errorf("%d bots are in duels that are over", n)
	}
	if n := s.count(t, "SELECT count(*) FROM duel"); n < enough || n < int64(duels.count()) {
		t.Errorf("%d duels, of which the bots got %d", n, duels.count())
	}
	s.seal(t)
	s.ratingsFollowFromChain(t)
}

// idSet is a set of ids for concurrent use.
type idSet struct {
	mu  sync.Mutex // guards ids
	ids map[string]bool
}

// add adds an id; "" is none.
func (s *idSet) add(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	if id != "" {
		s.ids[id] = true
	}
}

func (s *idSet) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids)
}

// act asks for a duel and plays a step of the current one, whose id it returns; "" when there is
// none.
func (b *bot) act(t *testing.T, chance *rand.Rand) string {
	call := func(path, body string) answer {
		a, err := b.try(t, request{method: "POST", path: path, body: body})
		if err != nil || a.status >= 500 {
			t.Errorf("POST %s: %v %d %s", path, err, a.status, a.body)
		}
		return a
	}
	if chance.IntN(8) == 0 {
		call("/api/arena/leave", "")
		return ""
	}
	a := call("/api/arena/queue", "")
	if a.status != http.StatusOK || !strings.Contains(a.body, `"matched"`) {
		return ""
	}
	d := decode[api.QueueOut](t, a).Duel
	move := game.Move(chance.IntN(3))
	salt := fmt.Sprint(b.name, len(d.Rounds))
	call("/api/duels/"+d.ID+"/commit", committing(move, salt))
	call("/api/duels/"+d.ID+"/reveal", revealing(move, salt))
	return d.ID
}

func (s *stack) count(t *testing.T, query string) (n int64) {
	t.Helper()
	err := s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx,
			query).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *stack) nobodyIsInTwo(t *testing.T) {
	t.Helper()
	const twice = `SELECT count(*) FROM (SELECT side FROM
		(SELECT a AS side FROM duel WHERE ended_at IS NULL AND kind = 'ranked' UNION ALL
		 SELECT b AS side FROM duel WHERE ended_at IS NULL AND kind = 'ranked') AS sides
		GROUP BY side HAVING count(*) > 1) AS twice`
	if n := s.count(t, twice); n != 0 {
		t.Errorf("%d bots are in two duels", n)
	}
	const related = `SELECT count(*) FROM duel d JOIN bot x ON x.address = d.a JOIN bot y ON y.address = d.b
		WHERE d.kind = 'ranked' AND x.owner = y.owner`
	if n := s.count(t, related); n != 0 {
		t.Errorf("%d duels between bots of one owner", n)
	}
	const astray = `SELECT count(*) FROM arena_bot WHERE duel IS NOT NULL AND duel NOT IN (SELECT code FROM duel WHERE ended_at IS NULL)`
	if n := s.count(t, astray); n != 0 {
		t.Errorf("%d bots are in duels that are over", n)
	}
}
