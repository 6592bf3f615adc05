package verify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"roshambo/chain"
	"roshambo/fair"
	"roshambo/vectors"
	"roshambo/verify"
)

// The tests of this file recompute the examples of docs/protocol.md. The info string of a fenced block
// names its kind.

func protocolPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// blocks returns the fenced blocks of a kind, without their fences.
func blocks(page, kind string) []string {
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		found = append(found, m[1])
	}
	return found
}

func vectorNamed(t *testing.T, file string) vectors.Vector {
	t.Helper()
	for _, v := range allVectors(t) {
		if v.File == file {
			return v
		}
	}
	t.Fatalf("there is no vector %s", file)
	return vectors.Vector{}
}

func decode(t *testing.T, v vectors.Vector, proof any) {
	t.Helper()
	if err := json.Unmarshal(v.Proof, proof); err != nil {
		t.Fatal(err)
	}
}

// TestProtocolExamples recomputes every example, and checks that the page has no other.
func TestProtocolExamples(t *testing.T) {
	t.Parallel()
	var run verify.RunProof
	var duel verify.DuelProof
	decode(t, vectorNamed(t, "run/claimed.json"), &run)
	decode(t, vectorNamed(t, "duel/staked.json"), &duel)
	var want []string
	want = append(want, seedExamples(t, &run)...)
	want = append(want, chainExamples(t, &run)...)
	want = append(want, duelExamples(t, &duel)...)
	got := strings.Split(strings.TrimSpace(strings.Join(blocks(protocolPage(t), "example"), "")), "\n")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("examples of docs/protocol.md (-computed +on the page):\n%s", diff)
	}
}

func seedExamples(t *testing.T, p *verify.RunProof) []string {
	t.Helper()
	throws, err := chain.ParseTranscript([]byte(p.Transcript.Raw))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(p.Transcript.Raw[1:], "},")
	out := []string{
		fmt.Sprintf("commitment  %x", fair.Previous(1, throws[0].Seed)),
		fmt.Sprintf("seed 1  %x", throws[0].Seed),
		fmt.Sprintf("hashed to find the commitment from seed 1  %x00000000%x", "roshambo/seed/v1", throws[0].Seed),
		fmt.Sprintf("transcript, first throw  %s}", first),
		fmt.Sprintf("transcript hash  %v", chain.HashTranscript([]byte(p.Transcript.Raw))),
	}
	const client = "paper beats rock"
	for _, throw := range throws[:2] {
		texts := [2][32]byte{sha256.Sum256([]byte(client)), sha256.Sum256([]byte(p.Texts.Entropy[throw.N-1]))}
		message := fmt.Appendf(nil, "roshambo/move/v1\x00\x00\x00%c%s%s", throw.N, texts[0][:], texts[1][:])
		mac := hmac.New(sha256.New, throw.Seed[:])
		mac.Write(message)
		stream := mac.Sum(nil)
		out = append(out, fmt.Sprintf("message of throw %d  %x", throw.N, message),
			fmt.Sprintf("stream of throw %d  %x", throw.N, stream),
			fmt.Sprintf("move of throw %d  %d mod 3 = %d %v", throw.N, stream[0], stream[0]%3, throw.House))
	}
	return out
}

func chainExamples(t *testing.T, p *verify.RunProof) []string {
	t.Helper()
	key, err := verify.ParseKey(p.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := hex.DecodeString(p.Start.Hash)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"start raw  " + p.Start.Raw,
		fmt.Sprintf("start hash  %v", chain.HashTx([]byte(p.Start.Raw))),
		"header of block 3  " + *p.Start.Header,
		fmt.Sprintf("hash of block 3  %v", chain.HashBlock([]byte(*p.Start.Header))),
		fmt.Sprintf("leaf of the start in block 3  H(00 || %x) = %v", hash, chain.LeafHash(hash)),
		"verifier key  " + p.VerifierKey,
		fmt.Sprintf(`key id  H("%s\n" || 01 || %x)[:4] = %08x`, key.Name, []byte(key.Public), key.ID),
	}
}

func duelExamples(t *testing.T, p *verify.DuelProof) []string {
	t.Helper()
	transcript, err := chain.ParseDuelTranscript([]byte(p.Transcript.Raw))
	if err != nil {
		t.Fatal(err)
	}
	rounds := p.Transcript.Raw[strings.Index(p.Transcript.Raw, `"rounds":[`)+len(`"rounds":[`):]
	first, _, _ := strings.Cut(rounds, "},")
	a := transcript.Rounds[0].Hands[0]
	shown := a.Move.String() + ":" + a.Salt
	return []string{
		fmt.Sprintf("escrow of duel %s  %v", p.DuelID, chain.Escrow(p.DuelID)),
		fmt.Sprintf("duel transcript, first round  %s}", first),
		fmt.Sprintf("commitment of a in round 1  H(%q) = %x", shown, sha256.Sum256([]byte(shown))),
		fmt.Sprintf("duel transcript hash  %v", chain.HashTranscript([]byte(p.Transcript.Raw))),
	}
}

// TestProtocolBlocks checks the checkpoint and the report on the page.
func TestProtocolBlocks(t *testing.T) {
	t.Parallel()
	v, page := vectorNamed(t, "run/claimed.json"), protocolPage(t)
	var p verify.RunProof
	decode(t, v, &p)
	for kind, want := range map[string]string{"checkpoint": *p.Checkpoint,
		"report": text(t, verify.Proof(v.Proof, options(v)))} {
		if diff := cmp.Diff([]string{want}, blocks(page, kind)); diff != "" {
			t.Errorf("%s of docs/protocol.md (-want +on the page):\n%s", kind, diff)
		}
	}
}

// TestOneTable checks that the table of shapes is the same in all places. Go's table is the part
// around the raws; package chain parses the raws, and package tables the tables.
func TestOneTable(t *testing.T) {
	t.Parallel()
	page := protocolPage(t)
	table := strings.Join(blocks(page, "shapes"), "")
	for file, fence := range map[string][2]string{
		"python/verify.py": {`TABLE = """`, `"""`}, "ts/verify.ts": {"TABLE = `", "`;"},
		"python/chain.py": {`TABLE = """`, `"""`}, "python/tables.py": {`TABLE = """`, `"""`},
	} {
		table := table
		switch file {
		case "python/chain.py":
			table = strings.Join(blocks(page, "chain-shapes"), "")
		case "python/tables.py":
			table = strings.Join(blocks(page, "table-shapes"), "")
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(source), fence[0]+"\n")
		got, _, _ := strings.Cut(rest, fence[1])
		if diff := cmp.Diff(table, got); diff != "" {
			t.Errorf("%s (-docs/protocol.md +%s):\n%s", file, file, diff)
		}
	}
	if own := strings.TrimPrefix(verify.Table, "\n"); !strings.HasPrefix(table, own) {
		t.Errorf("shape.go differs from docs/protocol.md:\n%s", own)
	}
}
