package adminpage

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
)

// TestValueOf: values keep their order, texts have escapes for invisible characters, and addresses are known.
func TestValueOf(t *testing.T) {
	t.Parallel()
	address := chain.Address{1}.String()
	got := valueOf(struct {
		Wide   string          `json:"wide_name"`
		Owner  *string         `json:"owner"`
		On     bool            `json:"on"`
		Coins  int64           `json:"coins"`
		Who    string          `json:"who"`
		None   []string        `json:"none"`
		Empty  []string        `json:"empty"`
		Detail json.RawMessage `json:"detail"`
	}{Wide: "a\x1b\u202eb", On: true, Coins: 1<<53 + 1, Who: address, Empty: []string{}, Detail: []byte(`{"b\u0007":[1,"<"]}`)})
	want := &value{Members: []member{
		{"wide name", value{Text: `a\x1b\u202eb`}}, {"owner", value{Text: "–"}}, {"on", value{Text: "yes"}},
		{"coins", value{Text: "9007199254740993"}}, {"who", value{Text: address, Account: address}},
		{"none", value{Text: "–"}}, {"empty", value{Text: "none"}},
		{"detail", value{Members: []member{{`b\a`, value{Items: []value{{Text: "1"}, {Text: "<"}}}}}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := valueOf(nil); got != nil {
		t.Errorf("nothing is shown as %+v", got)
	}
	if got := valueOf(json.RawMessage("{\x1b")); got == nil || got.Text == "" || got.Members != nil {
		t.Errorf("a damaged value is shown as %+v", got)
	}
}

// TestColumns: objects of a list are rows, also those that lack a member; other lists have no columns.
func TestColumns(t *testing.T) {
	t.Parallel()
	list := valueOf([]map[string]int{{"a": 1}, {"c": 3, "b": 2}})
	columns := list.Columns()
	if diff := cmp.Diff([]string{"a", "b", "c"}, columns); diff != "" {
		t.Error(diff)
	}
	want := []value{{}, {Text: "2"}, {Text: "3"}}
	if diff := cmp.Diff(want, list.Items[1].Row(columns)); diff != "" {
		t.Error(diff)
	}
	for _, of := range []any{[]string{"a"}, []any{map[string]int{"a": 1}, 2}, "a", map[string]int{"a": 1}} {
		if columns := valueOf(of).Columns(); columns != nil {
			t.Errorf("%v has the columns %v", of, columns)
		}
	}
}
