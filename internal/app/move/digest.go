package move

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math/bits"

	"roshambo/internal/store"
)

// Digest identifies the rows of a table, on every engine alike: their number, and the sum of the SHA-256 of each row
// modulo 2^256. The sum depends on no order, as engines sort texts differently, and rows that occur twice do not
// cancel out.
type Digest struct {
	Rows int64
	sum  [4]uint64 // least significant first
}

// String returns the sum in hex.
func (d Digest) String() string {
	var b [32]byte
	for i, word := range d.sum {
		binary.BigEndian.PutUint64(b[24-8*i:], word)
	}
	return hex.EncodeToString(b[:])
}

// add adds the hash of a row.
func (d *Digest) add(row [32]byte) {
	d.Rows++
	var carry uint64
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.BigEndian.Uint64(row[24-8*i:]), carry)
	}
}

// join adds a table to the digest of several: one row, with its name, number of rows and sum.
func (d *Digest) join(table string, t Digest) {
	rows := d.Rows + t.Rows
	d.add(sha256.Sum256(fmt.Appendf(nil, "%s %d %v", table, t.Rows, t)))
	d.Rows = rows
}

// digest reads a table. It leaves out the rows of a move.
func digest(ctx context.Context, d *store.DB, t store.Table) (sum Digest, err error) {
	err = d.Views(ctx, 1, func(_ context.Context, txs []*store.Tx) error {
		sum = Digest{}
		row := encoder{hash: sha256.New()}
		return txs[0].Scan("SELECT "+list(t)+" FROM "+t.Name+withoutMove(t), nil, func(r store.Row) {
			row.hash.Reset()
			for i, c := range t.Columns {
				row.column(r, i, c.Type)
			}
			row.hash.Sum(row.sum[:0])
			sum.add(row.sum)
		})
	})
	return sum, err
}

// encoder hashes the canonical encoding of a row: for each column n for NULL, i and 8 bytes big-endian for an
// integer, or b, the length in 8 bytes and the bytes, in UTF-8 for a text.
type encoder struct {
	hash hash.Hash
	sum  [32]byte
	head [9]byte
}

func (e *encoder) column(r store.Row, i int, is store.ColumnType) {
	switch {
	case r.Null(i):
		e.head[0] = 'n'
		e.hash.Write(e.head[:1])
	case is == store.Integer:
		e.head[0] = 'i'
		binary.BigEndian.PutUint64(e.head[1:], uint64(r.Int(i))) // two's complement
		e.hash.Write(e.head[:])
	default:
		b := r.Bytes(i)
		e.head[0] = 'b'
		binary.BigEndian.PutUint64(e.head[1:], uint64(len(b)))
		e.hash.Write(e.head[:])
		e.hash.Write(b)
	}
}
