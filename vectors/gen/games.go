package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/fair"
	"roshambo/game"
)

// chainVector is an export of a whole chain with the expected result of its verification. Every hash,
// root and signature is right: only the games, tables, recoveries and rules can be wrong.
type chainVector struct {
	File  string `json:"file"`
	About string `json:"about"`
	Valid bool   `json:"valid"`
	// Audit are the figures of an honest chain, null for a lying one.
	Audit *games.Audit `json:"audit"`
	// Rules says that a transaction breaks the rules of a lying chain, and no game is wrong.
	Rules bool `json:"rules"`
	// Witnesses are the keys of the verifier's witnesses, and Quorum how many must have cosigned, all if 0.
	Witnesses []string `json:"witnesses,omitempty"`
	Quorum    int      `json:"quorum,omitempty"`
	// WitnessesFrom is the height below which rules need no notice by these witnesses.
	WitnessesFrom int64 `json:"witnesses_from,omitempty"`
	lie           func(s *gameScript)
}

// gameScript is the script of a chain with four runs and two duels. A lie changes the games, with all
// consequences for hashes.
type gameScript struct {
	runs  []*scriptRun
	duels []*duel
	// order changes the transcripts of the last block.
	order func(transcripts []string) []string
	// epoch says that the chain begins at time 0.
	epoch bool
	// after, which may be nil, continues the chain.
	after func(w *gameWriter, record *games.Record)
}

// scriptRun is a run of the chain.
type scriptRun struct {
	run
	player string
	id     string // "" for one of player and number
	burnt  int64  // the token; 0 for the last one
	throws func([]chain.Throw) []chain.Throw
	ended  func(e *chain.RunEnd)
	raw    func(string) string
	seeds  func() *fair.Chain // other seeds than the committed ones
}

// newGameScript returns the honest script.
func newGameScript() *gameScript {
	return &gameScript{
		runs: []*scriptRun{
			{player: "ann", run: run{plan: "wtwtw", end: chain.RunClaimed, entry: chain.EntryFee, clientSeed: "mine",
				entropy: []string{"", "dice"}}},
			{player: "bob", run: run{plan: "wl", end: chain.RunLost, entry: chain.EntryFee}},
			{player: "cy", run: run{plan: "wtt", end: chain.RunAbandoned, entry: chain.EntryFree, clientSeed: "石"}},
			{player: "ann", run: run{plan: "w", end: chain.RunClaimed, entry: chain.EntryBurn, firstTier: 3}, burnt: 1},
		},
		duels: []*duel{{rounds: "rspsspxxxrps", rated: true}, {rounds: "rsrsrs"}},
	}
}

// chainVectors lists the chains.
func chainVectors() []chainVector {
	return slices.Concat(lyingRuns(), lyingDuels(), recoveredChains(), olderStates(), usedOnce(), restored(),
		closedAddresses(),
		boundedKinds(), closedTables(), keptChains(), keptNotices(), keptHours(), keptMisplaced())
}

// lyingRuns are the honest chain, and chains that lie about a run.
func lyingRuns() []chainVector {
	throws := func(n int, change func(t []chain.Throw) []chain.Throw) func(s *gameScript) {
		return func(s *gameScript) { s.runs[n].throws = change }
	}
	one := func(n, i int, change func(t *chain.Throw)) func(s *gameScript) {
		return throws(n, func(t []chain.Throw) []chain.Throw { change(&t[i]); return t })
	}
	end := func(n int, change func(e *chain.RunEnd)) func(s *gameScript) {
		return func(s *gameScript) { s.runs[n].ended = change }
	}
	return []chainVector{
		{File: "chain/honest.jsonl", About: "four runs and two duels", Valid: true, lie: func(*gameScript) {}},
		{File: "chain/invented-claim.jsonl", About: "a claim of tier 16 that no player won, with seeds of another chain",
			lie: func(s *gameScript) {
				s.runs[2] = &scriptRun{player: "cy", run: run{plan: strings.Repeat("w", 16), end: chain.RunClaimed,
					entry: chain.EntryFree}, seeds: func() *fair.Chain { return fair.NewChain(digest("invented")) }}
			}},
		{File: "chain/seed-changed.jsonl", About: "a seed that is not of the chain, though it gives the same move",
			lie: one(0, 3, func(t *chain.Throw) { t.Seed = sameMove(*t, "mine") })},
		{File: "chain/house-move-changed.jsonl", About: "a house move that the seed does not give, and its outcome",
			lie: one(2, 2, func(t *chain.Throw) {
				t.House = otherMove(t.House)
				t.Outcome = t.Move.Against(t.House)
			})},
		{File: "chain/entropy-changed.jsonl", About: "another entropy than the house drew with",
			lie: one(0, 1, func(t *chain.Throw) {
				for fair.HouseMove(t.Seed, t.N, textHash("mine"), t.EntropyHash) == t.House {
					t.EntropyHash[0]++
				}
			})},
		{File: "chain/outcome-changed.jsonl", About: "a tie called a loss, which ends the run", lie: func(s *gameScript) {
			s.runs[2].end = chain.RunLost
			one(2, 2, func(t *chain.Throw) { t.Outcome = game.Loss })(s)
		}},
		{File: "chain/throw-cut-off.jsonl", About: "the losing throw missing, and the tier claimed",
			lie: func(s *gameScript) {
				s.runs[1].end = chain.RunClaimed
				s.runs[1].throws = func(t []chain.Throw) []chain.Throw { return t[:1] }
				s.runs[1].ended = func(e *chain.RunEnd) { e.Throws = 2 }
			}},
		{File: "chain/on-after-a-loss.jsonl", About: "a throw after the loss", lie: func(s *gameScript) {
			s.runs[1].plan, s.runs[1].end = "wlw", chain.RunClaimed
		}},
		{File: "chain/numbers-from-two.jsonl", About: "throws numbered from 2", lie: one(1, 0, func(t *chain.Throw) {
			t.N = 2
		})},
		{File: "chain/tier-too-high.jsonl", About: "a tier more than the throws clear, token and all",
			lie: withoutBurn(end(0, func(e *chain.RunEnd) { e.Cleared = 4 }))},
		{File: "chain/tier-too-low.jsonl", About: "a tier less than the throws clear, token and all",
			lie: end(3, func(e *chain.RunEnd) { e.Cleared = 3 })},
		{File: "chain/throws-miscounted.jsonl", About: "another number of throws on the chain",
			lie: end(2, func(e *chain.RunEnd) { e.Throws = 4 })},
		{File: "chain/win-lost.jsonl", About: "lost, though the last throw won", lie: withoutBurn(func(s *gameScript) {
			s.runs[0].end = chain.RunLost
		})},
		{File: "chain/tie-claimed.jsonl", About: "claimed after a tie", lie: func(s *gameScript) {
			s.runs[2].end = chain.RunClaimed
		}},
		{File: "chain/past-the-top.jsonl", About: "the highest tier reached, then a loss: it claims by itself",
			lie: func(s *gameScript) { s.runs[2].plan, s.runs[2].end = strings.Repeat("w", 16)+"l", chain.RunLost }},
		{File: "chain/text-published.jsonl", About: "the text of an entropy in a transcript, not its hash",
			lie: func(s *gameScript) {
				s.runs[0].raw = sub(`"entropy_hash":"`+textHash("dice").String()+`"`, `"entropy":"dice"`)
			}},
		{File: "chain/transcript-not-canonical.jsonl", About: "a space in a transcript",
			lie: func(s *gameScript) { s.runs[1].raw = sub(`,"house"`, `, "house"`) }},
	}
}

// withoutBurn is a lie in a script without the run that burns the token of tier 3 of the first one: the lie is about
// this token, and a burn of another one would break the rules of transactions.
func withoutBurn(lie func(s *gameScript)) func(s *gameScript) {
	return func(s *gameScript) { lie(s); s.runs = s.runs[:3] }
}

// lyingDuels are chains that lie about a duel, or have other transcripts than the games need.
func lyingDuels() []chainVector {
	round := func(change func(r []chain.DuelRound)) func(s *gameScript) {
		return func(s *gameScript) { s.duels[1].editRounds = change }
	}
	order := func(change func(list []string) []string) func(s *gameScript) {
		return func(s *gameScript) { s.order = change }
	}
	return []chainVector{
		{File: "chain/hand-changed.jsonl", About: "another hand in a duel than was committed to",
			lie: round(func(r []chain.DuelRound) { r[0].Hands[0].Move, r[0].Outcome = game.Scissors, game.Tied })},
		{File: "chain/forfeit-invented.jsonl", About: "a forfeit, though both revealed",
			lie: round(func(r []chain.DuelRound) { r[0].Forfeit = game.B })},
		{File: "chain/commitments-equal.jsonl", About: "a round in which both sides have one commitment is void", Valid: true,
			lie: func(s *gameScript) { s.duels[1].rounds = "rs==rs==rs" }},
		{File: "chain/salt-too-long.jsonl", About: "a salt of 513 bytes",
			lie: round(func(r []chain.DuelRound) { resalt(&r[0].Hands[0], strings.Repeat("s", 513)) })},
		{File: "chain/commitment-copied.jsonl", About: "both sides with one commitment, and both reveal it",
			lie: round(func(r []chain.DuelRound) { r[0].Hands[1], r[0].Outcome = r[0].Hands[0], game.Tied })},
		{File: "chain/duel-winner-changed.jsonl", About: "the loser of a duel as its winner",
			lie: func(s *gameScript) { s.duels[1].outcome = func(d *chain.DuelTranscript) { d.Winner = game.B } }},
		{File: "chain/duel-undecided.jsonl", About: "a duel settled after two rounds",
			lie: func(s *gameScript) {
				s.duels[1].rounds = "rsrs"
				s.duels[1].outcome = func(d *chain.DuelTranscript) { d.Winner = game.A }
			}},
		{File: "chain/transcript-missing.jsonl", About: "a game without a transcript",
			lie: order(func(list []string) []string { return list[1:] })},
		{File: "chain/transcript-too-many.jsonl", About: "a transcript of no game",
			lie: order(func(list []string) []string { return append(list, list[0]) })},
		{File: "chain/transcripts-swapped.jsonl", About: "two transcripts in the wrong order",
			lie: order(func(list []string) []string { list[0], list[1] = list[1], list[0]; return list })},
		{File: "chain/transcript-of-another-game.jsonl", About: "a transcript other than the pinned one",
			lie: order(func(list []string) []string { list[0] = list[1]; return list })},
	}
}

// exportOf plays the script and returns the export, and the record counted from the script.
func (s *gameScript) exportOf() (string, games.Record) {
	w := newGameWriter(s.epoch)
	players := []string{"ann", "bob", "cy"}
	for _, p := range players {
		w.post(&chain.Tx{Actor: addressOf(p), Data: &chain.AccountCreate{
			Commitment: chain.Hash(w.seeds(p, 0).Commitment()), AccountKind: chain.Full},
			Transfers: []chain.Transfer{{To: addressOf(p), Amount: 1000}}}, "")
	}
	w.seal(nil)
	record := games.Record{VoidTiers: []int64{}}
	for _, r := range s.runs {
		w.run(r, &record)
		w.seal(nil)
	}
	for i, d := range s.duels {
		d.settleIn(w, fmt.Sprintf("DUEL%04d", i))
		record.Duels++
	}
	w.seal(s.order)
	if s.after != nil {
		s.after(w, &record)
		record.Duels += w.cupDuels
		w.seal(nil)
	}
	return w.export(), record
}

// gameWriter writes a chain as an export.
type gameWriter struct {
	*house
	body        strings.Builder
	transcripts []string
	nonces      map[chain.Address]int64
	started     map[string]int // runs of each player
	tokens      int64
	cupDuels    int64
	count       int
	rules       chain.Rules         // of genesis
	announced   int64               // number of the last rules announced
	later       int64               // milliseconds that have passed beside a second for each block
	back        int64               // milliseconds by which the next transactions are dated back
	passed      []int64             // later at each block
	cosigners   []witness           // of the last checkpoint
	change      func(string) string // of the next transaction's raw; nil for none
}

func newGameWriter(epoch bool) *gameWriter {
	w := &gameWriter{house: newHouse(), nonces: map[chain.Address]int64{}, started: map[string]int{}}
	w.header = func(h *chain.Header) { h.Time += w.passed[h.Height] }
	rules := chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FaucetPause: 14_400_000, FreePerDay: 1000,
		MarketFeeBPS: 250, StartingBalance: 1000}
	for k := range 16 {
		rules.Tiers = append(rules.Tiers, chain.Tier{Material: fmt.Sprintf("Material %d", k+1), Value: 48 << (k + 1)})
	}
	w.rules = rules
	if epoch {
		w.later = -firstTime
	}
	w.blocks = append(w.blocks, &block{})
	w.post(&chain.Tx{Data: &chain.Genesis{Name: w.name, Rules: rules}}, "")
	w.seal(nil)
	return w
}

// seeds returns the seed chain of a player's run n, counted from 0.
func (w *gameWriter) seeds(player string, n int) *fair.Chain {
	return fair.NewChain(digest(fmt.Sprintf("games/%s/%d", player, n)))
}

// post adds a transaction to the open block, and the transcript of the game that it ends.
func (w *gameWriter) post(tx *chain.Tx, transcript string) {
	if tx.Actor != (chain.Address{}) {
		tx.Nonce = w.nonces[tx.Actor]
		w.nonces[tx.Actor]++
	}
	height := len(w.blocks) - 1
	tx.Time = firstTime + 1000*int64(height) + w.later - w.back
	w.house.post(tx, height, w.change)
	w.change = nil
	if transcript != "" {
		w.transcripts = append(w.transcripts, transcript)
	}
	w.count++
}

// seal writes the open block and opens the next one. order, which may be nil, changes its transcripts.
func (w *gameWriter) seal(order func([]string) []string) {
	w.passed = append(w.passed, w.later)
	w.house.seal()
	b := w.blocks[len(w.blocks)-1]
	w.body.WriteString(b.header + "\n")
	for _, tx := range b.txs {
		w.body.WriteString(tx.raw + "\n")
	}
	if order != nil {
		w.transcripts = order(w.transcripts)
	}
	for _, t := range w.transcripts {
		w.body.WriteString(t + "\n")
	}
	w.transcripts = nil
	w.blocks = append(w.blocks, &block{})
}

// export returns the whole export.
func (w *gameWriter) export() string {
	w.blocks = w.blocks[:len(w.blocks)-1] // the open one
	note := sign(w.head(), w.name, w.key)
	lines := make([]string, len(w.cosigners))
	for i, who := range w.cosigners {
		lines[i] = who.cosign(w.head(), w.newest())
	}
	note += strings.Join(lines, "")
	checkpoint, err := json.Marshal(note)
	if err != nil {
		panic(fmt.Sprintf("gen: %v", err))
	}
	return fmt.Sprintf(`{"blocks":%d,"format":"roshambo/chain-export/v1","transactions":%d,"verifier_key":"%s"}`+"\n",
		len(w.blocks), w.count, verifierKey(w.name, w.key)) + w.body.String() +
		`{"checkpoint":` + string(checkpoint) + "}\n"
}

// run posts a run and counts it.
func (w *gameWriter) run(r *scriptRun, record *games.Record) { w.open(r)(record) }

// open posts the start of a run. The function that it returns posts the end and counts the run.
func (w *gameWriter) open(r *scriptRun) func(record *games.Record) {
	account, n := addressOf(r.player), w.started[r.player]
	w.started[r.player]++
	seeds, id := w.seeds(r.player, n), cmp.Or(r.id, fmt.Sprintf("run-%s-%d", r.player, n))
	start := r.start(account, id, seeds.Commitment())
	start.Data.(*chain.RunStart).NextCommitment = chain.Hash(w.seeds(r.player, n+1).Commitment())
	if r.entry == chain.EntryBurn {
		start.Transfers[0].TokenID = cmp.Or(r.burnt, w.tokens)
	}
	w.post(start, "")
	return func(record *games.Record) { w.close(r, id, seeds, record) }
}

// close posts the end of a run and counts the run.
func (w *gameWriter) close(r *scriptRun, id string, seeds *fair.Chain, record *games.Record) {
	account, drawn := addressOf(r.player), seeds
	if r.seeds != nil {
		drawn = r.seeds()
	}
	throws := r.play(drawn)
	if r.throws != nil {
		throws = r.throws(throws)
	}
	raw := transcript(throws)
	if r.raw != nil {
		raw = r.raw(raw)
	}
	tx := r.finish(account, id, throws, raw)
	e := tx.Data.(*chain.RunEnd)
	if r.ended != nil {
		r.ended(e)
	}
	if e.Status == chain.RunClaimed {
		w.tokens++
		tx.Transfers[0].TokenID, tx.Transfers[0].Tier = w.tokens, e.Cleared
	}
	w.post(tx, raw)
	r.count(throws, record)
}

// count counts an honest run in the record, by its plan.
func (r *scriptRun) count(throws []chain.Throw, record *games.Record) {
	record.Runs++
	wins := int64(strings.Count(r.plan, "w"))
	record.Throws += int64(len(r.plan))
	record.Wins += wins
	record.Ties += int64(strings.Count(r.plan, "t"))
	record.Losses += int64(strings.Count(r.plan, "l"))
	worth := int64(0)
	switch r.end {
	case chain.RunClaimed:
		record.Claimed++
		worth = 48 << (r.firstTier + wins)
	case chain.RunLost:
		record.Lost++
	case chain.RunAbandoned:
		record.Abandoned++
	}
	switch r.entry {
	case chain.EntryFee:
		record.Staked += 50
		record.Won += worth
	case chain.EntryBurn:
		record.Staked += 48 << r.firstTier
		record.Won += worth
	default:
		record.Given += worth
	}
	for _, t := range throws {
		record.House[t.House]++
		record.Players[t.Move]++
	}
}

// settleIn posts the stakes of the duel between Ann and Bob, b's first, and its settlement.
func (d *duel) settleIn(w *gameWriter, id string) {
	doc := chain.DuelTranscript{A: addressOf("ann"), B: addressOf("bob"), DuelID: id, Stake: d.stake}
	for i := 0; i+1 < len(d.rounds); i += 2 {
		doc.Rounds = append(doc.Rounds, round("chain/"+id, i/2+1, d.rounds[i:i+2]))
	}
	if d.editRounds != nil {
		d.editRounds(doc.Rounds)
	}
	switch wins, _ := count(doc.Rounds); {
	case wins.A == 3:
		doc.Winner = game.A
	case wins.B == 3:
		doc.Winner = game.B
	}
	if d.outcome != nil {
		d.outcome(&doc)
	}
	raw, escrow := string(doc.Raw()), chain.Escrow(id)
	tx := &chain.Tx{}
	for _, side := range []chain.Address{doc.B, doc.A} {
		if d.stake > 0 {
			w.post(&chain.Tx{Actor: side, Data: &chain.DuelStake{DuelID: id},
				Transfers: []chain.Transfer{{From: side, To: escrow, Amount: d.stake}}}, "")
			tx.Transfers = []chain.Transfer{{From: escrow, To: doc.A, Amount: 2 * d.stake}} // a wins
		}
	}
	tx.Data = &chain.DuelSettle{A: doc.A, B: doc.B, DuelID: id, Rated: d.rated,
		TranscriptHash: chain.HashTranscript([]byte(raw)), Winner: strings.TrimPrefix(doc.Winner.String(), "none"),
	}
	w.post(tx, raw)
}

// exactAudit returns the figures of a record. It computes the intervals from the binomial distribution
// itself, with 400 bits, independently of the verifiers' continued fraction.
func exactAudit(r games.Record) *games.Audit {
	a := &games.Audit{Record: r}
	back := r.Won * 1_000_000 / r.Staked
	a.PaidBack = &back
	add := func(what string, count, of int64) {
		low, high := exactInterval(count, of)
		a.Shares = append(a.Shares, games.Share{What: what, Count: count, Of: of, Low: low, High: high})
	}
	hands := []string{"rock", "paper", "scissors"}
	for i, hand := range hands {
		add("house "+hand, r.House[i], r.Throws)
	}
	add("wins", r.Wins, r.Throws)
	add("ties", r.Ties, r.Throws)
	add("losses", r.Losses, r.Throws)
	for i, hand := range hands {
		add("players "+hand, r.Players[i], r.Throws)
	}
	add("runs claimed", r.Claimed, r.Runs)
	if v := r.Voided; v > 0 {
		add("wins, void won", r.Wins+v, r.Throws+v)
		add("wins, void lost", r.Wins, r.Throws+v)
		add("ties, void won", r.Ties, r.Throws+v)
		add("ties, void lost", r.Ties, r.Throws+v)
		add("losses, void won", r.Losses, r.Throws+v)
		add("losses, void lost", r.Losses+v, r.Throws+v)
		add("runs claimed, void won", r.Claimed+v, r.Runs+v)
		add("runs claimed, void lost", r.Claimed, r.Runs+v)
	}
	for what, counts := range map[string][3]int64{"hands of the house": r.House, "outcomes": {r.Wins, r.Ties, r.Losses}} {
		squares := counts[0]*counts[0] + counts[1]*counts[1] + counts[2]*counts[2]
		n := r.Throws
		chi := float64(3*squares-n*n) / float64(n)
		a.Tests = append(a.Tests, games.Test{What: what, ChiSquare: 1000 * (3*squares - n*n) / n,
			P: int64(math.Exp(-chi/2) * 1e6)})
	}
	if a.Tests[0].What == "outcomes" { // the order of a map is random
		a.Tests[0], a.Tests[1] = a.Tests[1], a.Tests[0]
	}
	return a
}

// exactInterval returns the Clopper-Pearson interval at 99 % in parts per million, rounded outwards: the
// largest and the smallest whole numbers of parts at which a tail of the binomial distribution is at
// most half a percent.
func exactInterval(k, n int64) (low, high int64) {
	// The tails rise and fall with the probability, so the bounds are found by bisection.
	search := func(holds func(ppm int64) bool) int64 {
		from, to := int64(0), int64(1_000_000)
		for from < to {
			if middle := (from + to + 1) / 2; holds(middle) {
				from = middle
			} else {
				to = middle - 1
			}
		}
		return from
	}
	half := big.NewRat(5, 1000)
	if k > 0 { // P(X >= k) <= 0.005
		low = search(func(ppm int64) bool { return tail(k, n, n, ppm).Cmp(half) <= 0 })
	}
	high = 1_000_000
	if k < n { // P(X <= k) <= 0.005
		high = 1_000_000 - search(func(ppm int64) bool { return tail(0, k, n, 1_000_000-ppm).Cmp(half) <= 0 })
	}
	return low, high
}

// tail returns P(from <= X <= to) of a binomial distribution of n trials, exactly.
func tail(from, to, n, ppm int64) *big.Rat {
	sum, p, q := new(big.Int), big.NewInt(ppm), big.NewInt(1_000_000-ppm)
	for i := from; i <= to; i++ {
		term := new(big.Int).Binomial(n, i)
		term.Mul(term, new(big.Int).Exp(p, big.NewInt(i), nil))
		term.Mul(term, new(big.Int).Exp(q, big.NewInt(n-i), nil))
		sum.Add(sum, term)
	}
	return new(big.Rat).SetFrac(sum, new(big.Int).Exp(big.NewInt(1_000_000), big.NewInt(n), nil))
}

// intervalValues are counts of totals and their intervals.
func intervalValues() (v list) {
	for _, c := range [][2]int64{{0, 1}, {1, 2}, {0, 10}, {3, 10}, {10, 10}, {1, 100}, {33, 100}, {50, 100}, {99, 100},
		{70, 200}} {
		low, high := exactInterval(c[0], c[1])
		v = append(v, object{"count": c[0], "of": c[1], "low_ppm": low, "high_ppm": high})
	}
	return v
}
