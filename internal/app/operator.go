package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/server/adminpage"
	"roshambo/internal/service/account"
	"roshambo/internal/service/operator"
	"roshambo/internal/store"
)

// The operators' API on the admin address. Metrics and health need no password there; acts on
// accounts need a token, which is derived from the service's keys and which only a program can send:
// a page of another site cannot set the headers. Every call, also one that only reads, is an entry of
// the log of acts, in the transaction of its effect; a refused one gets its entry afterwards.

// Headers of the operators' API beside Authorization.
const operatorHeader = "X-Roshambo-Operator"

// OperatorToken is the token of the operators' API. It is neither a session nor a key, and no
// position of the public API accepts it. No text converts to one, and it prints as what it is.
type OperatorToken struct{ text string }

// Text returns the token itself.
func (t OperatorToken) Text() string { return t.text }

// String returns the name of the kind, like account.Secret.String.
func (OperatorToken) String() string { return "token of the operators" }

// GoString is String.
func (t OperatorToken) GoString() string { return t.String() }

// operatorPrefix begins a token of operators, as the prefixes of account.Secret begin theirs.
const operatorPrefix = "rso_"

// operatorToken derives the token from the service's secret.
func operatorToken(secret []byte) OperatorToken {
	return OperatorToken{operatorPrefix + hex.EncodeToString(derive(secret, "roshambo/operator-token/v1"))}
}

// valid reports whether an Authorization header has the token. It takes constant time.
func (t OperatorToken) valid(header string) bool {
	return hmac.Equal([]byte(header), []byte("Bearer "+t.text))
}

// ReadOperatorToken returns the token of the operators' API of the service whose keys are in keys, the
// text of a keys file, or in a data folder when keys is "".
func ReadOperatorToken(folder, keys string) (OperatorToken, error) {
	k, err := parseKeys(keys)
	if keys == "" {
		k, err = readKeys(filepath.Join(folder, keysFile))
	}
	if err != nil {
		return OperatorToken{}, err
	}
	secret, err := k.seedKey()
	if err != nil {
		return OperatorToken{}, err
	}
	return operatorToken(secret), nil
}

// derive returns a key for one purpose.
func derive(secret []byte, purpose string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// acts returns the log of acts.
func (s *Service) acts() *operator.Log {
	return &operator.Log{Key: derive(s.secret, "roshambo/operator-log/v1")}
}

// operatorError is an error of the operators' API with its status.
type operatorError struct {
	status int
	text   string
	hits   any // what the call would hit, for one that lacks its confirmation
}

func (e *operatorError) Error() string { return e.text }

// operatorCall is one call of the operators' API.
type operatorCall struct {
	s        *Service
	admitted bool   // has sent the token
	operator string // as the caller says; unknownOperator before that is known
	action   string
	values   map[string]string // of the query, of the body or of a form
	preview  bool              // shows what the act would hit, and changes nothing
}

// operatorAPI registers the operators' API and page.
func (s *Service) operatorAPI(mux *http.ServeMux) {
	for name, act := range operatorActs {
		method := http.MethodPost
		if act.reads {
			method = http.MethodGet
		}
		mux.HandleFunc(method+" /operator/"+name, func(w http.ResponseWriter, r *http.Request) {
			c := &operatorCall{s: s, action: name, operator: unknownOperator, values: map[string]string{}}
			out, err := c.operate(r, act.do)
			if text, refused := refusal(err); refused {
				c.recordRefusal(r.Context(), text)
			}
			s.answerOperator(w, out, err)
		})
	}
	mux.Handle(adminpage.Path, s.page)
	mux.Handle("GET /{$}", http.RedirectHandler(adminpage.Path, http.StatusSeeOther))
}

var operatorName = regexp.MustCompile(`^[A-Za-z0-9@._ -]{1,64}$`)

// operate authenticates and runs one call. Errors: *operatorError, account.ErrNotFound, and faults.
func (c *operatorCall) operate(
	r *http.Request, act func(*operatorCall, context.Context) (any, error),
) (any, error) {
	if !operatorToken(c.s.secret).valid(r.Header.Get("Authorization")) {
		return nil, &operatorError{status: http.StatusUnauthorized, text: "the token is missing or wrong"}
	}
	c.admitted = true
	name := r.Header.Get(operatorHeader)
	if !operatorName.MatchString(name) {
		return nil, refusedCall("the header %s does not name the operator", operatorHeader)
	}
	c.operator = name
	for name, list := range r.URL.Query() {
		c.values[name] = list[0]
	}
	if r.Method == http.MethodPost {
		body := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 16<<10))
		if err := body.Decode(&c.values); err != nil {
			return nil, refusedCall("the body is not a JSON object of texts")
		}
	}
	return act(c, r.Context())
}

// operatorAnswer returns the answer to a call. The text of a fault goes to the log alone.
func (s *Service) operatorAnswer(out any, err error) adminpage.Answer {
	text, isRefused := refusal(err)
	var refused *operatorError
	switch {
	case errors.As(err, &refused):
		return adminpage.Answer{Status: refused.status, Message: text, Hits: refused.hits}
	case isRefused:
		return adminpage.Answer{Status: http.StatusNotFound, Message: text}
	case errors.Is(err, ledger.ErrConflict):
		return adminpage.Answer{Status: http.StatusConflict,
			Message: "a concurrent change conflicted with this one: try again"}
	case errors.Is(err, ledger.ErrRecovering): // also a call that reads: its entry of the log of acts cannot be stored
		return adminpage.Answer{Status: http.StatusServiceUnavailable,
			Message: "recovering from a loss of data, and nothing was stored: try again"}
	case errors.Is(err, store.ErrNotStored), errors.Is(err, store.ErrFull):
		return adminpage.Answer{Status: http.StatusServiceUnavailable, Message: "nothing was stored: try again"}
	case store.IsTransient(err):
		return adminpage.Answer{Status: http.StatusServiceUnavailable,
			Message: "the database did not answer: look whether it was done before you repeat it"}
	case err != nil:
		s.log.Error("operators' API", "error", err)
		return adminpage.Answer{Status: http.StatusInternalServerError, Message: "a fault; see the service's log"}
	}
	return adminpage.Answer{Status: http.StatusOK, Body: out}
}

// answerOperator writes the answer of a call.
func (s *Service) answerOperator(w http.ResponseWriter, out any, err error) {
	answer := s.operatorAnswer(out, err)
	out = answer.Body
	if answer.Message != "" {
		out = struct {
			Hits    any    `json:"hits,omitempty"`
			Message string `json:"message"`
		}{answer.Hits, answer.Message}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if answer.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(answer.Status)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(out) // the caller has disconnected
}

// do runs an act in one transaction with its entry in the log: a crash leaves both or neither. find
// names the account that the act is about, "" for none. The entry goes to the service's log as well.
func (c *operatorCall) do(
	ctx context.Context, find string, act func(ctx context.Context, tx *store.Tx, a account.Account) (any, error),
) (out any, err error) {
	var entry operator.Entry
	err = c.s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		e := operator.Entry{Operator: c.operator, Action: c.action}
		var a account.Account
		var err error
		if find != "" {
			if a, err = c.s.findAccount(ctx, tx, find); err != nil {
				return err
			}
			e.Subject = &a.Address
			if c.action != "account" { // which only reads
				if err := c.notOfTheHouse(ctx, tx, a); err != nil {
					return err
				}
			}
			if c.preview {
				return c.hits(ctx, tx, a, previewText)
			}
		}
		if out, err = act(ctx, tx, a); err != nil {
			return err
		}
		if c.preview { // an act without a confirmation of its own, which this error rolls back
			return &operatorError{http.StatusBadRequest, previewText, out}
		}
		detail := map[string]string{}
		maps.Copy(detail, c.values)
		if a.Username != "" {
			detail["username"] = a.Username // at the time of the act
		}
		entry, err = c.s.acts().Append(ctx, tx, e, detail)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.s.log.Warn("operator", "seq", entry.Seq, "operator", entry.Operator, "action", entry.Action,
		"hash", hex.EncodeToString(entry.Hash[:]))
	return out, nil
}

// The length of a reason, in bytes.
const (
	minReason = 3
	maxReason = 300
)

// reason checks the reason of an act. A preview has none yet. Errors: *operatorError.
func (c *operatorCall) reason() error {
	if n := len(c.values["reason"]); !c.preview && (n < minReason || n > maxReason) {
		return refusedCall("an act needs a reason of %d to %d bytes; this one has %d", minReason, maxReason, n)
	}
	return nil
}

// refusedCall returns the error of a call that is wrong.
func refusedCall(format string, args ...any) error {
	return &operatorError{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

// notOfTheHouse refuses an act on a bot of the house. The house's bots are part of the service: their names say what
// they are, and --house-bots=false stops them. Errors: *operatorError.
func (c *operatorCall) notOfTheHouse(ctx context.Context, tx *store.Tx, a account.Account) error {
	owner, err := c.s.Accounts.Party(ctx, tx, a.Address)
	if err == nil && a.Kind == chain.Bot && owner == a.Address {
		err = refusedCall("%s is a bot of the house: --house-bots=false stops them", a.Username)
	}
	return err
}

// previewText is the text of the refusal that shows what an act would hit.
const previewText = "shown for confirmation: the act hits this"

// confirmed checks that the operator has typed the name of the account that an act hits. Errors: *operatorError, with
// what the act would hit.
func (c *operatorCall) confirmed(ctx context.Context, tx *store.Tx, a account.Account) error {
	if c.values["confirm"] == a.Username {
		return nil
	}
	return c.hits(ctx, tx, a, "send the username as confirm: the act hits this account")
}

// hits returns the refusal of an act on an account: an *operatorError with a text and the account.
func (c *operatorCall) hits(ctx context.Context, tx *store.Tx, a account.Account, text string) error {
	hits, err := c.show(ctx, tx, a)
	if err != nil {
		return err
	}
	return &operatorError{http.StatusBadRequest, text, hits}
}

// findAccount returns an account by its address or name. Errors: account.ErrNotFound.
func (s *Service) findAccount(ctx context.Context, tx *store.Tx, text string) (account.Account, error) {
	if a, err := chain.ParseAddress(text); err == nil {
		return s.Accounts.Get(ctx, tx, a)
	}
	return s.Accounts.ByName(ctx, tx, text)
}

// subject returns the account that the caller names; "?" finds none.
func (c *operatorCall) subject() string {
	if c.values["account"] == "" {
		return "?"
	}
	return c.values["account"]
}

// freeze freezes an account and its bots, takes them out of the queues, the lobby and cups that have not started,
// where they would be paired and play no move, and ends their streams. The cups that they host go on without a host,
// like the cups of a deleted account: open ones, whose names lists show, are cancelled. In a cup that runs they lose
// their game by its deadlines, and are out after one without a move of theirs, like players that do not show up.
func (c *operatorCall) freeze(ctx context.Context) (any, error) {
	arena := c.s.Arena
	return c.standing(ctx, func(ctx context.Context, tx *store.Tx, a chain.Address) ([]chain.Address, error) {
		frozen, err := c.s.Accounts.Freeze(ctx, tx, a)
		if err != nil {
			return frozen, err
		}
		for _, address := range frozen {
			if _, err := arena.LeaveQueue(ctx, tx, address); err != nil {
				return frozen, err
			}
			if _, err := arena.LeaveQuick(ctx, tx, address); err != nil {
				return frozen, err
			}
			if err := c.s.Duels.CancelOpen(ctx, tx, address); err != nil {
				return frozen, err
			}
			if err := c.s.Cups.LeaveOpen(ctx, tx, address); err != nil {
				return frozen, err
			}
			if err := c.s.Cups.Abandon(ctx, tx, address); err != nil {
				return frozen, err
			}
		}
		return frozen, nil
	})
}

// unfreeze ends the freezing of an account and of the bots that were frozen with it.
func (c *operatorCall) unfreeze(ctx context.Context) (any, error) {
	out, err := c.standing(ctx, c.s.Accounts.Unfreeze)
	if errors.Is(err, account.ErrOwnerFrozen) {
		err = &operatorError{status: http.StatusConflict, text: err.Error()}
	}
	return out, err
}

// standing freezes or unfreezes an account. An account that is in that state already is an answer
// with an empty list.
func (c *operatorCall) standing(
	ctx context.Context, change func(context.Context, *store.Tx, chain.Address) ([]chain.Address, error),
) (any, error) {
	if err := c.reason(); err != nil {
		return nil, err
	}
	var changed []chain.Address
	out, err := c.do(ctx, c.subject(), func(ctx context.Context, tx *store.Tx, a account.Account) (any, error) {
		var err error
		if c.action == "freeze" {
			if err := c.confirmed(ctx, tx, a); err != nil {
				return nil, err
			}
		}
		if changed, err = change(ctx, tx, a.Address); err != nil {
			return nil, err
		}
		list := make([]string, len(changed))
		for i, b := range changed {
			list[i] = b.String()
		}
		return map[string]any{"changed": list}, nil
	})
	publish := c.s.publish(relaySignedOut)
	for _, a := range changed { // also after an unknown outcome: streams then check their session
		c.s.API.Streams.RecheckSessions(a)
		publish(a.String())
	}
	return out, err
}

// number returns a value of the query between 1 and most, or its default. Errors: *operatorError.
func (c *operatorCall) number(name string, or, most int64) (int64, error) {
	if c.values[name] == "" {
		return or, nil
	}
	n, err := strconv.ParseInt(c.values[name], 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, refusedCall("%s is a number from 1 to %d", name, most)
	}
	return n, nil
}
