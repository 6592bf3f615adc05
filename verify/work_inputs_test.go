package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/chain/tables"
	"roshambo/vectors"
)

// workWitness is a witness whose key follows from its name.
type workWitness struct {
	name    string
	private ed25519.PrivateKey
}

func newWorkWitness(name string) workWitness {
	seed := sha256.Sum256([]byte(name))
	return workWitness{name, ed25519.NewKeyFromSeed(seed[:])}
}

// key returns the verifier key, and the key id in its lines.
func (w workWitness) key() (key string, id []byte) {
	public := append([]byte{4}, w.private.Public().(ed25519.PublicKey)...)
	sum := sha256.Sum256(append([]byte(w.name+"\n"), public...))
	return fmt.Sprintf("%s+%x+%s", w.name, sum[:4], base64.StdEncoding.EncodeToString(public)), sum[:4]
}

// cosign returns the line below a checkpoint body at a time in Unix seconds (c2sp.org/tlog-cosignature).
func (w workWitness) cosign(body string, seconds int64) string {
	_, id := w.key()
	line := binary.BigEndian.AppendUint64(id, uint64(seconds))
	line = append(line, ed25519.Sign(w.private, fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", seconds, body))...)
	return fmt.Sprintf("— %s %s\n", w.name, base64.StdEncoding.EncodeToString(line))
}

// witnessInputs are policies with many witnesses, and checkpoints with many lines by others.
func witnessInputs(t *testing.T, proof []byte) []workInput {
	t.Helper()
	keys := func(n int) (list []string) {
		for i := range n {
			key, _ := newWorkWitness(fmt.Sprint("witness.example/", i)).key()
			list = append(list, key)
		}
		return list
	}
	lines := func(n int) []byte {
		var p map[string]any
		if err := json.Unmarshal(proof, &p); err != nil {
			t.Fatal(err)
		}
		var others strings.Builder
		for i := range n {
			others.WriteString(newWorkWitness(fmt.Sprint("other.example/", i)).cosign("", 0))
		}
		p["checkpoint"] = p["checkpoint"].(string) + others.String()
		return marshal(t, p)
	}
	return []workInput{
		scaled("keys of witnesses", func(n int) workRequest { return workRequest{Proof: proof, Witnesses: keys(250 * n)} }),
		scaled("keys of witnesses, and as many lines by others", func(n int) workRequest {
			return workRequest{Proof: lines(24 * n), Witnesses: keys(24 * n)}
		}),
	}
}

// lostInputs are receipts of what a recovery has lost.
func lostInputs(t *testing.T) []workInput {
	t.Helper()
	all, err := vectors.AllReceipts()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.About == "a win, lost as late as the house needs to store it" {
			return []workInput{scaled("receipts of what a recovery has lost", func(n int) workRequest {
				lines := strings.Repeat(r.Lines[0]+"\n", 8*n)
				return workRequest{Proof: r.Proof, Receipts: &lines}
			})}
		}
	}
	t.Fatal("there is no vector of a receipt that a recovery has lost")
	return nil
}

// chainInputs are chains with many tables and kept checkpoints.
func chainInputs(t *testing.T) []workInput {
	t.Helper()
	signer, key := workSigner(t, "work")
	return []workInput{
		scaled("rows of a season", func(n int) workRequest {
			s := tables.Season{Number: 1, StartsAt: chain.SeasonEnd(firstTime, 0), EndsAt: lateTime, Players: int64(40 * n)}
			w := lateChain(signer.Name(), func(w *writer) {
				loser := w.join(0)
				for i := range s.Players { // each row needs points of the season, and a rated duel won gives some
					who := w.join(int(i) + 1)
					w.post(chain.Address{}, &chain.DuelSettle{A: who, B: loser, DuelID: fmt.Sprint("season-", i), Rated: true,
						Winner: "a"})
					s.Rows = append(s.Rows, tables.Standing{Account: who, Points: tables.DuelPoints, Rank: i + 1})
				}
			})
			w.close(s.Raw(), func(hash chain.Hash) chain.Data { return &chain.SeasonClose{Season: 1, TableHash: hash} })
			w.seal()
			return workRequest{Export: w.blocks.seal(t, signer, key)}
		}),
		scaled("cups", func(n int) workRequest {
			w := lateChain(signer.Name(), nil)
			var players []chain.Address
			for i := range 4 {
				players = append(players, w.join(i))
			}
			for number := range int64(8 * n) {
				w.cupOf(number+1, players)
			}
			w.seal()
			return workRequest{Export: w.blocks.seal(t, signer, key)}
		}),
		scaled("kept checkpoints", func(n int) workRequest {
			w := lateChain(signer.Name(), nil)
			for range 16 * n {
				w.seal()
			}
			return keptChain(t, w.blocks.seal(t, signer, key), signer)
		}),
	}
}

// lateChain returns a chain of empty blocks, whose next block is the first one after the end of the first season.
// early, which may be nil, posts the transactions of block 1.
func lateChain(name string, early func(w *writer)) *writer {
	w := &writer{time: firstTime, nonces: map[chain.Address]int64{}, games: player{runs: map[string]begun{}}}
	w.post(chain.Address{}, &chain.Genesis{Name: name, Rules: standardRules()})
	w.seal()
	w.games.genesis = chain.HashBlock(w.blocks.header(0, chain.Hash{}))
	if early != nil {
		early(w)
	}
	for len(w.blocks) < lateBlock {
		w.seal()
	}
	w.time = lateTime
	return w
}

// join opens account i of those that no other part of a chain has, and returns it.
func (w *writer) join(i int) chain.Address {
	who := chain.Address{9, byte(i >> 8), byte(i)}
	w.post(who, &chain.AccountCreate{Commitment: chain.Hash{9, byte(i >> 8), byte(i)}, AccountKind: chain.Full},
		coinsOf(chain.Address{}, who, 1000))
	return who
}

// close posts the transaction that pins a table.
func (w *writer) close(table []byte, data func(hash chain.Hash) chain.Data) {
	hash := chain.HashPinned(table)
	transcripts.Store(hash.String(), table)
	tx := chain.Tx{Time: w.time, Data: data(hash)}
	w.raws = append(w.raws, string(tx.Raw()))
}

// cupOf plays and closes a cup, in which side a of each game wins.
func (w *writer) cupOf(number int64, players []chain.Address) {
	cup := tables.Cup{Number: number, Kind: "people", Seed: w.games.genesis, System: tables.Swiss}
	plan := tables.Plan{System: cup.System, Entered: players, Seed: cup.Seed}
	for round := range plan.Rounds() {
		for _, g := range plan.Pair(players, cup.Games, round+1) {
			g.Duel, g.Over, g.APoints = fmt.Sprintf("cup-%d-%d-%d", number, round, g.Board), true, tables.Win
			w.post(chain.Address{}, &chain.DuelSettle{A: g.A, B: g.B, DuelID: g.Duel, Winner: "a"})
			cup.Games = append(cup.Games, g)
		}
	}
	cup.Rows = tables.Table(players, cup.Games, cup.Seed)
	w.close(cup.Raw(), func(hash chain.Hash) chain.Data { return &chain.CupClose{Cup: number, TableHash: hash} })
}

// keptChain adds a kept checkpoint behind each empty block of an export, cosigned by the witness of the request.
func keptChain(t *testing.T, text []byte, signer note.Signer) workRequest {
	t.Helper()
	witness := newWorkWitness("witness.example/kept")
	key, _ := witness.key()
	var out []byte
	var tree chain.Tree
	var newest string
	for line := range bytes.Lines(text) {
		header, err := chain.ParseHeader(bytes.TrimSuffix(line, []byte("\n")))
		switch {
		case bytes.HasPrefix(line, []byte(`{"checkpoint":`)):
			out = export.AppendCheckpoint(out, newest)
			continue
		case err != nil: // the first line, or a transaction
			out = append(out, line...)
			continue
		}
		out = append(out, line...)
		tree.Add(chain.LeafHash(header.Raw()))
		root := tree.Root()
		body := fmt.Sprintf("%s\n%d\n%s\n", signer.Name(), tree.Size(), base64.StdEncoding.EncodeToString(root[:]))
		signed, err := note.Sign(&note.Note{Text: body}, signer)
		if err != nil {
			t.Fatal(err)
		}
		newest = string(signed) + witness.cosign(body, header.Time/1000)
		if header.TxCount == 0 {
			out = export.AppendKept(out, newest)
		}
	}
	return workRequest{Export: out, Witnesses: []string{key}}
}
