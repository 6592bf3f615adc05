package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"
)

// A Cost is what one hash of argon2id costs.
type Cost struct {
	KiB    uint32 // of memory
	Passes uint32
	Lanes  uint8
}

// Recommended is what OWASP names first for servers (Password Storage Cheat Sheet):
// 19 MiB, two passes, one lane. One hash takes some 27 ms of one core.
var Recommended = Cost{KiB: 19 * 1024, Passes: 2, Lanes: 1}

const (
	saltSize = 16
	hashSize = 32
)

// maxQueue is how many calls may wait for a hash. Beyond it the service says that it
// is busy, rather than letting everybody wait without end.
const maxQueue = 1024

// restFactor is how long a slot rests after a hash, in times of what that took: however
// many passwords are tried, a slot takes a third of a core at most, and less where cores
// are short, as a hash then takes longer. Whoever comes to a slot at rest waits for some
// 50 ms.
const restFactor = 2

// ErrBusy says that too many passwords are being hashed at once.
var ErrBusy = errors.New("account: too many passwords are being hashed")

// Hasher hashes passwords, a few at a time: a hash is made to cost memory and time,
// and whoever tries passwords must not take either from those who play.
type Hasher struct {
	// Freed, when set before use, is called after each hash and before the next one begins in
	// its place: it gives the memory of the hash back, where there is not much.
	Freed func()

	cost    Cost
	slots   chan struct{}
	waiting atomic.Int64
	// dummy is verified against when there is no account, so that a login takes as
	// long whether the name exists or not.
	dummy string
}

// NewHasher returns a hasher that works on so many passwords at a time, 1 or more, at
// that cost each.
func NewHasher(cost Cost, atOnce int) (*Hasher, error) {
	h := &Hasher{cost: cost, slots: make(chan struct{}, max(1, atOnce))}
	dummy, err := cost.hash("nobody's password", rand.Reader)
	h.dummy = dummy
	return h, err
}

// Hash returns the hash of a password in PHC form. It waits for its turn until ctx
// ends; ErrBusy when too many wait already.
func (h *Hasher) Hash(ctx context.Context, password string) (phc string, err error) {
	turnErr := h.inTurn(ctx, func() { phc, err = h.cost.hash(password, rand.Reader) })
	return phc, errors.Join(turnErr, err)
}

// Verify reports whether password is the one behind a PHC string. An empty string
// stands for no account: it takes as long and is never right.
func (h *Hasher) Verify(ctx context.Context, password, phc string) (ok bool, err error) {
	known := phc != ""
	if !known {
		phc = h.dummy
	}
	turnErr := h.inTurn(ctx, func() { ok, err = verifyPassword(password, phc) })
	return ok && known, errors.Join(turnErr, err)
}

func (h *Hasher) inTurn(ctx context.Context, work func()) error {
	if h.waiting.Add(1) > maxQueue {
		h.waiting.Add(-1)
		return ErrBusy
	}
	defer h.waiting.Add(-1)
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	began := time.Now() //nolint:forbidigo // how long the work takes decides nothing of the game
	work()
	if h.Freed != nil {
		h.Freed()
	}
	//nolint:forbidigo // as above
	time.AfterFunc(restFactor*time.Since(began), func() { <-h.slots })
	return nil
}

func (c Cost) hash(password string, random io.Reader) (string, error) {
	salt := make([]byte, saltSize)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", fmt.Errorf("account: randomness: %w", err)
	}
	sum := argon2.IDKey([]byte(password), salt, c.Passes, c.KiB, c.Lanes, hashSize)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.KiB, c.Passes, c.Lanes,
		enc.EncodeToString(salt), enc.EncodeToString(sum)), nil
}

// verifyPassword takes the parameters from the string, so that they can be raised and
// old passwords go on working.
func verifyPassword(password, phc string) (bool, error) {
	var version int
	var memory, passes uint32
	var lanes uint8
	fields := strings.Split(phc, "$")
	if len(fields) != 6 || fields[1] != "argon2id" {
		return false, errors.New("account: a stored password is not argon2id")
	}
	_, err := fmt.Sscanf(fields[2]+" "+fields[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &lanes)
	if err != nil || version != argon2.Version {
		return false, errors.New("account: a stored password has unknown parameters")
	}
	salt, errSalt := base64.RawStdEncoding.DecodeString(fields[4])
	want, errHash := base64.RawStdEncoding.DecodeString(fields[5])
	if err := errors.Join(errSalt, errHash); err != nil {
		return false, fmt.Errorf("account: a stored password: %w", err)
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
