package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"
)

// Cost holds the parameters of argon2id.
type Cost struct {
	KiB    uint32 // memory
	Passes uint32 // time parameter
	Lanes  uint8  // parallelism
}

// Recommended is OWASP's first recommendation for servers (Password Storage Cheat Sheet):
// 19 MiB, two passes, one lane. One hash takes about 27 ms of one core.
var Recommended = Cost{KiB: 19 * 1024, Passes: 2, Lanes: 1}

const (
	saltSize = 16 // bytes
	hashSize = 32 // bytes
)

// restFactor is how long a slot rests after a hash, as a multiple of the hash's duration.
// A slot thus uses at most a third of a core, however many logins arrive, and less on a
// loaded machine, where a hash takes longer. A call that finds the slot at rest waits for
// about 50 ms.
const restFactor = 2

// ErrBusy reports that too many calls hash passwords or wait: maxClientQueue of the client,
// or maxQueue of all.
var ErrBusy = errors.New("account: too many passwords are being hashed")

// Hasher hashes passwords with bounded concurrency: a hash is expensive in memory and
// time by design, and password attempts must not take these resources from games.
type Hasher struct {
	// Freed, when set before use, is called after each hash, before the slot is reused: on
	// a machine with little memory it returns the memory of the hash to the system.
	Freed func()

	// Networks returns the network that takes turns with others for an address, and the
	// client within it whose share is limited. Nil takes each address as both.
	Networks func(netip.Addr) (network, client netip.Prefix)

	cost    Cost
	queue   hashQueue
	waiting atomic.Int64 // calls that hash or wait for a slot
	// dummy is verified when the account does not exist, so that a login takes as long
	// for an unknown name.
	dummy string
}

// dummyPassword is the password behind Hasher.dummy. Verify never accepts it for a missing
// account.
const dummyPassword = "dummy password"

// NewHasher returns a hasher with the given cost per hash that computes up to concurrency
// hashes at a time, at least 1.
func NewHasher(cost Cost, concurrency int) (*Hasher, error) {
	h := &Hasher{cost: cost, queue: hashQueue{free: max(1, concurrency)}}
	dummy, err := cost.hash(dummyPassword, rand.Reader)
	h.dummy = dummy
	return h, err
}

// Hash returns the hash of a password in PHC form. It waits for the turn of client, the
// caller's network address, until ctx ends. Errors: ErrBusy, and the error of ctx.
func (h *Hasher) Hash(ctx context.Context, client netip.Addr, password string) (phc string, err error) {
	slotErr := h.withSlot(ctx, client, false, func() { phc, err = h.cost.hash(password, rand.Reader) })
	return phc, errors.Join(slotErr, err)
}

// Verify reports whether password has the hash phc, in PHC form. An empty phc stands for a
// missing account: Verify takes as long and returns false. known reports that the owner has signed
// in from the caller's browser or address before. Errors: ErrBusy, the error of ctx, and a
// malformed phc.
func (h *Hasher) Verify(ctx context.Context, client netip.Addr, known bool, password, phc string) (ok bool, err error) {
	exists := phc != ""
	if !exists {
		phc = h.dummy
	}
	slotErr := h.withSlot(ctx, client, known, func() { ok, err = verifyPassword(password, phc) })
	return ok && exists, errors.Join(slotErr, err)
}

// withSlot runs work in a slot, when it is the turn of client. The slot becomes free again
// once it has rested.
func (h *Hasher) withSlot(ctx context.Context, client netip.Addr, known bool, work func()) error {
	h.waiting.Add(1)
	defer h.waiting.Add(-1)
	network, narrow := netip.PrefixFrom(client, client.BitLen()), netip.PrefixFrom(client, client.BitLen())
	if h.Networks != nil {
		network, narrow = h.Networks(client)
	}
	if err := h.queue.acquire(ctx, hashOrigin{network, narrow, known}); err != nil {
		return err
	}
	defer h.queue.end(narrow)
	began := time.Now() //nolint:forbidigo // the duration of a hash has no effect on games
	work()
	if h.Freed != nil {
		h.Freed()
	}
	//nolint:forbidigo // as above
	time.AfterFunc(restFactor*time.Since(began), h.queue.release)
	return nil
}

// hash returns the PHC string of a password with a random salt.
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

// verifyPassword reports whether password has the hash phc. It reads the parameters from
// phc, so that stored passwords stay valid when the recommended cost changes. Its errors
// do not contain phc.
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
	expected, errHash := base64.RawStdEncoding.DecodeString(fields[5])
	if err := errors.Join(errSalt, errHash); err != nil {
		return false, fmt.Errorf("account: a stored password: %w", err)
	}
	actual := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(expected)))
	return subtle.ConstantTimeCompare(actual, expected) == 1, nil
}
