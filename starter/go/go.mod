// A module of its own: a starter is copied, and runs on an older Go than the service.
module bot

go 1.24
