package httpapi

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"roshambo/contract"
)

// packed are the operations whose answers are sent with gzip to each caller: typed reads without a caller, so the
// answer holds nothing that is not public. The length of a compressed answer depends on repetitions in it: an answer
// that held a session, key or CSRF token beside text of an attacker's choice would give the token away piece
// by piece (BREACH). Therefore a new operation is not compressed until it is listed here. The public log is, too.
// Operations that callers may use anonymously have the same answers for all who do.
var packed = map[string]bool{
	"getTiers": true, "getDuelProof": true, "getMarket": true, "getPrices": true, "getListing": true,
	"getCrosstable": true, "getArenaBot": true, "listBotDuels": true, "listBotOpponents": true, "listBotRatings": true,
	"getPlayer": true, "listPlayerDuels": true, "listPlayerRatings": true, "listPlayerAchievements": true,
	"listPlayerCups": true, "listTeams": true, "getFeed": true, "getHead": true, "listBlocks": true, "getBlock": true,
	"getTx": true, "getAddress": true, "getToken": true, "search": true, "getChainStats": true, "getLimits": true,
}

// packMin is the length in bytes up to which an answer is sent as it is: it fits into one packet anyway.
const packMin = 1 << 10

// packers pools gzip writers, each of which holds several hundred kilobytes.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// offerPacked prepares a public answer for gzip, if the client accepts it. The answer has a Content-Length and is
// written in one piece. Calls from within the process cross no network.
func offerPacked(w http.ResponseWriter, r *http.Request) {
	if isInProcess(r.Context()) {
		return
	}
	w.Header().Add("Vary", "Accept-Encoding")
	responseOf(w).packs = acceptsGzip(r)
}

// offerPackedAnonymously is offerPacked for the answer to a request without a session or key. A stream is not
// written in one piece.
func (a *API) offerPackedAnonymously(op *contract.Operation, w http.ResponseWriter, r *http.Request) {
	if !op.Anonymous || op.Events != nil {
		return
	}
	offerPacked(w, r)
	w.Header().Add("Vary", "Authorization")
	w.Header().Add("Vary", "Cookie")
	if _, err := r.Cookie(a.cookieName()); err == nil || r.Header.Get("Authorization") != "" {
		responseOf(w).packs = false
	}
}

// packable reports whether the answer whose headers are set is sent with gzip. An entity tag names the plain
// bytes, and an answer with a cookie is for one caller.
func (o *response) packable(status int) bool {
	if !o.packs || status != http.StatusOK {
		return false
	}
	h := o.Header()
	length, _ := strconv.Atoi(h.Get("Content-Length"))
	return length > packMin && h.Get("Content-Encoding") == "" && h.Get("ETag") == "" && h.Get("Set-Cookie") == ""
}

// writePacked sends headers and body of an answer with gzip. b is the whole body: package contract writes
// typed answers in one piece, those to HEAD too.
func (o *response) writePacked(b []byte) (int, error) {
	o.packing = false
	var body bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&body)
	_, _ = z.Write(b) // memory to memory
	_ = z.Close()
	h := o.Header()
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	o.ResponseWriter.WriteHeader(o.status)
	if _, err := o.ResponseWriter.Write(body.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// acceptsGzip reports whether the client accepts gzip (RFC 9110, section 12.5.3).
func acceptsGzip(r *http.Request) bool {
	accepted := false
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameter, _ := strings.Cut(name, ";")
		weight, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		accepts := !given || err == nil && q > 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			return accepts
		case "*":
			accepted = accepts
		}
	}
	return accepted
}

// isUTF8 reports whether the escaped texts are UTF-8. Malformed escapes stand for themselves.
func isUTF8(escaped ...string) bool {
	for _, text := range escaped {
		plain := make([]byte, 0, len(text))
		for i := 0; i < len(text); i++ {
			if text[i] == '%' && i+2 < len(text) {
				if x, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
					plain = append(plain, byte(x))
					i += 2
					continue
				}
			}
			plain = append(plain, text[i])
		}
		if !utf8.Valid(plain) {
			return false
		}
	}
	return true
}
