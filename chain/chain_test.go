package chain

import (
	"strings"
	"testing"
)

func TestParseHash(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("0a", 32)
	if h, err := ParseHash(good); err != nil || h.String() != good {
		t.Errorf("got %v, %v", h, err)
	}
	for _, s := range []string{"", good[1:], good + "0", strings.ToUpper(good), strings.Repeat("0g", 32),
		good[:63] + "G", "\x00" + good[1:], good[:62] + "é"} {
		if h, err := ParseHash(s); err == nil || h != (Hash{}) {
			t.Errorf("ParseHash(%q): got %v, %v, want an error", s, h, err)
		}
	}
}

// TestDomains checks that one text has a different hash in each domain. The expected values
// were computed with sha256sum.
func TestDomains(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("x", 5000))
	for _, tt := range []struct {
		what string
		got  Hash
		want string
	}{
		{"transaction", HashTx([]byte("x")), "1e5d90ce957be54996559d138a281795005badd29edfe90431f50b8d01f754ac"},
		{"block", HashBlock([]byte("x")), "979a37da43c85f25d416e6c2509651709a8643ac2667364aec1951aa450825b4"},
		{"transcript", HashTranscript([]byte("x")), "bc8f698eb68c58cb174dca4fa12a1be34f50f16ab4cc8bf1da31852fc3326907"},
		{"long transaction", HashTx(long), "378c04fcecb313afdd613ed37306229423388310354d35eafbb4d398d93ef605"},
		{"long block", HashBlock(long), "473b25be924360b970806bde9bd96907b57bd5e52e3b94f1fe23bb747a3faefd"},
	} {
		if tt.got.String() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.what, tt.got, tt.want)
		}
	}
}
