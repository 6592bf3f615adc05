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
	"sync"
	"time"

	"roshambo/internal/app/housebot"
	"roshambo/internal/platform/lease"
	"roshambo/internal/server/httpapi"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// houseKey returns the key of a bot of the house. It follows from the secret of the
// service, so that every start, and every node, comes to the same one and nothing has to
// be kept.
func houseKey(secret []byte, name string) (string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo/house/v1/"+name, 32)
	if err != nil {
		return "", fmt.Errorf("house: key of %s: %w", name, err)
	}
	return account.BotKey([32]byte(key)), nil
}

// houseSalts returns the salts of the hands of the house's bots. They follow from the
// secret of the service, as keys do, so that a node that takes over finds what was committed
// to, and nobody else does.
func houseSalts(secret []byte) (func(name, duel string, round int64) string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo/house/salts/v1", 32)
	if err != nil {
		return nil, fmt.Errorf("house: salts: %w", err)
	}
	return func(name, duel string, round int64) string {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s %s %d", name, duel, round)
		return hex.EncodeToString(mac.Sum(nil))
	}, nil
}

// houseRetry is how long a node where the bots of the house cannot play waits before they,
// or another node's, are tried again.
const houseRetry = 10 * time.Second

// openHouse starts the bots of the house, if they are wanted, on one node. stop ends them,
// and returns once they have left. Without them the service goes on: that they cannot play
// is said.
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
			if err == nil {
				return
			}
			s.log.Error("the bots of the house", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(houseRetry):
			}
		})
	}()
	return func() { cancel(); <-left }
}

// playHouse lets the bots of the house play until ctx ends.
func (s *Service) playHouse(ctx context.Context) error {
	bots, keys := housebot.Bots(account.HousePrefix), map[string]string{}
	for _, b := range bots {
		key, err := houseKey(s.secret, b.Name)
		if err != nil {
			return err
		}
		err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Accounts.HouseBot(ctx, tx, b.Name, key)
			return err
		})
		if err != nil {
			return fmt.Errorf("house: %s: %w", b.Name, err)
		}
		keys[b.Name] = key
	}
	salt, err := houseSalts(s.secret)
	if err != nil {
		return err
	}
	listener := newPipeListener()
	server := s.newServer()
	server.BaseContext = func(net.Listener) context.Context { return httpapi.InProcess(context.Background()) }
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.API.Listener(listener)) }()
	err = housebot.Play(ctx, housebot.Config{
		URL: "http://house.invalid", Transport: &http.Transport{DialContext: listener.dial, MaxIdleConnsPerHost: len(bots)},
		Key: func(name string) string { return keys[name] }, Salt: salt, Rand: rand.Reader, Log: s.log,
	}, bots)
	// They have left the queue, so nothing is under way that must not be cut off.
	err = errors.Join(err, server.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// newServer returns a server of the API, with the limits that all connections have.
func (s *Service) newServer() *http.Server {
	return &http.Server{
		Handler: s.API, ReadHeaderTimeout: readHeaders, IdleTimeout: idle, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// OPTIONS * is answered like any other path.
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
