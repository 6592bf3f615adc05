/*
 * One throw of a run (docs/protocol.md, sections 1 and 5): a house that may cheat at every
 * step, and a player who follows the protocol.
 *
 * Hashes are perfect here: a commitment is the seed itself, hidden from the player, and it
 * binds. Seeds, client seeds, entropy and moves are 0, 1 and 2; the house's move is their sum
 * modulo 3, which is uniform in each of them as HMAC is.
 *
 * Each -D below plants the mistake that the assertion with the same name is there to find.
 */

#define HOUSE_MOVE(seed, client, entropy) ((seed + client + entropy) % 3)

byte commitment = 9;   /* on the chain before the run starts */
byte client = 9;       /* the player's client seed, fixed by the start */
byte move = 9, entropy = 9; /* as the player sent them with the throw */
byte draws = 0;        /* different requests for this throw that the house has seen */

bool answered = false; /* the player accepted an answer */
byte shown_seed, shown_move;

bool published = false; /* the house published a transcript */
byte t_client, t_entropy, t_player, t_seed, t_house;

inline any(v) { if :: v = 0 :: v = 1 :: v = 2 fi }

/* A verifier with nothing but the chain and the transcript. */
#define CONSISTENT (t_seed == commitment && t_house == HOUSE_MOVE(t_seed, t_client, t_entropy))
/* The player compares it with what it sent and was shown. */
#define MINE (t_client == client && t_entropy == entropy && t_player == move && t_house == shown_move)

chan request = [0] of { byte, byte }; /* move, entropy */
chan answer = [0] of { bool, byte, byte }; /* refused, seed, house move */

proctype Player() {
	byte seed, house, tries = 0;
	bool refused;
	any(move);
	any(entropy);
again:
	request ! move, entropy;
	answer ? refused, seed, house;
	tries++;
	if
	:: refused && tries < 3 ->
#ifdef ONE_DRAW
		any(entropy); /* planted: a refused throw is repeated with fresh entropy */
#endif
		goto again
	:: refused -> goto done
	:: !refused -> skip
	fi;
	if
#ifdef FAIR_MOVE
	:: true -> /* planted: the player does not check the answer */
#else
	:: seed == commitment && house == HOUSE_MOVE(seed, client, entropy) ->
#endif
		d_step { shown_seed = seed; shown_move = house; answered = true }
	:: else -> skip /* the player stops and shows the answer to everyone */
	fi;
done:
	skip
}

proctype House() {
	byte m, e, last = 9, seed, house;
	do
	:: request ? m, e ->
		if
		:: e * 3 + m != last -> draws++; last = e * 3 + m
		:: else -> skip
		fi;
		if
		:: answer ! true, 0, 0
		:: any(seed); any(house); answer ! false, seed, house; break
		fi
	:: timeout -> break
	od;
	any(t_client); any(t_entropy); any(t_player); any(t_seed); any(t_house);
	published = true
}

init {
	any(commitment);
	any(client);
	run Player();
	run House();
	(_nr_pr == 1);
	/* Prevented: an accepted answer holds the move that follows from what was fixed before. */
	assert(!answered || shown_move == HOUSE_MOVE(commitment, client, entropy));
	/* Prevented: the house does not choose among several requests. */
	assert(draws <= 1);
	/* Prevented: a consistent transcript shows the seed that was committed to. */
	assert(!CONSISTENT || t_seed == commitment);
	/* Detected: a transcript that differs from the player's memory is not the player's. */
#ifdef MEMORY
#undef MINE
#define MINE true
#endif
	assert(!(published && answered && CONSISTENT && MINE) ||
		(t_player == move && t_house == shown_move && t_entropy == entropy))
}
