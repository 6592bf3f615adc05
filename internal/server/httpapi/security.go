package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"roshambo/chain"
)

// securityEvents are the operations on access to accounts, by operation id, with the name of their line in
// the log. Every unsafe operation that takes no API key is one of them: TestSecurityLog.
var securityEvents = map[string]string{
	"register": "registered", "login": "sign_in", "logout": "sign_out",
	"requestMagicLink": "link_requested", "redeemMagicLink": "sign_in_by_link",
	"requestPasswordReset": "reset_requested", "redeemPasswordReset": "password_reset",
	"changePassword": "password_changed", "removeMailbox": "mailbox_removed",
	"endSession": "session_ended", "endOtherSessions": "sessions_ended",
	"createKey": "key_made", "revokeKey": "key_ended", "createBot": "bot_made", "rotateBotKey": "bot_key_made",
	"rename": "renamed", "exportAccount": "exported", "deleteAccount": "account_deleted",
}

// logSecurity writes one line about an operation on access to an account, whether it succeeded or not: who
// is the account and the shortened network address, never a name, a mailbox or a secret that the client
// sent.
func (o *response) logSecurity(ctx context.Context, r *http.Request, out *Outcome) {
	event, ok := securityEvents[out.Operation]
	if !ok {
		return
	}
	level := slog.LevelInfo
	if out.Status >= http.StatusBadRequest {
		level = slog.LevelWarn
	}
	fields := []slog.Attr{
		slog.String("event", event), slog.String("request_id", out.RequestID), slog.Int("status", out.Status),
		slog.String("network", shortNetwork(o.api.clients.address(r))),
	}
	if out.Code != "" {
		fields = append(fields, slog.String("code", out.Code))
	}
	if o.account != (chain.Address{}) {
		fields = append(fields, slog.String("account", o.account.String()))
	}
	o.api.Logger.LogAttrs(ctx, level, "security", fields...)
}

// shortNetwork returns the network of an address: of IPv4 the first 24 bits, of IPv6 the first 48; "" for an
// unknown address. It tells a household or a provider from another one, and no person.
func shortNetwork(a netip.Addr) string {
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}
