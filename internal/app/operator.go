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
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
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

// String returns the name of the kind, as that of account.Secret.
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
	values   map[string]string // of the query, or of the body
}

// operatorAPI registers the operators' API.
func (s *Service) operatorAPI(mux *http.ServeMux) {
	for pattern, act := range map[string]func(*operatorCall, context.Context) (any, error){
		"GET /operator/account": (*operatorCall).account, "POST /operator/freeze": (*operatorCall).freeze,
		"POST /operator/unfreeze": (*operatorCall).unfreeze, "POST /operator/rename": (*operatorCall).rename,
		"POST /operator/restore-name": (*operatorCall).restoreName,
		"POST /operator/hide":         (*operatorCall).hide, "POST /operator/unhide": (*operatorCall).hide,
		"GET /operator/flows": (*operatorCall).flows, "GET /operator/clusters": (*operatorCall).clusters,
		"GET /operator/log": (*operatorCall).log, "POST /operator/void": (*operatorCall).void,
		"POST /operator/restore-result": (*operatorCall).restoreResult,
	} {
		_, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c := &operatorCall{s: s, action: strings.TrimPrefix(path, "/operator/"), operator: unknownOperator,
				values: map[string]string{}}
			out, err := c.operate(r, act)
			if text, refused := refusal(err); refused {
				c.recordRefusal(r.Context(), text)
			}
			s.answerOperator(w, out, err)
		})
	}
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

// answerOperator writes the answer of a call. The text of a fault goes to the log alone.
func (s *Service) answerOperator(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	text, isRefused := refusal(err)
	var refused *operatorError
	switch {
	case errors.As(err, &refused):
		status, out = refused.status, map[string]any{"message": text}
		if refused.hits != nil {
			out = map[string]any{"message": text, "hits": refused.hits}
		}
	case isRefused:
		status, out = http.StatusNotFound, map[string]string{"message": text}
	case errors.Is(err, ledger.ErrConflict):
		status, out = http.StatusConflict, map[string]string{"message": "a concurrent change conflicted with this one: try again"}
	case errors.Is(err, store.ErrNotStored), errors.Is(err, store.ErrFull):
		status, out = http.StatusServiceUnavailable, map[string]string{"message": "nothing was stored: try again"}
	case store.IsTransient(err):
		status, out = http.StatusServiceUnavailable, map[string]string{
			"message": "the database did not answer: look whether it was done before you repeat it"}
	case err != nil:
		s.log.Error("operators' API", "error", err)
		status, out = http.StatusInternalServerError, map[string]string{"message": "a fault; see the service's log"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
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
		}
		if out, err = act(ctx, tx, a); err != nil {
			return err
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

// reason checks the reason of an act. Errors: *operatorError.
func (c *operatorCall) reason() error {
	if n := len(c.values["reason"]); n < minReason || n > maxReason {
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

// confirmed checks that the operator has typed the name of the account that an act hits. Errors: *operatorError, with
// what the act would hit.
func (c *operatorCall) confirmed(ctx context.Context, tx *store.Tx, a account.Account) error {
	if c.values["confirm"] == a.Username {
		return nil
	}
	hits, err := c.show(ctx, tx, a)
	if err != nil {
		return err
	}
	return &operatorError{http.StatusBadRequest, "send the username as confirm: the act hits this account", hits}
}

// findAccount returns an account by its address or name. Errors: account.ErrNotFound.
func (s *Service) findAccount(ctx context.Context, tx *store.Tx, text string) (account.Account, error) {
	if a, err := chain.ParseAddress(text); err == nil {
		return s.Accounts.Get(ctx, tx, a)
	}
	return s.Accounts.ByName(ctx, tx, text)
}

// account looks an account up.
func (c *operatorCall) account(ctx context.Context) (any, error) {
	return c.do(ctx, c.subject(), c.show)
}

// subject returns the account that the caller names; "?" finds none.
func (c *operatorCall) subject() string {
	if c.values["account"] == "" {
		return "?"
	}
	return c.values["account"]
}

// show returns what an operator sees of an account, and what an act on it hits.
func (c *operatorCall) show(ctx context.Context, tx *store.Tx, a account.Account) (any, error) {
	standing, err := c.s.Accounts.Standing(ctx, tx, a)
	if err != nil {
		return nil, err
	}
	state, _, err := c.s.Ledger.Account(ctx, tx, a.Address)
	if err != nil {
		return nil, err
	}
	bots := make([]string, len(standing.Bots))
	for i, b := range standing.Bots {
		bots[i] = b.String()
	}
	out := map[string]any{
		"address": a.Address.String(), "username": a.Username, "kind": string(a.Kind), "created_at": a.CreatedAt,
		"balance": state.Balance, "frozen_at": standing.FrozenAt, "deleted_at": standing.DeletedAt,
		"sessions": standing.Sessions, "keys": standing.Keys, "mailboxes": standing.Mailboxes,
		"has_password": standing.HasPassword, "bots": bots,
	}
	if standing.Owner != nil {
		out["owner"] = standing.Owner.String()
		words, err := c.s.Accounts.BotWords(ctx, tx, a.Address)
		if err != nil {
			return nil, err
		}
		out["version"], out["description"], out["hidden_reason"] = words.Version, words.Description, words.Hidden
	}
	listings, err := c.s.Market.ActiveBySeller(ctx, tx, a.Address)
	if err != nil {
		return nil, err
	}
	out["listings"] = len(listings)
	for status, name := range map[duel.Status]string{duel.Open: "open_duels", duel.Active: "active_duels"} {
		list, err := c.s.Duels.List(ctx, tx, duel.Filter{
			Of: a.Address, Status: status, Before: chain.MaxID, Count: duel.MaxUnfinished})
		if err != nil {
			return nil, err
		}
		out[name] = len(list)
	}
	cups := map[string]int64{} // by address
	for _, of := range append([]chain.Address{a.Address}, standing.Bots...) {
		seat, err := c.s.Cups.SeatOf(ctx, tx, of)
		if err != nil {
			return nil, err
		}
		if seat.Cup != 0 {
			cups[of.String()] = seat.Cup
		}
	}
	out["cups"] = cups
	return out, c.showOwn(ctx, tx, a.Address, out)
}

// showOwn adds the unfinished cups that an account hosts, and its team.
func (c *operatorCall) showOwn(ctx context.Context, tx *store.Tx, a chain.Address, out map[string]any) error {
	hosted, err := c.s.Cups.HostedBy(ctx, tx, a)
	if err != nil {
		return err
	}
	numbers := make([]int64, len(hosted))
	for i, one := range hosted {
		numbers[i] = one.Number
	}
	out["hosted_cups"], out["team"] = numbers, nil
	id, err := c.s.Teams.TeamOf(ctx, tx, a)
	if err != nil || id == 0 {
		return err
	}
	t, err := c.s.Teams.ByID(ctx, tx, id)
	if err != nil {
		return err
	}
	out["team"] = map[string]any{"slug": t.Slug, "name": t.Name, "members": t.Members, "founder": t.Founder == a}
	return nil
}

// freeze freezes an account and its bots, takes them out of the queues, the lobby and cups that have not started,
// where they would be paired and play no move, and ends their streams. The cups that they host go on without a host,
// as those of a deleted account: open ones, whose names lists show, are cancelled. In a cup that runs they lose their
// game by its deadlines, and are out after one without a move of theirs, as players who do not show up.
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

// unfreeze ends the freezing of an account and its bots.
func (c *operatorCall) unfreeze(ctx context.Context) (any, error) {
	return c.standing(ctx, c.s.Accounts.Unfreeze)
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

// readFlows reads the flows of the last hours (24 by default), and logs the call.
func (c *operatorCall) readFlows(ctx context.Context) (flows []operator.Flow, parties map[chain.Address]operator.Party,
	err error) {
	hours, err := c.number("hours", 24, 24*366)
	if err != nil {
		return nil, nil, err
	}
	since := c.s.config.Now().Add(-time.Duration(hours) * time.Hour)
	err = c.s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error { // a long scan, outside of the update
		flows, parties, err = operator.Flows(ctx, tx, since)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	_, err = c.do(ctx, "", func(context.Context, *store.Tx, account.Account) (any, error) { return nil, nil })
	return flows, parties, err
}

// partyOut is an account in a flow.
type partyOut struct {
	Address  string  `json:"address"`
	Username string  `json:"username"`
	Kind     string  `json:"kind"`
	Owner    *string `json:"owner,omitempty"`
}

func party(parties map[chain.Address]operator.Party, a chain.Address) partyOut {
	p := parties[a]
	out := partyOut{Address: a.String(), Username: p.Username, Kind: string(p.Kind)}
	if p.Owner != nil {
		owner := p.Owner.String()
		out.Owner = &owner
	}
	return out
}

// flows lists the largest value flows between accounts.
func (c *operatorCall) flows(ctx context.Context) (any, error) {
	limit, err := c.number("limit", 50, 1000)
	if err != nil {
		return nil, err
	}
	flows, parties, err := c.readFlows(ctx)
	if err != nil {
		return nil, err
	}
	list := []map[string]any{}
	for _, f := range flows[:min(len(flows), int(limit))] {
		list = append(list, map[string]any{"from": party(parties, f.From), "to": party(parties, f.To), "times": f.Times,
			"coins": f.Coins})
	}
	return map[string]any{"flows": list}, nil
}

// clusters lists the accounts that value flows or owners connect.
func (c *operatorCall) clusters(ctx context.Context) (any, error) {
	limit, err := c.number("limit", 20, 1000)
	if err != nil {
		return nil, err
	}
	coins, err := c.number("coins", 1, chain.MaxID)
	if err != nil {
		return nil, err
	}
	flows, parties, err := c.readFlows(ctx)
	if err != nil {
		return nil, err
	}
	owners := map[chain.Address]chain.Address{}
	for a, p := range parties {
		if p.Owner != nil {
			owners[a] = *p.Owner
		}
	}
	clusters := operator.Clusters(flows, owners, coins)
	list := []map[string]any{}
	for _, cluster := range clusters[:min(len(clusters), int(limit))] {
		accounts := make([]partyOut, len(cluster.Accounts))
		for i, a := range cluster.Accounts {
			accounts[i] = party(parties, a)
		}
		list = append(list, map[string]any{"accounts": accounts, "flows": cluster.Flows, "coins": cluster.Coins,
			"sink": cluster.Sink.String(), "gain": cluster.Gain})
	}
	return map[string]any{"clusters": list}, nil
}

// log verifies the log of acts and lists its newest entries. The call itself is the first of them.
func (c *operatorCall) log(ctx context.Context) (any, error) {
	limit, err := c.number("limit", 50, 1000)
	if err != nil {
		return nil, err
	}
	if _, err := c.do(ctx, "", func(context.Context, *store.Tx, account.Account) (any, error) {
		return nil, nil
	}); err != nil {
		return nil, err
	}
	out := map[string]any{}
	err = c.s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		acts := c.s.acts()
		entries, err := acts.Entries(ctx, tx, 1<<62, limit)
		if err != nil {
			return err
		}
		_, errBroken := acts.Verify(ctx, tx)
		if errBroken != nil && !errors.Is(errBroken, operator.ErrBroken) {
			return errBroken
		}
		list := []map[string]any{}
		for _, e := range entries {
			row := map[string]any{"seq": e.Seq, "at": e.At, "operator": e.Operator, "action": e.Action, "detail": e.Detail,
				"hash": hex.EncodeToString(e.Hash[:])}
			if e.Subject != nil {
				row["subject"] = e.Subject.String()
			}
			list = append(list, row)
		}
		out["valid"], out["entries"] = errBroken == nil, list
		if errBroken != nil {
			out["problem"] = errBroken.Error()
		}
		return nil
	})
	return out, err
}
