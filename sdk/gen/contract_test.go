package main

import (
	"os"
	"strings"
	"testing"
)

// document returns the contract of the service as text.
func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find returns the operation with an id.
func find(t *testing.T, c *contract, id string) *operation {
	t.Helper()
	for i := range c.operations {
		if c.operations[i].id == id {
			return &c.operations[i]
		}
	}
	t.Fatalf("no operation is called %s", id)
	return nil
}

// TestReadContract reads the contract of the service, and checks the parts that the languages depend on.
func TestReadContract(t *testing.T) {
	t.Parallel()
	text := document(t)
	c, err := readContract([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(text, "operationId: "); len(c.operations) != want {
		t.Errorf("%d operations, want %d", len(c.operations), want)
	}
	for _, o := range c.operations {
		if paged := hasQuery(&o, "cursor"); paged != (o.page != nil) {
			t.Errorf("%s: a page is %v, want %v", o.id, o.page != nil, paged)
		}
		if o.result.kind == isObject || o.tag == "" || o.media == "" {
			t.Errorf("%s: %+v", o.id, o)
		}
	}
	commit := find(t, c, "commitDuel")
	if !commit.idempotent || !commit.prefers || !commit.csrf || !commit.body.required ||
		commit.body.typ.ref != "CommitIn" {
		t.Errorf("commitDuel: %+v", commit)
	}
	if guest := find(t, c, "createGuest"); guest.idempotent || guest.body != nil || len(guest.access) != 0 {
		t.Errorf("createGuest: %+v", guest)
	}
	if market := find(t, c, "getMarket"); market.page.items != "listings" || market.page.item.ref != "Listing" {
		t.Errorf("getMarket: %+v", market.page)
	}
	for id, want := range map[string]form{"getMe": asJSON, "getTokenImage": asText, "dataDuels": asLines,
		"getCupProofs": asLines, "followEvents": asEvents} {
		if got := find(t, c, id).form; got != want {
			t.Errorf("%s has the form %d, want %d", id, got, want)
		}
	}
	if !c.schema("CommitIn").input || c.schema("DuelOut").input {
		t.Error("CommitIn is of requests, DuelOut of answers")
	}
	for name, want := range map[string]string{
		"GuestOut": "The answer of createGuest.", "CommitIn": "The body of commitDuel.",
		"DuelSide": "A part of Duel.",
	} {
		if got := c.about(c.schema(name), func(id string) string { return id }); got != want {
			t.Errorf("about %s: %s, want %s", name, got, want)
		}
	}
	if common := c.commonCodes(); len(common) == 0 || strings.Contains(strings.Join(common, " "), "duel_moved_on") {
		t.Errorf("the codes of all operations are %v", common)
	}
}

func hasQuery(o *operation, name string) bool {
	for _, p := range o.params {
		if p.in == "query" && p.name == name {
			return true
		}
	}
	return false
}

// TestUnknownParts checks that a part of the document that no generator would write is an error.
func TestUnknownParts(t *testing.T) {
	t.Parallel()
	text := document(t)
	const object = "    AbandonOut:\n      type: object\n"
	for _, tt := range []struct{ was, is, want string }{
		{object, object + "      patternProperties: {}\n", "the keyword patternProperties is unknown"},
		{object, "    AbandonOut:\n      type: date\n", "the type date is unknown"},
		{object, object + "      additionalProperties: {}\n", "typed additionalProperties are unknown"},
		{"#/components/parameters/X-CSRF-Token", "#/components/parameters/X-Other", "the parameter X-Other is unknown"},
		{"#/components/schemas/GuestOut", "#/components/schemas/GuestIn", "no schema is called GuestIn"},
	} {
		if !strings.Contains(text, tt.was) {
			t.Fatalf("the document has no %q", tt.was)
		}
		if _, err := readContract([]byte(strings.Replace(text, tt.was, tt.is, 1))); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("with %q: %v, want %s", tt.is, err, tt.want)
		}
	}
}

// TestSnake checks the names of methods in Python.
func TestSnake(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"getMe": "get_me", "getOpenAPI": "get_open_api", "getTV": "get_tv",
		"throw": "throw", "listBotDuels": "list_bot_duels", "getTVNow": "get_tv_now"} {
		if got := snake(name); got != want {
			t.Errorf("snake(%s) is %s, want %s", name, got, want)
		}
	}
}
