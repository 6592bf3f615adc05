.PHONY: gen
gen: ## make every generated file from its source
	@tools/gen
