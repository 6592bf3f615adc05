package edge

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/contract"
	"roshambo/internal/server/api"
	"roshambo/internal/server/embed"
	"roshambo/internal/server/preview"
)

// servePage serves the web page. At paths without a file, it answers programs, which do not accept
// HTML, with 404 as JSON.
func (e *Edge) servePage(w *api.Response, r *http.Request) {
	if !e.readOnly(w, r) {
		return
	}
	if !readsHTML(r) && e.HasPage != nil && !e.HasPage(r.URL.Path) {
		e.API.Fail(w, r, contract.ErrNotFound)
		return
	}
	if e.Download != nil && e.Download(r.URL.Path) && r.Method == http.MethodGet {
		e.serveDownload(w, r)
		return
	}
	if e.ServePage == nil {
		e.Page.ServeHTTP(w, r)
		return
	}
	e.ServePage(w, r, e.API.PageHead(r.Context(), r.URL.Path))
}

// downloadsPerAddress is how many large files an address may receive at the same time: the page sends only a few of
// them at once, and a client may read slowly for hours.
const downloadsPerAddress = 2

// serveDownload sends a large file, or the part that the client asks for. Its bytes count as bytes of the
// public log.
func (e *Edge) serveDownload(w *api.Response, r *http.Request) {
	end, ok := e.beginDownload(w.Client)
	if !ok {
		e.API.Fail(w, r, &api.RateLimitError{Wait: time.Minute, Message: "Two downloads of this network address go on."})
		return
	}
	defer end()
	head := r.Clone(r.Context())
	head.Method = http.MethodHead
	size := headers{http.Header{}}
	e.Page.ServeHTTP(size, head)
	if n, err := strconv.Atoi(size.Header().Get("Content-Length")); err == nil {
		if err := e.API.CountLogBytes(r.Context(), w.Client, n); err != nil {
			e.API.Fail(w, r, err)
			return
		}
	}
	e.Page.ServeHTTP(w, r)
}

// beginDownload takes a place of the client's address for a download until end is called, if there is one.
func (e *Edge) beginDownload(client api.Client) (end func(), ok bool) {
	if client.Inside {
		return func() {}, true
	}
	e.downloading.Lock()
	defer e.downloading.Unlock()
	if e.downloads.Full(client.Address, downloadsPerAddress) {
		return nil, false
	}
	e.downloads.Add(client.Address)
	return func() {
		e.downloading.Lock()
		defer e.downloading.Unlock()
		e.downloads.Remove(client.Address)
	}, true
}

// headers is a http.ResponseWriter that keeps the headers of an answer alone.
type headers struct{ header http.Header }

func (h headers) Header() http.Header       { return h.header }
func (headers) Write(b []byte) (int, error) { return len(b), nil }
func (headers) WriteHeader(int)             {}

// readOnly answers methods other than GET and HEAD with 405, and reports whether the request may go
// on.
func (e *Edge) readOnly(w *api.Response, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	allow := []string{http.MethodGet, http.MethodHead}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	e.API.Fail(w, r, &contract.MethodNotAllowedError{Allow: allow})
	return false
}

// pictureAge is how long clients keep a picture. Its address changes with its content.
const pictureAge = 24 * time.Hour

// servePicture answers requests below api.PicturePath with the picture of a page.
func (e *Edge) servePicture(w *api.Response, r *http.Request) {
	if !e.readOnly(w, r) {
		return
	}
	if err := e.sendPicture(w, r); err != nil {
		e.API.Fail(w, r, err)
	}
}

// sendPicture draws the picture of a page, or returns an error before it has written anything.
func (e *Edge) sendPicture(w *api.Response, r *http.Request) error {
	path, found := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, api.PicturePath), ".png")
	if !found {
		return contract.ErrNotFound
	}
	c, err := e.API.PictureOf(r.Context(), "/"+path)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(pictureAge.Seconds())))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("Content-Type", "image/png")
	h.Set("ETag", `"`+c.ID()+`"`)
	picture, found := e.pictures.Find(c)
	// The address names the content: a client that knows it needs no picture.
	if !found && r.Header.Get("If-None-Match") != `"`+c.ID()+`"` {
		if picture, err = e.drawPicture(r.Context(), w.Client, c); err != nil {
			for _, name := range []string{"Cache-Control", "Content-Type", "ETag"} {
				h.Del(name)
			}
			return err
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture))
	return nil
}

// drawPicture draws a picture, within the budget of the caller's network address.
func (e *Edge) drawPicture(ctx context.Context, client api.Client, c *preview.Card) ([]byte, error) {
	if e.PictureLimit != nil {
		if d := e.PictureLimit.Take(ctx, "", client.Address); !d.OK {
			return nil, &api.RateLimitError{Wait: d.Wait}
		}
	}
	return e.pictures.Draw(ctx, c)
}

// serveEmbed answers requests below api.EmbedPath with a page that every site may frame. It reads no cookie, so the
// page is the same for all visitors. The script of the page has an origin of its own, as the policy sandboxes it, and
// reads the page across origins.
func (e *Edge) serveEmbed(w *api.Response, r *http.Request) {
	if !e.readOnly(w, r) {
		return
	}
	language := embed.Language(r.Header.Get("Accept-Language"))
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Content-Security-Policy", embed.Policy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Add("Vary", "Accept-Language")
	err := e.API.SendEmbed(w, r, language)
	switch {
	case err == nil:
	case !readsHTML(r):
		e.API.Fail(w, r, err)
	default:
		status, after := e.API.Describe(w, err)
		page := embed.Unavailable(language)
		if status == http.StatusNotFound {
			page = embed.Missing(language)
		} else {
			h.Set("Retry-After", after)
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write(page) // the client has disconnected
	}
}

// readsHTML reports whether a request accepts HTML, as a browser's requests for a page do.
func readsHTML(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
