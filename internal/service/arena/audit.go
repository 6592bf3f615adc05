package arena

import (
	"context"
	"fmt"
	"maps"

	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/arenaq"
)

// Divergence is a stored value that differs from the expected one.
type Divergence struct {
	What     string // rating, history or count
	Pool     Pool
	Where    string // address, or block
	Expected string
	Found    string
}

// auditPage is the number of ratings that Audit reads at a time.
const auditPage = 1000

// Audit compares the stored ratings with a Book of the same snapshot's chain, including
// pending transactions: every rating, the history that leads to it, and the counts that
// ranks are computed from. It returns at most limit divergences.
func (s *Service) Audit(ctx context.Context, tx *store.Tx, book *Book, limit int) ([]Divergence, error) {
	a := &audit{expected: maps.Clone(book.Ratings()), limit: limit}
	for _, pool := range []Pool{Bots, Human} {
		if err := a.ratings(ctx, tx, pool); err != nil {
			return nil, err
		}
		_, err := newRanks(s.DB).Check(tx, string(pool), func(where string, expected, found int64) {
			if expected != found {
				a.add(Divergence{
					What: "count", Pool: pool, Where: where, Expected: fmt.Sprint(expected), Found: fmt.Sprint(found),
				})
			}
		})
		if err != nil {
			return nil, wrap("audit", err)
		}
	}
	for key, rating := range a.expected { // the ratings without a stored row
		a.add(Divergence{
			What: "rating", Pool: key.Pool, Where: key.Address.String(), Expected: format(rating), Found: "none"})
	}
	rows, err := q.New(tx).BrokenHistories(ctx, q.BrokenHistoriesParams{
		Provisional: Provisional, Rivals: MinRivals, Above: established, Count: int64(limit)})
	if err != nil {
		return nil, wrap("audit", err)
	}
	for _, r := range rows {
		a.add(Divergence{
			What: "history", Pool: Pool(r.Pool), Where: chain.Address(r.Address).String(),
			Expected: fmt.Sprintf("%d games that end at the rating", r.Games), Found: "others",
		})
	}
	return a.divergences, nil
}

// audit is the state of an Audit.
type audit struct {
	expected    map[PlayerKey]glicko.Fixed // ratings that were not compared yet
	divergences []Divergence
	limit       int
}

// add records a divergence, unless there are limit ones.
func (a *audit) add(d Divergence) {
	if len(a.divergences) < a.limit {
		a.divergences = append(a.divergences, d)
	}
}

// ratings compares the ratings of a pool.
func (a *audit) ratings(ctx context.Context, tx *store.Tx, pool Pool) error {
	after := top
	for {
		rows, err := q.New(tx).Top(ctx, q.TopParams{
			Pool: string(pool), Standing: after.Standing, Address: after.Address[:], Count: auditPage})
		if err != nil {
			return wrap("audit", err)
		}
		for _, row := range rows {
			p := fromTop(row)
			key, actual := PlayerKey{Pool: pool, Address: p.Address}, p.Record.Rating
			if rating, ok := a.expected[key]; !ok || rating != actual {
				expected := "none"
				if ok {
					expected = format(rating)
				}
				a.add(Divergence{
					What: "rating", Pool: pool, Where: p.Address.String(), Expected: expected, Found: format(actual)})
			}
			delete(a.expected, key)
			after = TableCursor{Standing: p.Record.Standing, Address: p.Address}
		}
		if len(rows) < auditPage {
			return nil
		}
	}
}

// format returns a rating for a report.
func format(f glicko.Fixed) string {
	r := f.Float()
	return fmt.Sprintf("%.6f ± %.6f, volatility %.12f", r.Rating, r.Deviation, r.Volatility)
}
