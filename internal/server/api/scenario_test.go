package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/run"
	"roshambo/verify"
)

// start starts a run with a body of StartRunIn.
func (p *player) start(t *testing.T, body string) api.Run {
	t.Helper()
	return decode[api.StartRunOut](t, p.post(t, "/api/runs", body).ok(t)).Run
}

// throw throws with a wanted outcome as soon as a throw is accepted.
func (p *player) throw(t *testing.T, r api.Run, want game.Outcome) api.ThrowOut {
	t.Helper()
	p.s.clock.forward(run.ThrowInterval)
	move := p.s.seeds.move(r, "", want)
	out := decode[api.ThrowOut](t, p.post(t, "/api/runs/"+r.ID+"/throw", `{"move":"`+move+`"}`).ok(t))
	if out.Outcome != want.String() {
		t.Fatalf("throw %d: %s, want %v: the house did not keep to its commitment", out.Throw.N, out.Outcome, want)
	}
	return out
}

// play throws with the given outcomes, continuing after all wins but the last.
func (p *player) play(t *testing.T, r api.Run, outcomes ...game.Outcome) api.Run {
	t.Helper()
	for _, want := range outcomes {
		if r.Status == "deciding" {
			r = decode[api.RunOut](t, p.post(t, "/api/runs/"+r.ID+"/continue", "").ok(t)).Run
		}
		r = p.throw(t, r, want).Run
	}
	return r
}

func (p *player) me(t *testing.T) api.MeOut {
	t.Helper()
	return decode[api.MeOut](t, p.get(t, "/api/me").ok(t))
}

// TestRunFromGuestToProof follows a guest through the first minutes. Every answer is
// checked against the contract.
func TestRunFromGuestToProof(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)

	me := p.me(t)
	if me.Balance != 1000 || me.Account.Kind != "guest" || me.ActiveRun != nil || me.NextCommitment.Height != nil {
		t.Fatalf("a new guest is %+v", me)
	}
	if me.CSRFToken == nil || *me.CSRFToken != p.csrf {
		t.Error("GET /api/me returns another CSRF token than POST /api/guest")
	}
	s.seal(t)
	if me = p.me(t); me.NextCommitment.Height == nil {
		t.Error("the commitment is in no block after sealing")
	}

	r := p.start(t, `{"client_seed":"größer als null 🎲"}`)
	if r.Commitment != me.NextCommitment.Commitment || r.CommitTx != me.NextCommitment.TxHash {
		t.Errorf("the run uses commitment %s of %s, published was %+v", r.Commitment, r.CommitTx, me.NextCommitment)
	}
	if r.Entry != "free" || r.Status != "active" || r.NextThrowAt == nil || len(r.Throws) != 0 {
		t.Errorf("a new run is %+v", r)
	}
	p.tieTooFastWinAndContinue(t, r)
	won := p.winAndClaim(t, r.ID)
	p.proofVerifies(t, r.ID, "note", "claimed")
	s.seal(t)
	p.proofVerifies(t, r.ID, "pass", "claimed")
	p.explore(t, won)
	p.burnAndLose(t, won)
	p.chainIsValid(t)
}

func (p *player) tieTooFastWinAndContinue(t *testing.T, r api.Run) {
	t.Helper()
	tie := p.throw(t, r, game.Tie)
	if tie.Run.Status != "active" || tie.Run.Cleared != 0 || tie.Throw.N != 1 || tie.Throw.NextThrowAt == nil ||
		tie.TxHash != nil {
		t.Errorf("after a tie: %+v", tie)
	}
	hurried := p.post(t, "/api/runs/"+r.ID+"/throw", `{"move":"r"}`)
	e := hurried.fails(t, 429, "too_fast")
	if e.RetryAfterMS != 250 || hurried.header.Get("Retry-After") != "1" {
		t.Errorf("too fast: retry after %d ms and %s s, want 250 and 1", e.RetryAfterMS, hurried.header.Get("Retry-After"))
	}
	if got := decode[api.RunOut](t, p.get(t, "/api/runs/"+r.ID).ok(t)).Run; len(got.Throws) != 1 {
		t.Errorf("the hurried throw counted: %+v", got.Throws)
	}
	win := p.throw(t, tie.Run, game.Win)
	if win.Run.Status != "deciding" || win.Run.ClaimableTier == nil || win.Run.ClaimableTier.Material != "Clay" ||
		win.Throw.NextThrowAt != nil {
		t.Errorf("after a win: %+v", win)
	}
	if active := decode[api.ActiveRunOut](t, p.get(t, "/api/runs/active").ok(t)).Run; active == nil ||
		active.Status != "deciding" {
		t.Errorf("the active run is %+v", active)
	}
	p.post(t, "/api/runs/"+r.ID+"/throw", `{"move":"rock"}`).fails(t, 409, "run_state")
	on := decode[api.RunOut](t, p.post(t, "/api/runs/"+r.ID+"/continue", `{}`).ok(t)).Run
	if on.Status != "active" || on.ClaimableTier != nil || on.Cleared != 1 {
		t.Errorf("after continue: %+v", on)
	}
}

func (p *player) winAndClaim(t *testing.T, id string) api.ClaimOut {
	t.Helper()
	r := decode[api.RunOut](t, p.get(t, "/api/runs/"+id).ok(t)).Run
	p.post(t, "/api/runs/"+id+"/claim", "").fails(t, 409, "run_state")
	p.throw(t, r, game.Win)
	out := decode[api.ClaimOut](t, p.post(t, "/api/runs/"+id+"/claim", "{}").ok(t))
	if out.Run.Status != "claimed" || out.Token.Tier != 2 || out.Token.Material != "Wood" || out.Token.Value != 192 ||
		out.Run.TokenID == nil ||
		*out.Run.TokenID != out.Token.TokenID || out.Run.EndTx == nil || *out.Run.EndTx != out.TxHash {
		t.Errorf("claimed: %+v", out)
	}
	if out.Run.ClaimableTier == nil || out.Run.ClaimableTier.Material != "Wood" {
		t.Errorf("a claimed run names the tier %+v, want Wood", out.Run.ClaimableTier)
	}
	p.post(t, "/api/runs/"+id+"/claim", "").fails(t, 409, "already_claimed")
	p.post(t, "/api/runs/"+id+"/abandon", "").fails(t, 409, "run_state")
	return out
}

// proofVerifies runs the verifier on the proof; inclusion is its expected statement on the position
// in the chain.
func (p *player) proofVerifies(t *testing.T, id, inclusion, status string) {
	t.Helper()
	proof := p.s.anonymous(t).get(t, "/api/runs/"+id+"/proof").ok(t)
	want := verify.Valid
	if inclusion == "note" {
		want = verify.Pending
	}
	if pinned := verify.Run([]byte(proof.body), verify.Options{Key: &p.s.key}); pinned.Valid != (want == verify.Valid) {
		t.Errorf("with the key, want %s: %+v", want, pinned)
	}
	report := verify.Run([]byte(proof.body), verify.Options{})
	if report.Verdict != want || proof.header.Get("Cache-Control") != "no-store" {
		t.Errorf("proof of a %s run: %+v\n%s", status, report, proof.body)
	}
	for _, c := range report.Checks {
		if c.ID == "inclusion" && string(c.Result) != inclusion {
			t.Errorf("inclusion is a %s, want %s: %s", c.Result, inclusion, c.Text)
		}
	}
	if got := decode[api.RunProof](t, proof).Status; got != status {
		t.Errorf("the proof says %s, want %s", got, status)
	}
}

// explore follows the token through the explorer, without a session.
func (p *player) explore(t *testing.T, won api.ClaimOut) {
	t.Helper()
	visitor := p.s.anonymous(t)
	tx := decode[api.TxOut](t, visitor.get(t, "/api/chain/tx/"+won.TxHash).ok(t)).Transaction
	if tx.Status != "sealed" || tx.Kind != "run.end" || tx.Height == nil || !strings.Contains(tx.Summary,
		"claimed wood after 3 throws") {
		t.Fatalf("the claim's transaction is %+v", tx)
	}
	block := decode[api.BlockOut](t, visitor.get(t, fmt.Sprintf("/api/chain/blocks/%d", *tx.Height)).ok(t)).Block
	if !slices.ContainsFunc(block.Transactions, func(b api.Transaction) bool { return b.Hash == tx.Hash }) {
		t.Errorf("block %d does not hold %s", block.Height, tx.Hash)
	}
	token := decode[api.TokenOut](t, visitor.get(t, fmt.Sprintf("/api/chain/token/%d", won.Token.TokenID)).ok(t)).Token
	if token.Owner == nil || *token.Owner != p.address || token.RunID == nil || *token.RunID != won.Run.ID ||
		len(token.Transactions) != 1 {
		t.Errorf("the token is %+v", token)
	}
	wallet := decode[api.AddressOut](t, visitor.get(t, "/api/chain/address/"+p.address).ok(t))
	if len(wallet.Address.Tokens) != 1 || wallet.Address.Balance != 1000 || wallet.Address.Nonce != 3 ||
		len(wallet.Transactions) != 3 {
		t.Errorf("the wallet is %+v", wallet)
	}
	name := decode[api.MeOut](t, p.get(t, "/api/me").ok(t)).Account.Username
	for q, kind := range map[string]string{
		won.TxHash[:6]: "transaction", won.TxHash[:17]: "transaction", block.Hash[:6]: "block", won.TxHash[:5]: "",
		p.address[:8]: "address", p.address[:40]: "address", p.address[:7]: "", name: "address",
		strings.ToUpper(name[:5]): "address", name + "x": "",
		won.TxHash: "transaction", strings.ToUpper(block.Hash): "block", " " + p.address + " ": "address", "#0": "block",
		fmt.Sprint(won.Token.TokenID): "token", "nothing of the kind": "",
	} {
		hits := decode[api.SearchOut](t, visitor.get(t, "/api/chain/search?q="+escape(q)).ok(t)).Results
		if found := slices.ContainsFunc(hits, func(h api.Hit) bool { return h.Kind == kind }); found != (kind != "") {
			t.Errorf("search for %q: %+v, want a %q", q, hits, kind)
		}
	}
	if head := decode[api.HeadOut](t, visitor.get(t, "/api/chain/head").ok(t)).Head; head.Height != block.Height ||
		head.VerifierKey != p.s.key {
		t.Errorf("the head is %+v, want height %d", head, block.Height)
	}
}

// burnAndLose risks the token for double or nothing, and loses it.
func (p *player) burnAndLose(t *testing.T, won api.ClaimOut) {
	t.Helper()
	r := p.start(t, fmt.Sprintf(`{"entry":"burn","token_id":%d}`, won.Token.TokenID))
	if r.Entry != "burn" || r.FirstTier != 2 || r.Cleared != 2 {
		t.Errorf("a run on a token is %+v", r)
	}
	lost := p.throw(t, r, game.Loss)
	if lost.Run.Status != "lost" || lost.TxHash == nil || lost.Run.EndedAt == nil || lost.Run.ClaimableTier != nil {
		t.Errorf("after a loss: %+v", lost)
	}
	p.s.seal(t)
	p.proofVerifies(t, r.ID, "pass", "lost")
	token := decode[api.TokenOut](t, p.get(t, fmt.Sprintf("/api/chain/token/%d", won.Token.TokenID)).ok(t)).Token
	if !token.Burnt || token.Owner != nil || len(token.Transactions) != 2 {
		t.Errorf("the burnt token is %+v", token)
	}
	p.post(t, "/api/runs", `{"entry":"burn"}`).fails(t, 409, "no_token")
	p.post(t, "/api/runs", fmt.Sprintf(`{"entry":"burn","token_id":%d}`, won.Token.TokenID)).fails(t, 409, "not_owner")
}

func (p *player) chainIsValid(t *testing.T) {
	t.Helper()
	out := decode[api.VerifyOut](t, p.s.anonymous(t).get(t, "/api/chain/verify").ok(t))
	if !out.Valid || len(out.Problems) > 0 || out.Transactions == 0 {
		t.Errorf("the chain is %+v", out)
	}
}

func TestTheTopTierClaimsByItself(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, ""), game.Win, game.Win, game.Tie, game.Win)
	if r.Status != "claimed" || r.TokenID == nil || r.ClaimableTier.Material != "Stone" || r.EndTx == nil {
		t.Fatalf("at the top: %+v", r)
	}
	p.proofVerifies(t, r.ID, "note", "claimed")
	p.post(t, "/api/runs/"+r.ID+"/claim", "").fails(t, 409, "already_claimed")
	p.post(t, "/api/runs", fmt.Sprintf(`{"entry":"burn","token_id":%d}`, *r.TokenID)).fails(t, 409, "no_token")
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, ""), game.Win)
	out := decode[api.AbandonOut](t, p.post(t, "/api/runs/"+r.ID+"/abandon", "{}").ok(t))
	if out.Run.Status != "abandoned" || out.Run.TokenID != nil || *out.Run.EndTx != out.TxHash {
		t.Errorf("abandoned: %+v", out)
	}
	s.seal(t)
	p.proofVerifies(t, r.ID, "pass", "abandoned")
	p.chainIsValid(t)
}

// TestEntries uses up every way to start a run within a day, up to the next day.
func TestEntries(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	end := func(body, entry string) {
		t.Helper()
		r := p.start(t, body)
		if r.Entry != entry {
			t.Errorf("%s: entry %s, want %s", body, r.Entry, entry)
		}
		p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
	}
	end(`{"entry":"daily"}`, "daily")
	end(`{"entry":"free"}`, "free")
	end(`{"entry":"auto"}`, "free")
	end(`{}`, "free")
	p.post(t, "/api/runs", `{"entry":"free"}`).fails(t, 409, "limit_reached")
	p.post(t, "/api/runs", `{"entry":"daily"}`).fails(t, 409, "limit_reached")
	for range 20 { // 50 of 1000 coins each
		end(`{"entry":"auto","client_seed":null}`, "fee")
	}
	e := p.post(t, "/api/runs", `{"entry":"fee"}`).fails(t, 409, "insufficient_funds")
	if e.Balance == nil || *e.Balance != 0 || e.Needed != 50 {
		t.Errorf("insufficient funds: balance %v, needed %d, want 0 and 50", e.Balance, e.Needed)
	}
	p.post(t, "/api/runs", "").fails(t, 409, "insufficient_funds")
	if options := p.me(t).EntryOptions; len(options) != 4 {
		t.Errorf("%d ways to start a run, want 4", len(options))
	}
	for _, o := range p.me(t).EntryOptions {
		if o.Available || o.Reason == nil {
			t.Errorf("entry %s is available, or not without a reason: %+v", o.Entry, o)
		}
	}
	s.clock.forward(12 * time.Hour) // midnight
	end("", "free")
}

func TestFaucet(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	p.post(t, "/api/faucet", "").fails(t, 409, "balance_too_high")
	for range 11 {
		r := p.start(t, `{"entry":"fee"}`)
		p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
	}
	if f := p.me(t).Faucet; !f.Available || f.Amount != 200 || f.Below != 500 {
		t.Errorf("with 450 coins the faucet is %+v", f)
	}
	out := decode[api.FaucetOut](t, p.post(t, "/api/faucet", "{}").ok(t))
	if out.Balance != 650 || out.Amount != 200 || !out.NextAt.Equal(midday.Add(4*time.Hour)) {
		t.Errorf("the faucet gave %+v", out)
	}
	early := p.post(t, "/api/faucet", "").fails(t, 409, "faucet_not_ready")
	if early.RetryAfterMS != (4*time.Hour).Milliseconds() || early.NextAt != "2026-11-20T16:00:00.000Z" {
		t.Errorf("too early: %+v", early)
	}
	s.clock.forward(4 * time.Hour)
	p.post(t, "/api/faucet", "").fails(t, 409, "balance_too_high")
	p.chainIsValid(t)
}

// TestPages reads lists page by page: no row is missing or repeated.
func TestPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	const runs = 7
	for range runs {
		r := p.start(t, `{"entry":"fee"}`)
		p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
		s.clock.forward(time.Millisecond)
		s.seal(t)
	}
	for path, want := range map[string]struct {
		list, id string
		n        int
	}{
		"/api/runs?limit=3":                             {"runs", "id", runs},
		"/api/runs?limit=7":                             {"runs", "id", runs},
		"/api/chain/blocks?limit=3":                     {"blocks", "hash", 1 + 2*runs/2},
		"/api/chain/blocks?limit=2&before=4":            {"blocks", "hash", 4},
		"/api/chain/address/" + p.address + "?limit=4":  {"transactions", "hash", 1 + 2*runs},
		"/api/chain/address/" + p.address + "?limit=15": {"transactions", "hash", 1 + 2*runs},
	} {
		got := p.all(t, path, want.list, want.id)
		if len(got) != want.n || len(slices.Compact(slices.Sorted(slices.Values(got)))) != want.n {
			t.Errorf("%s: %d rows %q, want %d different ones", path, len(got), got, want.n)
		}
	}
}

// all reads a list to its last page, which must not be empty, and returns the ids of its rows.
func (p *player) all(t *testing.T, path, list, id string) (ids []string) {
	t.Helper()
	for next := ""; ; {
		a := p.get(t, path+next).ok(t)
		var page map[string]any
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatal(err)
		}
		rows := page[list].([]any)
		if len(rows) == 0 {
			t.Errorf("%s: an empty page", path+next)
		}
		for _, row := range rows {
			ids = append(ids, row.(object)[id].(string))
		}
		if page["next"] == nil {
			return ids
		}
		next = "&cursor=" + page["next"].(string)
	}
}
