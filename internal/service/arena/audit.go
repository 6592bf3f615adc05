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

// Divergence is something stored that is not what it must be.
type Divergence struct {
	What     string // rating, history or count
	Pool     Pool
	Where    string // address, or block
	Expected string
	Found    string
}

// auditPage is how many ratings Audit reads at a time.
const auditPage = 1000

// Audit compares what is stored of ratings with what a Book of the same snapshot's chain,
// pending transactions included, says they must be: every rating, that each player's
// history leads to it, and the counts that ranks are made of. It returns up to most
// divergences.
func (s *Service) Audit(ctx context.Context, tx *store.Tx, book *Book, most int) ([]Divergence, error) {
	a := &audit{want: maps.Clone(book.Ratings()), most: most}
	for _, pool := range []Pool{Bots, Human} {
		if err := a.ratings(ctx, tx, pool); err != nil {
			return nil, err
		}
		_, err := newRanks(s.DB).Check(tx, string(pool), func(where string, expected, found int64) {
			if expected != found {
				a.add(Divergence{"count", pool, where, fmt.Sprint(expected), fmt.Sprint(found)})
			}
		})
		if err != nil {
			return nil, wrap("audit", err)
		}
	}
	for who, rating := range a.want { // which nothing stored has answered
		a.add(Divergence{"rating", who.Pool, who.Address.String(), show(rating), "none"})
	}
	rows, err := q.New(tx).BrokenHistories(ctx, int64(most))
	if err != nil {
		return nil, wrap("audit", err)
	}
	for _, r := range rows {
		a.add(Divergence{"history", Pool(r.Pool), chain.Address(r.Address).String(), fmt.Sprintf("%d games that end at the rating", r.Games), "others"})
	}
	return a.found, nil
}

// audit is one pass.
type audit struct {
	want  map[Rated]glicko.Fixed
	found []Divergence
	most  int
}

func (a *audit) add(d Divergence) {
	if len(a.found) < a.most {
		a.found = append(a.found, d)
	}
}

// ratings compares the ratings of a pool.
func (a *audit) ratings(ctx context.Context, tx *store.Tx, pool Pool) error {
	after := top
	for {
		rows, err := q.New(tx).Top(ctx, q.TopParams{Pool: string(pool), Rating: after.Rating, Address: after.Address[:], Count: auditPage})
		if err != nil {
			return wrap("audit", err)
		}
		for _, row := range rows {
			p := fromTop(row)
			who, found := Rated{pool, p.Address}, p.Record.Rating
			if want, ok := a.want[who]; !ok || want != found {
				expected := "none"
				if ok {
					expected = show(want)
				}
				a.add(Divergence{"rating", pool, p.Address.String(), expected, show(found)})
			}
			delete(a.want, who)
			after = After{found.Rating, p.Address}
		}
		if len(rows) < auditPage {
			return nil
		}
	}
}

func show(f glicko.Fixed) string {
	r := f.Float()
	return fmt.Sprintf("%.6f ± %.6f, volatility %.12f", r.Rating, r.Deviation, r.Volatility)
}
