package client

import (
	"iter"

	"roshambo/client/api"
)

// All iterates over the items of a list. read reads the page with a cursor, nil for the first one, and items returns
// the items of a page with the cursor of the next one, nil on the last:
//
//	for run, err := range client.All(
//		func(cursor *string) (*api.Answer[api.RunsOut], error) {
//			return c.API.ListRuns(ctx, &api.ListRunsParams{Cursor: cursor})
//		},
//		func(page *api.RunsOut) ([]api.Run, *string) { return page.Runs, page.Next },
//	) {
//
// A page is read when its first item is needed. An error is yielded with a zero item, and ends the iteration.
func All[Page, Item any](
	read func(cursor *string) (*api.Answer[Page], error), items func(*Page) ([]Item, *string),
) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for cursor, more := (*string)(nil), true; more; {
			page, err := Read(read(cursor))
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			var list []Item
			list, cursor = items(page)
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			more = cursor != nil
		}
	}
}
