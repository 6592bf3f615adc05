/*
 * One round of a duel (docs/protocol.md, section 6): an honest side A, a side B that colludes
 * with the house, and the house between them, which relays, publishes and may lie in both.
 *
 * A commitment hides its hand and binds to it: it is the hand here, and only its owner and,
 * after the reveal, the others may use its value. Hands are 0, 1 and 2.
 *
 * -DBINDING plants a house that lets B reveal what it likes; -DRECEIPT plants a side A that
 * reveals without the house's signature on both commitments.
 */

byte hand_a = 9;            /* A's hand, committed to at the start */
byte hand_b_then = 9;       /* what B's commitment bound it to when A revealed */
byte a_known_to_b = 9;      /* A's hand once revealed */

bool receipt = false;       /* A holds the house's signature on both commitments */
byte receipt_b = 9;         /* B's commitment in it */

byte t_commit_b = 9, t_hand_b = 9, t_hand_a = 9; /* the transcript on the chain */
bool published = false;

inline any(v) { if :: v = 0 :: v = 1 :: v = 2 fi }

chan commitments = [0] of { bool, byte }; /* has_receipt, B's commitment */
chan reveal = [0] of { byte };

proctype A() {
	bool has_receipt;
	byte b;
	any(hand_a);
	commitments ? has_receipt, b;
#ifdef RECEIPT
	if :: receipt = has_receipt; receipt_b = b; fi;
#else
	if
	:: has_receipt -> receipt = true; receipt_b = b
	:: !has_receipt -> goto done /* A reveals nothing without the receipt of the round */
	fi;
#endif
	hand_b_then = b;
	reveal ! hand_a;
done:
	skip
}

proctype HouseAndB() {
	byte b, a;
	bool has_receipt;
	any(b);
	if :: has_receipt = true :: has_receipt = false fi;
	commitments ! has_receipt, b;
	if
	:: reveal ? a ->
		a_known_to_b = a;
		/* B and the house now choose what the transcript says, knowing A's hand. */
		any(t_commit_b);
		any(t_hand_b);
		t_hand_a = a;
		published = true
	:: timeout -> skip
	fi
}

#ifdef BINDING
#define CONSISTENT true
#else
#define CONSISTENT (t_hand_b == t_commit_b)
#endif
/* A's own verdict, with the receipt: CONTRADICTED unless they agree. */
#define AGREES (!receipt || t_commit_b == receipt_b)

init {
	run A();
	run HouseAndB();
	(_nr_pr == 1);
	/* Detected: a round that A finds valid shows the hand that B had committed to before A
	   revealed, so B did not choose it knowing A's. */
	assert(!(published && CONSISTENT && AGREES) || t_hand_b == hand_b_then)
}
