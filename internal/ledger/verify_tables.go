package ledger

import (
	"context"
	"iter"
	"math"

	q "roshambo/internal/query/ledgerq"
)

// tables reads the tables from end to end, a page at a time.
type tables struct {
	ctx context.Context
	q   *q.Queries
}

// pageRows is how many rows a page has at most.
const pageRows = 2000

// paged goes through a table by its key. load returns rows whose keys are not below
// that of from, the smallest there can be when from is nil; so the first row of a
// page but the first one is known already.
func paged[R any](load func(from *R) ([]R, error)) iter.Seq2[[]R, error] {
	return func(yield func([]R, error) bool) {
		var from *R
		for {
			page, err := load(from)
			if err != nil {
				yield(nil, err)
				return
			}
			fresh := page
			if from != nil && len(fresh) > 0 {
				fresh = fresh[1:]
			}
			if !yield(fresh, nil) || len(page) < pageRows {
				return
			}
			from = &page[len(page)-1]
		}
	}
}

// storedBlock is a block as its rows hold it.
type storedBlock struct {
	*q.ScanBlocksRow // its first row; they differ by their chunk alone
	chunks           []storedChunk
}

type storedChunk struct {
	firstPos int64
	body     []byte
}

// blocksAtOnce bounds the blocks of a page, and so the memory: 8 full ones are some
// 4 MB.
const blocksAtOnce = 8

// blocks goes through the blocks by height.
func (t tables) blocks() iter.Seq2[[]storedBlock, error] {
	return func(yield func([]storedBlock, error) bool) {
		for first := int64(math.MinInt64); ; {
			list, err := t.q.ScanBlocks(t.ctx, q.ScanBlocksParams{First: first, Count: blocksAtOnce})
			if err != nil {
				yield(nil, err)
				return
			}
			if len(list) == 0 {
				return
			}
			last := list[len(list)-1].Height
			if !yield(gather(list), nil) || last == math.MaxInt64 {
				return
			}
			first = last + 1
		}
	}
}

// gather brings the rows of each block together.
func gather(list []q.ScanBlocksRow) (blocks []storedBlock) {
	for i := range list {
		row := &list[i]
		if i == 0 || row.Height != list[i-1].Height {
			blocks = append(blocks, storedBlock{ScanBlocksRow: row})
		}
		if row.ChunkPos != nil {
			b := &blocks[len(blocks)-1]
			b.chunks = append(b.chunks, storedChunk{*row.ChunkPos, row.Body})
		}
	}
	return blocks
}

func (t tables) pending() iter.Seq2[[]q.ChainPending, error] {
	return paged(func(from *q.ChainPending) ([]q.ChainPending, error) {
		if from == nil {
			from = &q.ChainPending{Seq: math.MinInt64}
		}
		return t.q.ListPending(t.ctx, q.ListPendingParams{First: from.Seq, Count: pageRows})
	})
}

func (t tables) pendingAddresses() iter.Seq2[[]q.ChainPendingAddress, error] {
	return paged(func(from *q.ChainPendingAddress) ([]q.ChainPendingAddress, error) {
		if from == nil {
			from = &q.ChainPendingAddress{Address: []byte{}, Hash: []byte{}}
		}
		return t.q.ScanPendingAddresses(t.ctx, q.ScanPendingAddressesParams{Address: from.Address, Hash: from.Hash, Count: pageRows})
	})
}

func (t tables) accounts() iter.Seq2[[]q.LedgerAccount, error] {
	return paged(func(from *q.LedgerAccount) ([]q.LedgerAccount, error) {
		if from == nil {
			from = &q.LedgerAccount{Address: []byte{}}
		}
		return t.q.ScanAccounts(t.ctx, q.ScanAccountsParams{First: from.Address, Count: pageRows})
	})
}

func (t tables) tokens() iter.Seq2[[]q.ScanTokensRow, error] {
	return paged(func(from *q.ScanTokensRow) ([]q.ScanTokensRow, error) {
		if from == nil {
			from = &q.ScanTokensRow{TokenID: math.MinInt64}
		}
		return t.q.ScanTokens(t.ctx, q.ScanTokensParams{First: from.TokenID, Count: pageRows})
	})
}

func (t tables) games() iter.Seq2[[]q.LedgerGame, error] {
	return paged(func(from *q.LedgerGame) ([]q.LedgerGame, error) {
		if from == nil {
			from = &q.LedgerGame{}
		}
		return t.q.ScanGames(t.ctx, q.ScanGamesParams{First: from.ID, Count: pageRows})
	})
}

func (t tables) index() iter.Seq2[[]q.ChainIndex, error] {
	return paged(func(from *q.ChainIndex) ([]q.ChainIndex, error) {
		if from == nil {
			from = &q.ChainIndex{Prefix: math.MinInt64, Pos: math.MinInt64}
		}
		return t.q.ScanIndex(t.ctx, q.ScanIndexParams{Prefix: from.Prefix, Pos: from.Pos, Count: pageRows})
	})
}

func (t tables) addressRows() iter.Seq2[[]q.ChainAddress, error] {
	return paged(func(from *q.ChainAddress) ([]q.ChainAddress, error) {
		if from == nil {
			from = &q.ChainAddress{Address: []byte{}, Pos: math.MinInt64}
		}
		return t.q.ScanAddresses(t.ctx, q.ScanAddressesParams{Address: from.Address, Pos: from.Pos, Count: pageRows})
	})
}

func (t tables) tokenRows() iter.Seq2[[]q.ChainToken, error] {
	return paged(func(from *q.ChainToken) ([]q.ChainToken, error) {
		if from == nil {
			from = &q.ChainToken{TokenID: math.MinInt64, Pos: math.MinInt64}
		}
		return t.q.ScanTokenRows(t.ctx, q.ScanTokenRowsParams{TokenID: from.TokenID, Pos: from.Pos, Count: pageRows})
	})
}

func (t tables) logHashes() iter.Seq2[[]q.LogHash, error] {
	return paged(func(from *q.LogHash) ([]q.LogHash, error) {
		if from == nil {
			from = &q.LogHash{Idx: math.MinInt64}
		}
		return t.q.ScanLogHashes(t.ctx, q.ScanLogHashesParams{First: from.Idx, Count: pageRows})
	})
}
