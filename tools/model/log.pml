/*
 * The log and its witnesses (docs/protocol.md, section 4): a house that may sign two histories,
 * four witnesses of which one is the house's accomplice, and readers who believe a checkpoint
 * that a quorum of three has cosigned. Two of four would not do: the accomplice and one honest
 * witness make a quorum for one history, the accomplice and another one for a second history.
 * With n witnesses of which f lie, a quorum of more than (n + f) / 2 shares an honest one.
 *
 * A history is bits: bit n is the block at height n, and a tree of size n is the first n bits.
 * A witness cosigns a tree that extends the last one that it cosigned.
 *
 * -DQUORUM plants readers who take two cosignatures for enough; -DEXTENDS plants witnesses that
 * do not compare trees.
 */

#define SIZES 2
#define HONEST 3 /* and the accomplice, who has cosigned everything */
#ifdef QUORUM
#define ENOUGH 2
#else
#define ENOUGH 3
#endif

#define PREFIX(h, n) (h & ((1 << n) - 1))
#define TREE(h, n) (PREFIX(h, n) * (SIZES + 1) + n)
#define COUNT(bits) (1 + (bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1))

/* The largest tree that each honest witness has cosigned. */
byte size[HONEST];
byte history[HONEST];
/* Which honest witnesses have cosigned a tree, a bit for each. */
byte cosigned[12];

/* Of two believed trees, one begins with the other. */
inline compare() {
	a = 0;
	do
	:: a < (1 << SIZES) ->
		b = 0;
		do
		:: b < (1 << SIZES) ->
			n = 1;
			do
			:: n <= SIZES ->
				m = 1;
				do
				:: m <= n ->
					if
					:: COUNT(cosigned[TREE(a, n)]) >= ENOUGH && COUNT(cosigned[TREE(b, m)]) >= ENOUGH ->
						assert(PREFIX(a, m) == PREFIX(b, m))
					:: else -> skip
					fi;
					m++
				:: else -> break
				od;
				n++
			:: else -> break
			od;
			b++
		:: else -> break
		od;
		a++
	:: else -> break
	od;
	a = 0; b = 0; n = 0; m = 0
}

/* The house shows any tree to any witness, in any order, and readers compare after each. */
active proctype House() {
	byte w, h, n, a, b, m;
	do
	:: atomic {
			if :: w = 0 :: w = 1 :: w = 2 fi;
			if :: h = 0 :: h = 1 :: h = 2 :: h = 3 fi;
			if :: n = 1 :: n = 2 fi;
			if
#ifndef EXTENDS
			:: n < size[w] || PREFIX(h, size[w]) != PREFIX(history[w], size[w]) -> skip /* refused */
#endif
			:: else ->
				size[w] = n;
				history[w] = PREFIX(h, n);
				cosigned[TREE(h, n)] = cosigned[TREE(h, n)] | (1 << w)
			fi;
			w = 0; h = 0;
			compare()
		}
	:: true -> break
	od
}
