//go:build nightly

package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Loader fills a database with a long chain, some hundred times as fast as posting and sealing it,
// for measurements. It starts from a chain that has its genesis alone. It applies the same rules,
// but to a state in memory, and writes the same rows as Post and the sealer: an audit finds no
// difference.
//
// The database is unusable until Finish has returned nil. Do not call Post or Seal meanwhile.
type Loader struct {
	ledger  *Ledger
	rules   layout.RulesRow
	head    head
	tree    layout.Edge
	genesis []byte // header of block 0

	accounts map[chain.Address]*loadedAccount
	tokens   map[int64]*loadedToken
	games    map[string]*chain.Game
	index    []indexRow
	address  []addressRow
	token    []indexRow

	effects  chain.Effects
	txs      []pending       // of the current block
	activity layout.Activity // of it
	blocks   []newBlock      // not stored yet
	size     int             // bytes of their chunks
}

// loadedAccount is a row of ledger_account.
type loadedAccount struct {
	chain.Account
	commitmentTx chain.Hash // that published the outstanding commitment
}

// loadedToken is a row of ledger_token.
type loadedToken struct {
	chain.Token
	runID *string // in which it was won
}

// indexRow is a row of chain_index or chain_token.
type indexRow struct{ key, pos int64 }

// addressRow is a row of chain_address.
type addressRow struct {
	address chain.Address
	pos     int64
}

// NewLoader returns a Loader for a chain that has its genesis alone.
func (l *Ledger) NewLoader(ctx context.Context) (*Loader, error) {
	x := &Loader{
		ledger: l, rules: l.rules.Load().RulesRow,
		accounts: map[chain.Address]*loadedAccount{}, tokens: map[int64]*loadedToken{}, games: map[string]*chain.Game{},
	}
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if x.head, err = loadHead(ctx, tx); err != nil {
			return err
		}
		pending, err := q.New(tx).CountPending(ctx)
		if err != nil {
			return err
		}
		if x.head.height != 0 || pending != 0 {
			return errors.New("the chain has begun")
		}
		b, err := l.Block(ctx, tx, 0)
		x.genesis = b.Raw
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: load: %w", err)
	}
	x.tree.Add(x.genesis)
	return x, nil
}

// Account returns the state of an address after everything posted so far.
func (x *Loader) Account(a chain.Address) chain.Account {
	if known := x.accounts[a]; known != nil {
		return known.Account
	}
	return chain.Account{}
}

// Post applies a transaction with the actor's next nonce, and returns it raw. ms is its time in
// Unix milliseconds. After an error the Loader is unusable.
func (x *Loader) Post(d Draft, ms int64) ([]byte, error) {
	t := chain.Tx{Actor: d.Actor, Time: ms, Transfers: d.Transfers, Data: d.Data}
	if d.Actor != (chain.Address{}) {
		t.Nonce = x.Account(d.Actor).Nonce
	}
	if err := checkTranscript(d); err != nil {
		return nil, fmt.Errorf("ledger: load %s: %w", t.Kind(), err)
	}
	raw, err := x.post(&t, d.Transcript)
	if err != nil {
		return nil, fmt.Errorf("ledger: load %s: %w", t.Kind(), err)
	}
	return raw, nil
}

func (x *Loader) post(t *chain.Tx, transcript []byte) ([]byte, error) {
	if len(x.txs) == MaxBlock {
		return nil, errors.New("the block is full")
	}
	if err := x.rules.Now().AppendEffects(t, &x.effects); err != nil {
		return nil, err
	}
	x.effects.At(x.rules.Recovery)
	p := pending{raw: t.Raw(), tx: *t, transcript: transcript}
	p.hash = chain.HashTx(p.raw)
	if err := x.apply(t, p.hash); err != nil {
		return nil, err
	}
	x.rules.Apply(p.hash, t)
	pos := x.head.nextPos + int64(len(x.txs))
	x.index = append(x.index, indexRow{layout.Prefix(p.hash), pos})
	for _, a := range t.Addresses() {
		x.address = append(x.address, addressRow{a, pos})
	}
	for _, id := range t.TokenIDs() {
		x.token = append(x.token, indexRow{id, pos})
	}
	x.activity.Add(t)
	x.txs = append(x.txs, p)
	return p.raw, nil
}

// apply applies the effects of a transaction with its hash to the state in memory.
func (x *Loader) apply(tx *chain.Tx, hash chain.Hash) error {
	for i := range x.effects.Accounts {
		e := &x.effects.Accounts[i]
		a := entity(x.accounts, e.Address)
		if err := a.Apply(e); err != nil {
			return fmt.Errorf("account %v: %w", e.Address, err)
		}
		if e.Publish != (chain.Hash{}) {
			a.commitmentTx = hash
		}
	}
	for i := range x.effects.Tokens {
		e := &x.effects.Tokens[i]
		t := entity(x.tokens, e.ID)
		if err := t.Apply(e); err != nil {
			return fmt.Errorf("token %d: %w", e.ID, err)
		}
		if e.From == (chain.Address{}) {
			t.runID = wonIn(tx.Data)
		}
	}
	for i := range x.effects.Games {
		e := &x.effects.Games[i]
		if err := entity(x.games, e.ID).Apply(e); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

// entity returns the value of a key, and adds a zero value when there is none.
func entity[K comparable, V any](all map[K]*V, key K) *V {
	known := all[key]
	if known == nil {
		known = new(V)
		all[key] = known
	}
	return known
}

// loadBytes is roughly how many bytes of chunks one database transaction stores.
const loadBytes = 8 << 20

// Seal makes a block of the transactions posted since the last one. ms is its time in Unix
// milliseconds, not before the times of its transactions.
func (x *Loader) Seal(ctx context.Context, ms int64) error {
	hashes := make([]chain.Hash, len(x.txs))
	for i, p := range x.txs {
		hashes[i] = p.hash
	}
	b := newBlock{before: x.head, txs: x.txs, activity: x.activity, header: chain.Header{
		Height: x.head.height + 1, Prev: x.head.hash, MerkleRoot: chain.MerkleRoot(hashes),
		Time: max(ms, x.head.time), TxCount: int64(len(x.txs)),
	}}
	b.activity.Blocks = 1
	b.raw = b.header.Raw()
	b.hash = chain.HashBlock(b.raw)
	b.firstHash, b.hashes = x.tree.Add(b.raw)
	b.chunk()
	for _, c := range b.chunks {
		x.size += len(c[2].([]byte))
	}
	x.blocks = append(x.blocks, b)
	x.head = head{
		height: b.header.Height, hash: b.hash, time: b.header.Time, nextPos: x.head.nextPos + int64(len(x.txs)),
	}
	x.txs, x.activity = nil, layout.Activity{}
	if x.size < loadBytes {
		return nil
	}
	return x.store(ctx)
}

// store stores the blocks made so far.
func (x *Loader) store(ctx context.Context) error {
	err := x.ledger.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		for i := range x.blocks {
			b := &x.blocks[i]
			err := queries.InsertBlock(ctx, q.InsertBlockParams{
				Height: b.header.Height, Hash: b.hash[:], Header: b.raw, FirstPos: b.before.nextPos,
				TxCount: b.header.TxCount,
			})
			if err != nil {
				return err
			}
			if err := storeActivity(ctx, queries, b.activity, b.header.Time); err != nil {
				return err
			}
			if err := b.storeRows(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	x.blocks, x.size = nil, 0
	if err != nil {
		return fmt.Errorf("ledger: load: %w", err)
	}
	return nil
}

// Finish stores the state and the indexes, and signs the head.
func (x *Loader) Finish(ctx context.Context) error {
	if len(x.txs) > 0 {
		return errors.New("ledger: load: transactions outside any block")
	}
	if err := x.store(ctx); err != nil {
		return err
	}
	for _, table := range []func(context.Context) error{x.storeIndexes, x.storeState} {
		if err := table(ctx); err != nil {
			return fmt.Errorf("ledger: load: %w", err)
		}
	}
	text := layout.CheckpointText(x.ledger.signer.Name(), x.tree.Size(), x.tree.Root(), nil)
	signed, err := note.Sign(&note.Note{Text: text}, x.ledger.signer)
	if err != nil {
		return fmt.Errorf("ledger: load: sign the checkpoint: %w", err)
	}
	// The head comes last: a crash before it leaves a database without a valid chain.
	return x.ledger.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := q.New(tx).SwapHead(ctx, q.SwapHeadParams{
			Height: x.head.height, Hash: x.head.hash[:], Time: x.head.time, NextPos: x.head.nextPos,
			Note: string(signed), SeenHeight: 0, SeenHash: hashOf(x.genesis),
		})
		return OneRow(n, err)
	})
}

// hashOf returns the hash of a block by its raw header.
func hashOf(header []byte) []byte {
	hash := chain.HashBlock(header)
	return hash[:]
}

// storeIndexes stores the indexes in the order of their keys, so that every row is appended to its
// tree.
func (x *Loader) storeIndexes(ctx context.Context) error {
	byKey := func(a, b indexRow) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.pos, b.pos)) }
	slices.SortFunc(x.index, byKey)
	slices.SortFunc(x.token, byKey)
	slices.SortFunc(x.address, func(a, b addressRow) int {
		return cmp.Or(bytes.Compare(a.address[:], b.address[:]), cmp.Compare(a.pos, b.pos))
	})
	d := x.ledger.db
	pair := func(r indexRow) []any { return []any{r.key, r.pos} }
	return errors.Join(
		load(ctx, d, target{"chain_index", []string{"prefix", "pos"}}, x.index, pair),
		load(ctx, d, target{"chain_token", []string{"token_id", "pos"}}, x.token, pair),
		load(ctx, d, target{"chain_address", []string{"address", "pos"}}, x.address, func(r addressRow) []any {
			return []any{r.address[:], r.pos}
		}))
}

// storeState stores accounts, tokens and games.
func (x *Loader) storeState(ctx context.Context) error {
	d := x.ledger.db
	addresses := slices.SortedFunc(
		maps.Keys(x.accounts),
		func(a, b chain.Address) int { return bytes.Compare(a[:], b[:]) },
	)
	return errors.Join(
		load(
			ctx, d,
			target{"ledger_account", []string{"address", "kind", "balance", "bound", "nonce", "commitment",
				"commitment_tx", "bound_start", "secured_at", "faucet_at", "playing", "free_day", "free_entries",
				"daily_day", "daily_entries", "paid", "paid_bound", "recovery"}},
			addresses,
			func(address chain.Address) []any {
				a := x.accounts[address]
				return []any{
					address[:], string(a.Kind), a.Balance, a.Bound, a.Nonce, layout.Nullable(a.Commitment),
					layout.Nullable(a.commitmentTx), layout.Bit(a.BoundStart), a.SecuredAt, a.FaucetAt,
					string(a.Playing), a.FreeDay, a.Free, a.DailyDay, a.Daily, a.Paid, a.PaidBound, a.Recovery,
				}
			},
		),
		load(
			ctx, d, target{"ledger_token", []string{"token_id", "tier", "owner", "run_id", "bound"}},
			slices.Sorted(maps.Keys(x.tokens)),
			func(id int64) []any {
				t := x.tokens[id]
				return []any{id, t.Tier, layout.Nullable(t.Owner), optional(t.runID), layout.Bit(t.Bound)}
			},
		),
		load(
			ctx, d, target{"ledger_game", []string{"id", "step", "a", "b", "tier", "stake", "bound"}},
			slices.Sorted(maps.Keys(x.games)),
			func(id string) []any {
				g := x.games[id]
				return []any{id, int64(g.Step), layout.Nullable(g.A), layout.Nullable(g.B), g.Tier, g.Stake, layout.Bit(g.Bound)}
			},
		),
	)
}

// optional returns a text, or nil for NULL.
func optional(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// loadRows is the number of rows that one database transaction inserts.
const loadRows = 50_000

// target names a table and the columns to insert.
type target struct {
	table   string
	columns []string
}

// load inserts one row for each element of a list.
func load[T any](ctx context.Context, d *store.DB, to target, list []T, row func(T) []any) error {
	for part := range slices.Chunk(list, loadRows) {
		rows := make([][]any, len(part))
		for i, v := range part {
			rows[i] = row(v)
		}
		err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			return store.BulkInsert(ctx, tx, to.table, to.columns, rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
