package edge

import (
	"fmt"
	"net/http"
	"strings"

	"roshambo/internal/server/api"
	"roshambo/internal/server/embed"
)

// waitTexts are the title and the sentence of the page that asks to wait, by language.
var waitTexts = map[string][2]string{
	"en": {"One moment…", "Many requests come from your network at the moment. This page opens by itself in %s s."},
	"de": {"Einen Moment …", "Aus deinem Netzwerk kommen gerade viele Anfragen. Diese Seite öffnet sich in %s s von selbst."},
	"es": {"Espera un poco…", "Llegan muchas peticiones desde tu red. Esta página se abre sola en %s s."},
	"fr": {"Un instant…", "Beaucoup de requêtes viennent de ton réseau. Cette page s’ouvre d’elle-même dans %s s."},
	"ja": {"少々お待ちください…", "現在、同じネットワークから多くのリクエストが届いています。このページは%s秒後に自動で開きます。"},
}

const waitPage = `<!doctype html>
<html lang="%s"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="%s">
<title>%s</title><h1>%[3]s</h1><p>%[4]s</p>
`

// askToWait answers a browser that opens a page beyond the limit of its address with a page that waits and
// opens it again.
func (e *Edge) askToWait(w http.ResponseWriter, r *http.Request, err error) {
	status, after := e.API.Describe(w, err)
	language := embed.Language(r.Header.Get("Accept-Language"))
	texts := waitTexts[language]
	h := w.Header()
	h.Set("Retry-After", after)
	h.Set("Content-Type", "text/html; charset=utf-8")
	framed := "'none'"
	if strings.HasPrefix(r.URL.Path, api.EmbedPath) {
		framed = "*"
	}
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors "+framed)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, waitPage, language, after, texts[0], fmt.Sprintf(texts[1], after)) // the client has disconnected
}
