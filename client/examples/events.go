//go:build ignore

// Follows the public events of a service until the first block, and lists the newest blocks.
//
//	go run client/examples/events.go http://127.0.0.1:8080
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"roshambo/client"
	"roshambo/client/api"
)

func main() {
	ctx := context.Background()
	c, err := client.New(client.Options{URL: os.Args[1]})
	if err != nil {
		log.Fatal(err)
	}
	topics := []api.FollowEventsParamsTopics{api.FollowEventsParamsTopicsBlocks}
	for event, err := range c.Events(ctx, api.FollowEventsParams{Topics: &topics}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Name, string(event.Data))
		if event.Name == "block" {
			break
		}
	}
	listed := 0
	for block, err := range client.All(
		func(cursor *string) (*api.Answer[api.BlocksOut], error) {
			return c.API.ListBlocks(ctx, &api.ListBlocksParams{Limit: new(int64(2)), Cursor: cursor})
		},
		func(page *api.BlocksOut) ([]api.BlockHeader, *string) { return page.Blocks, page.Next },
	) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("block %d has %d transactions\n", block.Height, block.TxCount)
		if listed++; listed == 5 {
			break
		}
	}
}
