package lab

import (
	"context"
	"sync"
)

// inOrder does work on all tasks, several at a time, and hands what comes of each to
// take, one after the other in the order of the tasks. It returns take's first error,
// or that of ctx.
func inOrder[T, R any](ctx context.Context, workers int, tasks []T, work func(T) R, take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	results := make([]chan R, len(tasks))
	for i := range results {
		results[i] = make(chan R, 1) // has a place, so that no worker waits for a taker
	}
	next := make(chan int)
	for range min(workers, len(tasks)) {
		group.Go(func() {
			for i := range next {
				results[i] <- work(tasks[i])
			}
		})
	}
	group.Go(func() {
		defer close(next)
		for i := range tasks {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for _, result := range results {
		select {
		case r := <-result:
			if err := take(r); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
