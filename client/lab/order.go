package lab

import (
	"context"
	"sync"
)

// inOrder runs work on all tasks concurrently and passes the results to consume in the
// order of the tasks, from one goroutine. It returns the first error of consume, or the
// error of ctx. All goroutines have ended when it returns.
func inOrder[T, R any](ctx context.Context, workers int, tasks []T, work func(T) R, consume func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	results := make([]chan R, len(tasks))
	for i := range results {
		results[i] = make(chan R, 1) // buffered, so that no worker waits for consume
	}
	// next hands the index of a task to a worker. It is unbuffered: after an error no further
	// task starts.
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
			if err := consume(r); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
