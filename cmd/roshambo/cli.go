package main

import "github.com/alecthomas/kong"

// cli is the command line; each field is a command.
type cli struct {
	PrintVersion   kong.VersionFlag      `name:"version" help:"Print the version and the source revision."`
	Serve          serveCommand          `cmd:"" help:"Run the service: the web page, the API and the chain."`
	Init           initCommand           `cmd:"" help:"Write a configuration file with every option, and a unit of systemd, into a folder."`
	Health         healthCommand         `cmd:"" help:"Ask the probes of a running node whether it is ready for requests: exit status 0 or 1."`
	Verify         verifyCommand         `cmd:"" help:"Verify a proof, offline: exit status 0 valid, 1 not valid, 2 wrong usage, 3 pending: consistent, and in no block yet."`
	VerifyChain    verifyChainCommand    `cmd:"" help:"Verify a whole chain, without a server: exit status 0 valid, 1 not valid, 2 wrong usage."`
	VerifyPage     verifyPageCommand     `cmd:"" name:"verify-page" help:"Compare the page that a service serves with the files of a release or of a build: exit status 0 the same, 1 not the same or unreachable, 2 wrong usage."`
	Audit          auditCommand          `cmd:"" help:"Verify every game of a chain and print the record of the house: hands, outcomes and the return in base value, with exact 99 % intervals."`
	Export         exportCommand         `cmd:"" help:"Write the whole public chain to one file."`
	Backup         backupCommand         `cmd:"" help:"Copy a data folder while a server uses it."`
	Restore        restoreCommand        `cmd:"" help:"Put a backup into a data folder."`
	Move           moveCommand           `cmd:"" help:"Copy a stopped service from SQLite to an empty PostgreSQL database, or back, and verify the copy: exit status 0 moved, 1 not finished, 2 not begun. After an interruption the same command goes on."`
	MarkRestored   markRestoredCommand   `cmd:"" help:"Mark a database that was restored by other means than restore: the next start ends the runs in play and replaces all seeds and hidden hands."`
	AcceptRollback acceptRollbackCommand `cmd:"" help:"Continue from a database that is behind the signed log, and declare the rollback in every checkpoint: exit status 2 without such a rollback."`
	AcceptPages    acceptPagesCommand    `cmd:"" help:"Accept the pages of the SQLite file of a stopped service as they are, after another program has written into it: exit status 2 without a database."`
	Witness        witnessCommand        `cmd:"" help:"Run a witness that cosigns the logs of services (c2sp.org/tlog-witness)."`
	Mirror         mirrorCommand         `cmd:"" help:"Keep a verified copy of the public log of a service, with its games, and report loudly when service and copy part: exit status 1 with --once."`
	Bot            botCommand            `cmd:"" help:"Play ranked duels in the arena, with the key of a bot."`
	MCP            mcpCommand            `cmd:"" name:"mcp" help:"Let an AI agent play: a server of the Model Context Protocol over standard input and output."`
	Lab            labCommand            `cmd:"" help:"Play a tournament between strategies, offline."`
	OpenAPI        openapiCommand        `cmd:"" name:"openapi" help:"Print the interface description, api/openapi.yaml."`
	Admin          adminCommand          `cmd:"" help:"Act on accounts as an operator, through the admin address: their page, look up, freeze, rename, value flows, log of acts."`
	Version        versionCommand        `cmd:"" help:"Print the version; with --verify, check that this program is of a signed release: exit status 0 or 1."`
	Man            manCommand            `cmd:"" help:"Print the manual page in the language of roff: roshambo man | man -l -."`
	Doctor         doctorCommand         `cmd:"" help:"Recompute all derived data of a database and print every difference: exit status 0 none, 1 some, 2 no database."`
}
