package archtest

var circleSamples = []sample{
	{"circles", "down", map[string]string{
		"internal/server/tiny/a.go": "package tiny\n\nfunc top() { low(); new(kind).method() }\n",
		"internal/server/tiny/b.go": "package tiny\n\ntype kind struct{}\n\nfunc low() {}\n\nfunc (kind) method() {}\n",
	}, ""},
	{"circles", "names of a file's own, of fields and of keys", map[string]string{
		"internal/store/tiny/a.go": "package tiny\n\nfunc top() { low() }\n",
		"internal/store/tiny/b.go": "package tiny\n\ntype kind struct{ top int }\n\n" +
			"func low() { top := kind{top: 1}; _ = top.top }\n",
	}, ""},
	{"circles", "elsewhere", map[string]string{
		"internal/service/tiny/a.go": "package tiny\n\nfunc top() { low() }\n",
		"internal/service/tiny/b.go": "package tiny\n\nfunc low() { top() }\n",
	}, ""},
	{"circles", "by a test", map[string]string{
		"internal/server/tiny/a.go":      "package tiny\n\nfunc low() {}\n",
		"internal/server/tiny/a_test.go": "package tiny\n\nfunc top() { low() }\n",
	}, ""},
	{"circles", "of four", map[string]string{
		"internal/server/tiny/a.go": "package tiny\n\nfunc a() { b() }\n",
		"internal/server/tiny/b.go": "package tiny\n\nfunc b() { c() }\n",
		"internal/server/tiny/c.go": "package tiny\n\ntype t struct{}\n\nfunc c() { new(t).side() }\n",
		"internal/server/tiny/d.go": "package tiny\n\nfunc (t) side() { a() }\n",
		"internal/server/tiny/e.go": "package tiny\n\nfunc top() { a() }\n",
	}, "internal/server/tiny: files in a circle: a.go uses b of b.go, b.go uses c of c.go, c.go uses .side of d.go, " +
		"d.go uses a of a.go, d.go uses t of c.go"},
}
