package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"roshambo/chain"
	"roshambo/client/api"
)

// House plays runs against the house with fresh texts: a client seed for each run and entropy for
// each throw, so that the house knows none of its hands before it is asked for them. It stores each
// text before it sends it. A call that is repeated after an error, also by another process with the
// same State, sends the same text: a fresh one would be a second draw, of which the house could keep
// the better one. A House must not be used concurrently.
type House struct {
	HouseOptions
	// kept are the texts of the last maxRuns runs: a house that shows another commitment and then the
	// first one again must receive the same texts. The texts that have changed last are last.
	kept   []texts
	notary notary
}

// HouseOptions configure a House. Client is required.
type HouseOptions struct {
	Client *Client
	// State is the file in which the texts of the last runs are stored. With "" they are in memory
	// only, and a restart between sending a throw and its answer draws others.
	State string
	// Receipts is the file to which the house's signed statements about the runs are appended, as of BotOptions. With ""
	// they are checked and not kept.
	Receipts string
	// VerifierKey is the trusted key of the service's log; "" takes the one that the service states.
	VerifierKey string
	// Rand is the source of the texts; nil means crypto/rand.
	Rand io.Reader
}

// texts are the texts of one run, named by its commitment: the run has no id yet when they are
// stored. The state file is a list of them in JSON.
type texts struct {
	Commitment string `json:"commitment"`
	// Run is the id of the run; "" until the house has answered with it.
	Run        string `json:"run,omitempty"`
	ClientSeed string `json:"client_seed"`
	// Entropy of throw n is at n-1; "" for a throw that another program sent.
	Entropy []string `json:"entropy"`
}

// maxRuns is the number of runs whose texts are kept. A run has about 0.2 kB of them, and 35 bytes for each throw.
const maxRuns = 100

// ErrTexts reports that the house has recorded other texts than were sent, or states another
// commitment for a run than it did before. It could have chosen its hands then. Another program that
// plays the same account is the harmless reason.
var ErrTexts = errors.New("client: the house has recorded other texts than were sent")

// NewHouse returns a House that continues from o.State.
func NewHouse(o HouseOptions) (*House, error) {
	if o.Client == nil {
		return nil, errors.New("client: a House needs a Client")
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	h := &House{HouseOptions: o}
	var err error
	if h.notary, err = newNotary(o.Receipts, o.VerifierKey); err != nil {
		return nil, err
	}
	_, err = readState(o.State, &h.kept)
	return h, err
}

// Start starts a run, with its first throw if in has a move. It draws the texts that in leaves out.
// Errors: ErrTexts, ErrReceipt and errors of the service. A start that is refused with recovering is not
// repeated here: the next call reads the new commitment, which needs another client seed.
func (h *House) Start(ctx context.Context, in api.StartRunIn) (*api.StartRunOut, error) {
	// The commitment is fixed before the house receives a text, so the texts can be stored under it.
	me, err := Read(h.Client.API.GetMe(ctx))
	if err != nil {
		return nil, err
	}
	of, found := h.find("", me.NextCommitment.Commitment)
	if !found {
		of.Commitment = me.NextCommitment.Commitment
		if of.ClientSeed, err = h.draw(in.ClientSeed); err != nil {
			return nil, err
		}
		if err := h.keep(of); err != nil {
			return nil, err
		}
	}
	// A crash from here on finds the seed in State; if the house has counted the start, the account's
	// next commitment is another one, and the next start draws another seed.
	in.ClientSeed = &of.ClientSeed
	if in.Move != nil {
		if in.Entropy, err = h.entropy(&of, 1, in.Entropy); err != nil {
			return nil, err
		}
	}
	out, err := Read(h.Client.API.StartRun(ctx, in, Receipts(0)))
	if err != nil {
		return nil, err
	}
	return out, errors.Join(h.check(of, &out.Run), h.notary.keepRun(ctx, h.Client, &out.Run, out.Receipts))
}

// Throw plays the next throw of a run, whose latest state the caller has: it reads the run again
// after an error, since the throw may have been counted. Throw draws the entropy unless in has one.
// Errors: ErrTexts, with a nil result if nothing was sent, ErrReceipt and errors of the service.
func (h *House) Throw(ctx context.Context, run *api.Run, in api.ThrowIn) (*api.ThrowOut, error) {
	of, found := h.find(run.ID, run.Commitment)
	if !found { // another program has started the run
		of = texts{Commitment: run.Commitment, ClientSeed: run.ClientSeed}
	}
	// Before a text is drawn: the same throw under another commitment would get a second one.
	err := h.check(of, run)
	if err != nil {
		return nil, err
	}
	of.Run = run.ID
	if in.Entropy, err = h.entropy(&of, len(run.Throws)+1, in.Entropy); err != nil {
		return nil, err
	}
	out, err := Read(h.Client.API.Throw(ctx, run.ID, in, Receipts(0)))
	if err != nil {
		return nil, err
	}
	return out, errors.Join(h.check(of, &out.Run), h.notary.keepRun(ctx, h.Client, &out.Run, out.Receipts))
}

// find returns the kept texts of a run, by its id or, while that is unknown, by its commitment.
func (h *House) find(run, commitment string) (of texts, found bool) {
	i := slices.IndexFunc(h.kept, func(of texts) bool { return run != "" && of.Run == run })
	if i < 0 {
		i = slices.IndexFunc(h.kept, func(of texts) bool { return of.Commitment == commitment })
	}
	if i < 0 {
		return texts{}, false
	}
	return h.kept[i], true
}

// entropy returns the stored entropy of throw n, or stores the wanted or a fresh one in of.
func (h *House) entropy(of *texts, n int, wanted *string) (*string, error) {
	// A copy: kept texts change only once they are stored.
	of.Entropy = append(slices.Clone(of.Entropy), make([]string, max(0, n-len(of.Entropy)))...)
	text := &of.Entropy[n-1]
	if *text != "" {
		return text, nil
	}
	var err error
	if *text, err = h.draw(wanted); err != nil {
		return nil, err
	}
	return text, h.keep(*of)
}

// draw returns the wanted text, or 16 random bytes in hexadecimal.
func (h *House) draw(wanted *string) (string, error) {
	if wanted != nil && *wanted != "" {
		return *wanted, nil
	}
	var b [16]byte
	if _, err := io.ReadFull(h.Rand, b[:]); err != nil {
		return "", fmt.Errorf("draw a text: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// keep stores the texts of a run before they are sent.
func (h *House) keep(of texts) error {
	next := slices.DeleteFunc(slices.Clone(h.kept), func(other texts) bool { return other.Commitment == of.Commitment })
	next = append(next, of)
	next = next[max(0, len(next)-maxRuns):]
	if err := writeState(h.State, next); err != nil {
		return err
	}
	h.kept = next
	return nil
}

// check compares what the house states about a run with the texts that were sent, and notes the id of
// the run. The hashes are what the chain holds; a proof that opens other texts fails the verifiers'
// checks.
func (h *House) check(of texts, run *api.Run) error {
	if of.Run == "" {
		of.Run = run.ID
		if err := h.keep(of); err != nil {
			return err
		}
	}
	if of.Run != run.ID || of.Commitment != run.Commitment {
		return fmt.Errorf("%w: run %s, commitment", ErrTexts, run.ID)
	}
	if chain.HashText(of.ClientSeed).String() != run.ClientSeedHash {
		return fmt.Errorf("%w: run %s, client seed", ErrTexts, run.ID)
	}
	// Texts of throws that the run does not have yet belong to requests without an answer.
	for i, sent := range of.Entropy {
		if i < len(run.Throws) && sent != "" && chain.HashText(sent).String() != run.Throws[i].EntropyHash {
			return fmt.Errorf("%w: run %s, throw %d", ErrTexts, run.ID, i+1)
		}
	}
	return nil
}
