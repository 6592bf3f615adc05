package contract

import (
	"reflect"
	"testing"
)

// TestEncoded checks that an Encoded is written and documented like the value itself.
func TestEncoded(t *testing.T) {
	t.Parallel()
	type row struct {
		Name string `json:"name" doc:"A person's name."`
	}
	type now struct {
		Rows []row `json:"rows" doc:"All of them."`
	}
	type before struct {
		Rows Encoded[[]row] `json:"rows" doc:"All of them."`
	}
	for _, rows := range [][]row{{{"Ann"}, {"<Bob>"}}, {}, nil} {
		want, err := Encode(now{rows})
		if err != nil {
			t.Fatal(err)
		}
		out := before{}
		if rows != nil { // otherwise both are nil lists
			text, err := Encode(rows)
			if err != nil {
				t.Fatal(err)
			}
			out.Rows = NewEncoded[[]row](text[:1], text[1:])
		}
		got, err := Encode(out)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, error %v, want %s", got, err, want)
		}
	}
	w := writer{api: &API{}}
	if got, want := w.typeSchema(reflect.TypeFor[Encoded[[]string]]()), w.typeSchema(
		reflect.TypeFor[[]string]()); !reflect.DeepEqual(got, want) {
		t.Errorf("described as %v, want %v", got, want)
	}
}
