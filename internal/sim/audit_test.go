package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/app"
	"roshambo/internal/store"
)

// check requires after a step that all derived data in the database is consistent.
func (s *sim) check() {
	if s.step%doctorEvery == 0 {
		s.doctor()
	}
	if s.step%auditEvery == 0 {
		s.auditChain()
	}
}

// Numbers of steps between the expensive checks.
const (
	doctorEvery = 2
	auditEvery  = 30
)

func (s *sim) doctor() {
	var out bytes.Buffer
	c := app.Config{Data: s.folder}
	s.engine(&c)
	// The clock that was furthest ahead may have dropped a board.
	now := func() time.Time { return time.UnixMilli(s.latest).UTC() }
	for began := time.Now(); ; {
		out.Reset()
		n, err := app.Doctor(s.ctx, app.Store{Data: c.Data, Database: c.Database}, now, &out)
		if n == 0 && err != nil && store.IsTransient(err) && time.Since(began) < waitTimeout {
			continue // the machine was too slow
		}
		if n > 0 || err != nil {
			s.fail("doctor: %d differences, %v:\n%s", n, err, out.String())
		}
		return
	}
}

// audit is an independent reader of the chain: it reads every block and keeps accounts by the rules
// of docs/protocol.md, without any code of the service.
type audit struct {
	height   int64 // of the last block read
	raws     [][]byte
	balances map[string]int64
	nonces   map[string]int64
	tokens   map[int64]string
	minted   map[int64]bool
	once     map[string]bool // keys of events that may happen once
	hashes   map[string]bool
	created  int64
	gone     int64 // destroyed coins
	escrows  map[string]string
	settled  map[string]bool
	runs     []string                    // started runs
	closed   map[int64]string            // by cup: the hash of its table
	voids    map[string]bool             // declared void and not restored, by game
	ends     map[string]runEnd           // by run
	done     map[string]map[string]int64 // by address: counts, by the achievement that counts them
}

func newAudit() *audit {
	return &audit{
		height: -1, balances: map[string]int64{}, nonces: map[string]int64{}, tokens: map[int64]string{},
		minted: map[int64]bool{},
		once:   map[string]bool{}, hashes: map[string]bool{}, escrows: map[string]string{}, settled: map[string]bool{},
		voids: map[string]bool{},
		done:  map[string]map[string]int64{}, closed: map[int64]string{}, ends: map[string]runEnd{},
	}
}

// txView is a transaction as in docs/protocol.md.
type txView struct {
	Kind      string
	Actor     *string
	Nonce     int64
	Transfers []struct {
		Asset    string
		From, To *string
		Amount   int64
		TokenID  int64 `json:"token_id"`
	}
	Data struct {
		RunID     string `json:"run_id"`
		DuelID    string `json:"duel_id"`
		ListingID int64  `json:"listing_id"`
		OfferID   int64  `json:"offer_id"`
		Commit    string `json:"commitment"`
		Status    string
		Cup       int64
		TableHash string `json:"table_hash"`
		Game      string
		Season    int64
	}
}

// add applies a transaction.
func (a *audit) add(raw []byte) error {
	var tx txView
	if err := json.Unmarshal(raw, &tx); err != nil {
		return err
	}
	if tx.Actor != nil {
		if a.nonces[*tx.Actor] != tx.Nonce {
			return fmt.Errorf("nonce %d, want %d", tx.Nonce, a.nonces[*tx.Actor])
		}
		a.nonces[*tx.Actor]++
	}
	for _, id := range a.onceOnly(&tx) {
		if a.once[id] {
			return fmt.Errorf("%s a second time", id)
		}
		a.once[id] = true
	}
	for _, t := range tx.Transfers {
		if t.Asset == "coin" {
			if err := a.move(t.From, t.To, t.Amount); err != nil {
				return err
			}
			continue
		}
		from := ""
		if t.From != nil {
			from = *t.From
		}
		if a.tokens[t.TokenID] != from || from == "" && a.minted[t.TokenID] {
			return fmt.Errorf("token %d from %q, its owner is %q", t.TokenID, from, a.tokens[t.TokenID])
		}
		a.minted[t.TokenID] = true
		delete(a.tokens, t.TokenID)
		if t.To != nil {
			a.tokens[t.TokenID] = *t.To
		}
	}
	switch tx.Kind {
	case "duel.stake":
		a.escrows[tx.Data.DuelID] = *tx.Transfers[0].To
	case "run.start":
		a.runs = append(a.runs, tx.Data.RunID)
	case "cup.close":
		a.closed[tx.Data.Cup] = tx.Data.TableHash
	case "result.void":
		a.voids[tx.Data.Game] = true
	case "result.restore":
		if !a.voids[tx.Data.Game] {
			return fmt.Errorf("%s is restored, and was not void", tx.Data.Game)
		}
		delete(a.voids, tx.Data.Game)
	case "duel.settle":
		a.settled[tx.Data.DuelID] = true
	}
	a.count(&tx)
	return nil
}

// onceOnly returns the keys of a transaction's events that may happen once.
func (a *audit) onceOnly(tx *txView) []string {
	switch tx.Kind {
	case "run.start":
		return []string{"start " + tx.Data.RunID, "use " + tx.Data.Commit}
	case "run.end":
		return []string{"end " + tx.Data.RunID}
	case "duel.stake":
		return []string{"stake " + tx.Data.DuelID + " " + *tx.Actor}
	case "duel.settle":
		return []string{"settle " + tx.Data.DuelID}
	case "market.sale":
		return []string{fmt.Sprint("sale ", tx.Data.ListingID)}
	case "buyback":
		return []string{fmt.Sprint("buyback ", tx.Data.OfferID)}
	case "cup.close":
		return []string{fmt.Sprint("close ", tx.Data.Cup)}
	case "result.void":
		return []string{"void " + tx.Data.Game}
	case "result.restore":
		return []string{"restore " + tx.Data.Game}
	case "genesis":
		return []string{"genesis"}
	}
	return nil
}

func (a *audit) move(from, to *string, amount int64) error {
	if from == nil {
		a.created += amount
	} else if a.balances[*from] -= amount; a.balances[*from] < 0 {
		return fmt.Errorf("%s has %d", *from, a.balances[*from])
	}
	if to == nil {
		a.gone += amount
	} else {
		a.balances[*to] += amount
	}
	return nil
}

// head returns the newest block once no transaction is pending.
func (s *sim) head() (height int64, key string) {
	type head struct {
		Height, Pending int64
		VerifierKey     string `json:"verifier_key"`
	}
	for began := time.Now(); time.Since(began) < waitTimeout; {
		h := decode[struct{ Head head }](s, s.ask(get(nil, "read", "/api/chain/head"))).Head
		if h.Pending == 0 {
			return h.Height, h.VerifierKey
		}
		<-time.After(10 * time.Millisecond)
		// After a clock has gone back, the transactions are dated ahead of it: no block is made before their time.
		for _, n := range s.nodes {
			s.latest = max(s.latest, n.now.Add(20))
		}
	}
	s.fail("transactions wait for a block, and none comes")
	return -1, ""
}

// auditChain reads the new blocks, and compares their result with the balances and tokens that the
// service reports. It repeats the comparison when background loops have changed the state in
// between, such as by ending abandoned runs.
func (s *sim) auditChain() {
	// Apply all passed deadlines on every node, also for duels that a list has shown as finished: a
	// list computes the current state without storing it.
	for _, m := range s.matches {
		for i := range s.nodes {
			if d := get(nil, "look", "/api/duels/"+m.ID); !m.over() || m.settles() && !s.audit.settled[m.ID] {
				d.duel.match = m
				if c := s.send(s.ctx, delivery{node: i}, d.request, nil, d); c != nil && c.ok() {
					s.addDuel(decode[struct{ Duel duelView }](s, c).Duel)
				}
			}
		}
	}
	var problems []string
	for deadline := time.Now().Add(waitTimeout); time.Now().Before(deadline); {
		height, key := s.head()
		s.readBlocks(height)
		s.checkNotes(key)
		if problems = s.compare(); len(problems) == 0 || s.failed() {
			break
		}
	}
	for _, p := range problems {
		s.fail("%s", p)
	}
	verified := decode[struct{ Valid bool }](s, s.ask(get(nil, "read", "/api/chain/verify")))
	if !verified.Valid {
		s.fail("the chain is not valid")
	}
}

func (s *sim) readBlocks(height int64) {
	a := s.audit
	for a.height < height && !s.failed() {
		a.height++
		c := s.ask(get(nil, "read", fmt.Sprintf("/api/chain/blocks/%d", a.height)))
		out := decode[struct {
			Block struct {
				Raw          string
				Transactions []struct{ Hash, Raw string }
			}
		}](s, c)
		a.raws = append(a.raws, []byte(out.Block.Raw))
		for _, tx := range out.Block.Transactions {
			sum := sha256.Sum256([]byte("roshambo/tx/v1\n" + tx.Raw))
			if hex.EncodeToString(sum[:]) != tx.Hash || a.hashes[tx.Hash] {
				s.fail("block %d: transaction %s is not what it is called, or was there before", a.height, tx.Hash)
			}
			a.hashes[tx.Hash] = true
			if err := a.add([]byte(tx.Raw)); err != nil {
				s.fail("block %d: %s: %v", a.height, tx.Raw, err)
			}
		}
	}
}

// compare compares all balances and tokens, and all answered transactions, with the chain.
func (s *sim) compare() (problems []string) {
	differ := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	a := s.audit
	sum := int64(0)
	for _, n := range a.balances {
		sum += n
	}
	if sum != a.created-a.gone {
		differ("%d coins were created, %d destroyed, and there are %d", a.created, a.gone, sum)
	}
	for _, p := range s.players {
		s.readPlayer(p)
		if p.balance != a.balances[p.address] {
			differ("%s has %d coins, and %d by the chain", p.label, p.balance, a.balances[p.address])
		}
		own := 0
		for _, owner := range a.tokens {
			if owner == p.address {
				own++
			}
		}
		for _, id := range p.tokens {
			if a.tokens[id] != p.address {
				differ("%s has token %d, which is %q's by the chain", p.label, id, a.tokens[id])
			}
		}
		if own != len(p.tokens) {
			differ("%s has %d tokens, and %d by the chain", p.label, len(p.tokens), own)
		}
	}
	for _, m := range s.matches {
		escrow := a.balances[a.escrows[m.ID]]
		want := map[string]int64{"open": m.Stake, "active": 2 * m.Stake}[m.Status]
		if m.Stake > 0 && escrow != want || a.settled[m.ID] != m.settles() {
			differ("duel %s, %s, of %d coins has %d in its escrow, settled %v", m.ID, m.Status, m.Stake, escrow, a.settled[m.ID])
		}
	}
	problems = append(problems, s.compareCups()...)
	problems = append(problems, s.compareVoids()...)
	for hash, c := range s.heardHash {
		if !a.hashes[hash] {
			differ("transaction %s was answered and is not on the chain: %v", hash, c)
		}
	}
	return problems
}

// checkNotes checks every returned checkpoint against the blocks.
func (s *sim) checkNotes(key string) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		s.fail("verifier key %q: %v", key, err)
		return
	}
	var hashes hashList
	roots := map[int64]tlog.Hash{}
	for i, raw := range s.audit.raws {
		more, err := tlog.StoredHashes(int64(i), raw, hashes)
		if err == nil {
			hashes = append(hashes, more...)
			roots[int64(i+1)], err = tlog.TreeHash(int64(i+1), hashes)
		}
		if err != nil {
			s.fail("hashes of the log: %v", err)
		}
	}
	for text, c := range s.notes {
		signed, err := note.Open([]byte(text), note.VerifierList(verifier))
		if err != nil {
			s.fail("checkpoint %q of %v: %v", text, c, err)
			continue
		}
		lines := strings.Split(signed.Text, "\n")
		size, errSize := strconv.ParseInt(lines[1], 10, 64)
		hash, errHash := base64.StdEncoding.DecodeString(lines[2])
		if root := roots[size]; errSize != nil || errHash != nil || !bytes.Equal(hash, root[:]) {
			s.fail("checkpoint %q of %v is of another log", text, c)
		}
	}
}

// hashList is the hashes of a log in memory.
type hashList []tlog.Hash

// ReadHashes implements tlog.HashReader.
func (l hashList) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		list[i] = l[at]
	}
	return list, nil
}
