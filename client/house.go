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
	texts texts
}

// HouseOptions configure a House. Client is required.
type HouseOptions struct {
	Client *Client
	// State is the file in which the texts of the current run are stored. With "" they are in memory
	// only, and a restart between sending a throw and its answer draws others.
	State string
	// Rand is the source of the texts; nil means crypto/rand.
	Rand io.Reader
}

// texts are the texts of one run, named by its commitment: the run has no id yet when they are
// stored. Their JSON form is the state file.
type texts struct {
	Commitment string `json:"commitment"`
	ClientSeed string `json:"client_seed"`
	// Entropy of throw n is at n-1; "" for a throw that another program sent.
	Entropy []string `json:"entropy"`
}

// ErrTexts reports that the house has recorded other texts than were sent. It could have chosen its
// hands then. Another program that plays the same run is the harmless reason.
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
	_, err := readState(o.State, &h.texts)
	return h, err
}

// Start starts a run, with its first throw if in has a move. It draws the texts that in leaves out.
// Errors: ErrTexts, and those of the service.
func (h *House) Start(ctx context.Context, in api.StartRunIn) (*api.StartRunOut, error) {
	// The commitment is fixed before the house receives a text, so the texts can be stored under it.
	me, err := Read[api.MeOut](h.Client.API.GetMe(ctx))
	if err != nil {
		return nil, err
	}
	if commitment := me.NextCommitment.Commitment; h.texts.Commitment != commitment {
		seed, err := h.draw(in.ClientSeed)
		if err != nil {
			return nil, err
		}
		if err := h.keep(texts{Commitment: commitment, ClientSeed: seed}); err != nil {
			return nil, err
		}
	}
	// A crash from here on finds the seed in State; if the house has counted the start, the account's
	// next commitment is another one, and the next start draws another seed.
	in.ClientSeed = &h.texts.ClientSeed
	if in.Move != nil {
		if in.Entropy, err = h.entropy(1, in.Entropy); err != nil {
			return nil, err
		}
	}
	out, err := Read[api.StartRunOut](h.Client.API.StartRun(ctx, in, Receipts(0)))
	if err != nil {
		return nil, err
	}
	return out, h.check(&out.Run)
}

// Throw plays the next throw of a run, whose latest state the caller has: it reads the run again
// after an error, since the throw may have been counted. Throw draws the entropy unless in has one.
// Errors: ErrTexts, and those of the service.
func (h *House) Throw(ctx context.Context, run *api.Run, in api.ThrowIn) (*api.ThrowOut, error) {
	if h.texts.Commitment != run.Commitment { // another program has started the run
		h.texts = texts{Commitment: run.Commitment, ClientSeed: run.ClientSeed}
	}
	var err error
	if in.Entropy, err = h.entropy(len(run.Throws)+1, in.Entropy); err != nil {
		return nil, err
	}
	out, err := Read[api.ThrowOut](h.Client.API.Throw(ctx, run.ID, in, Receipts(0)))
	if err != nil {
		return nil, err
	}
	return out, h.check(&out.Run)
}

// entropy returns the stored entropy of throw n, or stores the wanted or a fresh one.
func (h *House) entropy(n int, wanted *string) (*string, error) {
	// A copy: texts change only once they are stored.
	next := h.texts
	next.Entropy = append(slices.Clone(next.Entropy), make([]string, max(0, n-len(next.Entropy)))...)
	text := &next.Entropy[n-1]
	if *text != "" {
		return text, nil
	}
	var err error
	if *text, err = h.draw(wanted); err != nil {
		return nil, err
	}
	return text, h.keep(next)
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

// keep stores texts before they are sent.
func (h *House) keep(t texts) error {
	if err := writeState(h.State, t); err != nil {
		return err
	}
	h.texts = t
	return nil
}

// check compares the texts that the house has recorded with those that were sent. The hashes are what
// the chain holds; a proof that opens other texts fails the verifiers' checks.
func (h *House) check(run *api.Run) error {
	if chain.HashText(h.texts.ClientSeed).String() != run.ClientSeedHash {
		return fmt.Errorf("%w: run %s, client seed", ErrTexts, run.ID)
	}
	// Texts of throws that the run does not have yet belong to requests without an answer.
	for i, sent := range h.texts.Entropy {
		if i < len(run.Throws) && sent != "" && chain.HashText(sent).String() != run.Throws[i].EntropyHash {
			return fmt.Errorf("%w: run %s, throw %d", ErrTexts, run.ID, i+1)
		}
	}
	return nil
}
