package api

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"roshambo/chain"
)

// Client is what package edge knows of the client of a request.
type Client struct {
	// Address is its network address; the zero Addr when it is unknown. Limits count it by the levels of
	// package limit.
	Address netip.Addr
	// Charged is the address for limits that exempt private addresses: unknown for all clients behind a
	// proxy that the operator has not named.
	Charged netip.Addr
	Shared  bool // many people share the address
	Inside  bool // the request comes from within the process: limits by address do not count it
}

// Network returns the network of the client's address: of IPv4 the first 24 bits, of IPv6 the first 48; "" for
// an unknown address. It tells a household or a provider from another one, and no person.
func (c Client) Network() string {
	bits := 48
	if c.Address.Is4() {
		bits = 24
	}
	p, err := c.Address.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}

// Response is an http.ResponseWriter that records what observers and the log need.
type Response struct {
	http.ResponseWriter
	Client Client
	// CountAgain counts the request as one more call of its client; package edge sets it. Errors: *RateLimitError.
	CountAgain func() error
	Operation  string // its id in the contract, or a name that package edge gives
	Status     int    // 0 until written
	Code       string
	Err        error // the cause of an error answer
	Waited     bool
	Reruns     int
	Account    chain.Address // of the caller, or signed in to; zero for none
	Mail       string        // of a request for a link: mailQueued or mailWithheld; "" for none
	packs      bool          // a large answer is sent with gzip
	packing    bool          // the headers wait for the packed body
}

// What becomes of the mail of a link, for the log: the answer does not show it.
const (
	mailQueued   = "queued"
	mailWithheld = "withheld" // by the limit of the mailbox
)

// responseOf returns the response behind w, for notes on it; an unused one when there is no
// request, as in tests.
func responseOf(w http.ResponseWriter) *Response {
	if o, ok := w.(*Response); ok {
		return o
	}
	return &Response{ResponseWriter: w}
}

// WriteHeader records the status.
func (o *Response) WriteHeader(status int) {
	if o.Status == 0 && status >= http.StatusOK {
		o.Status = status
	}
	if o.packing = o.packable(status); o.packing {
		return // Write sends the headers
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write records that there is an answer.
func (o *Response) Write(b []byte) (int, error) {
	if o.Status == 0 {
		o.Status = http.StatusOK
	}
	if o.packing {
		return o.writePacked(b)
	}
	return o.ResponseWriter.Write(b)
}

// Unwrap implements the protocol of http.ResponseController.
func (o *Response) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// packMin is the length in bytes up to which an answer is sent as it is: it fits into one packet anyway.
const packMin = 1 << 10

// packers pools gzip writers, each of which holds several hundred kilobytes.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// OfferPacked prepares a public answer for gzip, if the client accepts it. The answer has a Content-Length and is
// written in one piece, or is a file that is written through packedFile. Calls from within the process cross no
// network.
func (o *Response) OfferPacked(r *http.Request) {
	if o.Client.Inside {
		return
	}
	o.Header().Add("Vary", "Accept-Encoding")
	o.packs = acceptsGzip(r)
}

// packable reports whether the answer whose headers are set is sent with gzip. An entity tag names the plain
// bytes, and an answer with a cookie is for one caller.
func (o *Response) packable(status int) bool {
	if !o.packs || status != http.StatusOK {
		return false
	}
	h := o.Header()
	length, _ := strconv.Atoi(h.Get("Content-Length"))
	return length > packMin && h.Get("Content-Encoding") == "" && h.Get("ETag") == "" && h.Get("Set-Cookie") == ""
}

// writePacked sends headers and body of an answer with gzip. b is the whole body: package contract writes
// typed answers in one piece, those to HEAD too.
func (o *Response) writePacked(b []byte) (int, error) {
	o.packing = false
	body := withGzip(b)
	h := o.Header()
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	o.ResponseWriter.WriteHeader(o.Status)
	if _, err := o.ResponseWriter.Write(body); err != nil {
		return 0, err
	}
	return len(b), nil
}

// withGzip returns b compressed.
func withGzip(b []byte) []byte {
	var body bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&body)
	_, _ = z.Write(b) // memory to memory
	_ = z.Close()
	return body.Bytes()
}

// packedFile is the body of a public file that is written in parts, with gzip to a client that accepts it. Each part is
// compressed by itself, so that a client that reads slowly holds no compressor, of several hundred kilobytes. A file
// that is not closed looks cut off.
type packedFile struct {
	to    *Response
	begun bool        // the header is written
	sum   hash.Hash32 // of the text so far, for the trailer
	size  uint32
}

// packedFile begins the body; the headers are set.
func (o *Response) packedFile() *packedFile {
	if o.packs {
		o.Header().Set("Content-Encoding", "gzip")
	}
	return &packedFile{to: o, sum: crc32.NewIEEE()}
}

// Write sends a part, so that the client can read it before the next one is there.
func (f *packedFile) Write(b []byte) (int, error) {
	part := b
	if f.to.packs {
		part = f.pack(b)
	}
	if _, err := f.to.Write(part); err != nil {
		return 0, err
	}
	return len(b), http.NewResponseController(f.to).Flush()
}

// gzipHeader is the length of the header that a gzip.Writer without a name and a comment writes.
const gzipHeader = 10

// pack returns a part compressed, the first one behind the header. It ends with a byte, so that the next one follows.
func (f *packedFile) pack(b []byte) []byte {
	var part bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&part)
	_, _ = z.Write(b) // memory to memory
	_ = z.Flush()
	_, _ = f.sum.Write(b)
	f.size += uint32(len(b)) // modulo 2^32, as RFC 1952 has it
	if f.begun {
		return part.Bytes()[gzipHeader:]
	}
	f.begun = true
	return part.Bytes()
}

// Close ends a file that is whole, with an empty last block (RFC 1951) and the trailer (RFC 1952).
func (f *packedFile) Close() {
	if f.begun {
		end := binary.LittleEndian.AppendUint32([]byte{3, 0}, f.sum.Sum32())
		_, _ = f.to.Write(binary.LittleEndian.AppendUint32(end, f.size)) // the client may have left
	}
}

// acceptsGzip reports whether the client accepts gzip (RFC 9110, section 12.5.3).
func acceptsGzip(r *http.Request) bool {
	accepted := false
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameter, _ := strings.Cut(name, ";")
		weight, weighted := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		accepts := !weighted || err == nil && q > 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			return accepts
		case "*":
			accepted = accepts
		}
	}
	return accepted
}
