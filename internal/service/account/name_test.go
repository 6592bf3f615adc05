package account

import (
	"fmt"
	"testing"

	"roshambo/internal/platform/names"
)

// TestGeneratedNames: each generated name is one that a caller may choose, and no two words look alike.
func TestGeneratedNames(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	for _, adjective := range adjectives {
		for _, noun := range nouns {
			for _, number := range []int{0, 7, 999_999, 505_505} {
				if err := checkUsername(fmt.Sprintf("%s-%s-%d", adjective, noun, number)); err != nil {
					t.Errorf("%s-%s-%d: error %v", adjective, noun, number, err)
				}
			}
			name := names.Fold(adjective + "-" + noun)
			if other := keys[name]; other != "" {
				t.Errorf("%s-%s looks like %s", adjective, noun, other)
			}
			keys[name] = adjective + "-" + noun
		}
	}
}
