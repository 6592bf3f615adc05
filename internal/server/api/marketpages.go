package api

import (
	"sync"

	"roshambo/contract"
	"roshambo/internal/service/market"
)

// marketPages caches the encoded first pages of the market. Package market returns the same page
// until the market changes.
type marketPages struct {
	mu   sync.Mutex // guards kept
	kept map[market.BrowseOptions]marketPage
}

// marketPage is a page and its encoded answer, valid while package market returns the same page.
type marketPage struct {
	of      *market.Page
	encoded []byte
}

// maxMarketPages bounds the number of cached pages.
const maxMarketPages = 256

// encode returns the encoded answer for a page, from the cache or from wire. It caches first pages
// only.
func (p *marketPages) encode(b market.BrowseOptions, of *market.Page, wire func() any) ([]byte, error) {
	p.mu.Lock()
	kept, ok := p.kept[b]
	p.mu.Unlock()
	if ok && kept.of == of {
		return kept.encoded, nil
	}
	encoded, err := contract.Encode(wire())
	if err != nil || b.After != nil { // a page after a cursor has few readers
		return encoded, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= maxMarketPages {
		p.kept = map[market.BrowseOptions]marketPage{}
	}
	p.kept[b] = marketPage{of: of, encoded: encoded}
	return encoded, nil
}
