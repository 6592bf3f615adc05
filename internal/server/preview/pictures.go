package preview

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// ErrBusy reports that too many pictures are being drawn.
var ErrBusy = errors.New("preview: too many pictures are being drawn")

const (
	// maxKept bounds the pictures in memory; each takes some 50 KB.
	maxKept = 100
	// maxWaiting bounds the callers that wait for a picture. One is drawn at a time, in some 30 ms,
	// so that links that are shared widely take at most one processor.
	maxWaiting = 32
)

// Pictures draws pictures and keeps those that were asked for last. The zero value is empty. Its
// methods may be called concurrently.
type Pictures struct {
	once    sync.Once
	drawing chan struct{} // holds one token while a picture is drawn
	waiting chan struct{} // holds one token for each caller that waits

	mu    sync.Mutex // guards the fields below
	order list.List  // of *kept, the one used last in front
	byID  map[string]*list.Element
}

// kept is a picture in memory.
type kept struct {
	id  string
	png []byte
}

// ID returns the name of a card's picture: 16 hex digits that follow from its content.
func (c *Card) ID() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("preview: %v", err)) // a card holds texts and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Find returns the picture of a card when it is in memory.
func (p *Pictures) Find(c *Card) (png []byte, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.byID[c.ID()]
	if e == nil {
		return nil, false
	}
	p.order.MoveToFront(e)
	return e.Value.(*kept).png, true // the list holds nothing else
}

// Draw returns the picture of a card, and draws it unless it is in memory. Errors: ErrBusy, and
// the error of ctx.
func (p *Pictures) Draw(ctx context.Context, c *Card) ([]byte, error) {
	p.once.Do(func() { p.drawing, p.waiting = make(chan struct{}, 1), make(chan struct{}, maxWaiting) })
	select {
	case p.waiting <- struct{}{}:
		defer func() { <-p.waiting }()
	default:
		return nil, ErrBusy
	}
	select {
	case p.drawing <- struct{}{}:
		defer func() { <-p.drawing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if found, ok := p.Find(c); ok { // drawn while this caller waited
		return found, nil
	}
	png, err := PNG(c)
	if err != nil {
		return nil, err
	}
	p.keep(c.ID(), png)
	return png, nil
}

// keep stores a picture, and drops the one that was not used for longest.
func (p *Pictures) keep(id string, png []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil {
		p.byID = map[string]*list.Element{}
	}
	p.byID[id] = p.order.PushFront(&kept{id, png})
	if p.order.Len() > maxKept {
		last := p.order.Remove(p.order.Back()).(*kept) // as above
		delete(p.byID, last.id)
	}
}
