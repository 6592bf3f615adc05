package app

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/app/housebot"
	"roshambo/internal/platform/lease"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// houseKey returns the API key of a house bot. It is derived from the service's secret: every start
// and every node gets the same key, and none is stored.
func houseKey(secret []byte, name string) (account.KeySecret, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo/house/v1/"+name, 32)
	if err != nil {
		return account.KeySecret{}, fmt.Errorf("house: key of %s: %w", name, err)
	}
	return account.BotKey([32]byte(key)), nil
}

// houseSalts returns a function that derives the salts of the house bots' commitments. They follow from
// the service's secret, so that a node that takes over after a crash can reveal the committed hands,
// and no caller can; and from the number of the last recovery, because players may have seen the salts
// of an older state. A hand that both sides were bound to at a recovery is lost, and the bot forfeits
// that round.
func houseSalts(secret []byte, recovery int64) (func(name, duel string, round int64) string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo/house/salts/v1", 32)
	if err != nil {
		return nil, fmt.Errorf("house: salts: %w", err)
	}
	return func(name, duel string, round int64) string {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%d %s %s %d", recovery, name, duel, round)
		return hex.EncodeToString(mac.Sum(nil))
	}, nil
}

// houseRetry is the pause after a failure of the house bots, before this node or another one starts
// them again.
const houseRetry = 10 * time.Second

// houseLinger is the time that the house bots have to finish their duels when they stop. Between two
// of them a duel takes less than a second.
const houseLinger = 10 * time.Second

// openHouse starts the house bots, if they are enabled, on the node that holds their lease. stop
// ends them and returns once they have left the queue and finished their duels. A failure is logged, and the service
// continues without them.
func (s *Service) openHouse(ctx context.Context) (stop func()) {
	if !s.config.HouseBots {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.leases.Keep(ctx, leaseHouse, func(ctx context.Context, _ *lease.Term) {
			err := s.playHouse(ctx)
			if err == nil || ctx.Err() != nil { // the service stops, or the lease was lost
				return
			}
			s.log.Error("house bots", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(houseRetry):
			}
		})
	}()
	return func() { cancel(); <-left }
}

// HouseBot is one of the house's bots with its account.
type HouseBot struct {
	housebot.Bot

	Account account.Account
	key     account.KeySecret
	duel    string // the code of its ranked duel; "" for none
}

// dealAnew deals the house's hands in duels anew, in the transaction of a recovery.
func (s *Service) dealAnew(ctx context.Context, tx *store.Tx) error {
	return s.Duels.Recover(ctx, tx, isHouse)
}

// isHouse reports whether a player is one of the house's bots: the prefix of their names is reserved.
func isHouse(p duel.Player) bool {
	return p.Kind == chain.Bot && strings.HasPrefix(p.Username, account.HousePrefix)
}

// EnsureHouse returns the house's bots. It creates the accounts of those that have none.
func (s *Service) EnsureHouse(ctx context.Context) (house []HouseBot, err error) {
	for _, b := range housebot.Bots(account.HousePrefix) {
		h := HouseBot{Bot: b}
		if h.key, err = houseKey(s.secret, b.Name); err != nil {
			return nil, err
		}
		err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if h.Account, err = s.Accounts.EnsureHouseBot(ctx, tx, b.Name, h.key); err != nil {
				return err
			}
			_, h.duel, err = s.Arena.StateOf(ctx, tx, h.Account.Address)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("house: %s: %w", b.Name, err)
		}
		house = append(house, h)
	}
	return house, nil
}

// playHouse runs the house bots until ctx ends, while the service is used. They call the API over a
// listener inside the process.
func (s *Service) playHouse(ctx context.Context) error {
	house, err := s.EnsureHouse(ctx)
	if err != nil {
		return err
	}
	var bots []housebot.Bot
	keys := map[string]string{}
	for _, b := range house {
		if b.duel != "" {
			s.attention.mark() // a stop or a crash interrupted the duel: the bots finish it
		}
		bots, keys[b.Name] = append(bots, b.Bot), b.key.Text()
	}
	salt, err := houseSalts(s.secret, s.Ledger.Recovery())
	if err != nil {
		return err
	}
	listener := newPipeListener()
	server := s.newServer()
	server.BaseContext = func(net.Listener) context.Context { return edge.InProcess(context.Background()) }
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.Edge.Listener(listener)) }()
	err = s.attention.during(ctx, func(ctx context.Context) error {
		return housebot.Play(ctx, housebot.Config{
			URL: "http://house.invalid", Transport: &http.Transport{DialContext: listener.dial, MaxIdleConnsPerHost: len(bots)},
			Key: func(name string) string { return keys[name] }, Salt: salt, Rand: rand.Reader, Log: s.log, Linger: houseLinger,
		}, bots)
	})
	// The bots have left the queue, so closing the server interrupts no call that matters.
	err = errors.Join(err, server.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// newServer returns an HTTP server of the API with the limits of all connections.
func (s *Service) newServer() *http.Server {
	return &http.Server{
		Handler: s.Edge, ReadHeaderTimeout: readHeaders, IdleTimeout: idle, MaxHeaderBytes: api.MaxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// OPTIONS * goes to the API's handler like any other path.
		DisableGeneralOptionsHandler: true,
	}
}

// pipeListener accepts connections from within the process. It has no network address, so no
// other caller can connect to it.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipeListener() *pipeListener {
	closed := make(chan struct{})
	return &pipeListener{conns: make(chan net.Conn), closed: closed, close: sync.OnceFunc(func() { close(closed) })}
}

// dial connects to the listener, whatever the address. After Close it fails with net.ErrClosed.
func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close refuses further connections. It may be called more than once.
func (l *pipeListener) Close() error {
	l.close()
	return nil
}

// Addr returns the address of no network.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "in-process" }
