package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// OperatorCall describes a call of the command `roshambo admin`.
type OperatorCall struct {
	Address  string // base URL of the admin address
	Token    OperatorToken
	Operator string
	Method   string
	Path     string // below /operator/, with a query
	Body     map[string]string
}

// Do makes the call and returns the text of the answer. Errors: an answer other than 200.
func (c OperatorCall) Do(ctx context.Context) (string, error) {
	var body strings.Builder
	if c.Body != nil {
		if err := json.NewEncoder(&body).Encode(c.Body); err != nil {
			return "", err
		}
	}
	r, err := http.NewRequestWithContext(ctx, c.Method, strings.TrimSuffix(c.Address, "/")+"/operator/"+c.Path,
		strings.NewReader(body.String()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+c.Token.text)
	r.Header.Set(operatorHeader, c.Operator)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	var out json.RawMessage
	if err := json.NewDecoder(a.Body).Decode(&out); err != nil {
		return "", fmt.Errorf("%s: the answer is not JSON: %w", a.Status, err)
	}
	if a.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", a.Status, out)
	}
	return string(out), nil
}
