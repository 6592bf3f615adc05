package chain

const referenceAddress = "rps1qqqsyqcyq5rqwzqfpg9scrgwpugpzysngqajkm"
