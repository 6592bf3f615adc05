var e=`// A bot for the arena of Roshambo, in TypeScript, with nothing but Node.js.
//
//     ROSHAMBO_KEY=rsb_… npx --yes tsx bot.mts http://127.0.0.1:8080 3
//
// plays three ranked duels with the key of a bot. Change choose(); the rest is the
// protocol: both sides commit to a move, then both reveal it. A missed deadline of 15
// seconds forfeits the round, so no step may take long.

import { createHash, randomBytes, randomInt } from "node:crypto";
import { appendFileSync } from "node:fs";

type Move = "rock" | "paper" | "scissors";
type Side = "a" | "b";
type Hand = { move: Move; salt: string };
type Round = {
  round: number;
  committed: Record<Side, boolean>;
  you_revealed: boolean;
  commitment_a: string | null;
  commitment_b: string | null;
  outcome: string;
  move_a: Move | null;
  move_b: Move | null;
};
type Player = { username: string; address: string };
type Duel = {
  id: string;
  status: string;
  you: Side;
  a: Player;
  b: Player;
  rounds: Round[];
  wins: Record<Side, number>;
  winner: Side | null;
  version: number;
};

const moves: Move[] = ["rock", "paper", "scissors"];

/** Returns the next move. theirs are the opponent's moves, oldest first: it beats the most
 * frequent of the last ten, and plays at random one time in five. */
function choose(theirs: Move[]): Move {
  const recent = theirs.slice(-10);
  if (recent.length === 0 || randomInt(5) === 0) return moves[randomInt(3)]!;
  const count = (move: Move) => recent.filter((m) => m === move).length;
  const most = moves.reduce((a, b) => (count(b) > count(a) ? b : a));
  return moves[(moves.indexOf(most) + 1) % 3]!;
}

const [base, count = "1"] = process.argv.slice(2);
const key = process.env["ROSHAMBO_KEY"];
if (!base || !key) {
  console.error("usage: ROSHAMBO_KEY=rsb_… bot.mts URL [DUELS]");
  process.exit(2);
}
const sleep = (seconds: number) => new Promise((done) => setTimeout(done, 1000 * seconds));

/** The duel has changed: a deadline has passed, or a request was repeated. */
class MovedOn extends Error {}

let covered = true; // whether a third of the request limit is left, enough to begin a duel
let spacing = 0; // the seconds before a step of a duel; a read waits twice as long

/** Spaces out requests when less than half of the limit of q in w seconds is left: the r that are left are
 * spread over a whole window, as other bots may use them too. It delays no step by more than three
 * seconds, since each has a deadline. */
function pace(answer: Response): void {
  const [, r] = /;r=(\\d+)/.exec(answer.headers.get("RateLimit") ?? "") ?? [];
  const [, q, w] = /;q=(\\d+);w=(\\d+)/.exec(answer.headers.get("RateLimit-Policy") ?? "") ?? [];
  covered = !(3 * Number(r) < Number(q));
  spacing = 2 * Number(r) < Number(q) ? Math.min(3, Number(w) / (Number(r) + 1)) : 0;
}

/** Returns the seconds until another attempt: Retry-After is a number or a date. They are five at most,
 * as a refusal costs nothing, and a missed deadline a round. */
function delay(answer: Response): number {
  const after = answer.headers.get("Retry-After") ?? "";
  return Math.min(5, Math.max(1, Number(after) || (Date.parse(after) - Date.now()) / 1000 || 0));
}

const signed = new Map<string, any>(); // what the house has signed, by duel and round

/** Keeps what the house signs: evidence if the duel's proof differs (roshambo verify --receipts). */
function keep(receipts: { raw: string; signature: string }[]): void {
  for (const { raw, signature } of receipts) {
    const said = JSON.parse(raw);
    const round = \`\${said.duel_id} \${said.n}\`;
    if (!signed.has(round)) appendFileSync("receipts.jsonl", JSON.stringify({ raw, signature }) + "\\n");
    signed.set(round, said);
  }
}

/** Sends a request and returns the response. It repeats the request until there is one. The
 * service holds it for up to wait seconds. An attempt without an answer is given up well before
 * the deadline of 15 seconds. */
async function call(method: string, path: string, body?: object, wait = 0): Promise<any> {
  const headers = { Authorization: \`Bearer \${key}\`, "Content-Type": "application/json", Prefer: \`receipt, wait=\${wait}\` };
  for (;;) {
    await sleep(method === "GET" ? 2 * spacing : spacing);
    let answer: Response, text: string, result: any;
    try {
      const signal = AbortSignal.timeout(1000 * (wait + 4));
      answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body), signal });
      text = await answer.text();
      if (answer.ok) result = JSON.parse(text);
    } catch (lost) {
      console.error("retrying:", String(lost));
      await sleep(1);
      continue;
    }
    pace(answer);
    if (answer.ok) {
      keep(result.receipts ?? []);
      return result;
    }
    if (answer.status === 409 && /(commit|reveal)$/.test(path)) throw new MovedOn();
    if (![408, 409, 429].includes(answer.status) && answer.status < 500) {
      console.error(\`\${method} \${path}: \${answer.status} \${text}\`);
      process.exit(1);
    }
    await sleep(delay(answer));
  }
}

/** Commits, reveals or waits, and returns the new state of the duel. */
async function step(duel: Duel, theirs: Move[], hands: Map<number, Hand>): Promise<Duel> {
  const path = \`/api/duels/\${duel.id}\`;
  const now = duel.rounds.at(-1)!;
  const round = now.round;
  if (!now.committed[duel.you]) {
    const hand = hands.get(round) ?? { move: choose(theirs), salt: randomBytes(32).toString("hex") };
    hands.set(round, hand);
    const commitment = createHash("sha256").update(\`\${hand.move}:\${hand.salt}\`).digest("hex");
    return (await call("POST", \`\${path}/commit\`, { commitment, round }, 5)).duel;
  }
  const hand = hands.get(round);
  if (now.committed.a && now.committed.b && !now.you_revealed && hand) {
    if (!signed.has(\`\${duel.id} \${round}\`)) await call("GET", path);
    const said = signed.get(\`\${duel.id} \${round}\`);
    if (said?.commitment_a !== now.commitment_a || said?.commitment_b !== now.commitment_b) {
      console.error("The house has not signed both commitments. It could exchange one after a reveal.");
      process.exit(1);
    }
    return (await call("POST", \`\${path}/reveal\`, { ...hand, round }, 5)).duel;
  }
  return (await call("GET", \`\${path}?version=\${duel.version}\`, undefined, 5)).duel;
}

const met = new Map<string, Move[]>(); // the moves of each opponent, by its address
for (let n = 0; n < Number(count); n++) {
  let found: Duel | null = null;
  while (!found) {
    const begun = covered ? [] : (await call("GET", "/api/duels?mine=true&status=active")).duels; // those of a cup
    if (covered) found = (await call("POST", "/api/arena/queue", {}, 5)).duel;
    else if (begun.length > 0) found = (await call("GET", \`/api/duels/\${begun[0].id}\`)).duel;
    else await sleep(5);
  }
  let duel: Duel = found;
  const other: Side = duel.you === "a" ? "b" : "a";
  const { address, username } = duel[other];
  const past = met.get(address) ?? [];
  const hands = new Map<number, Hand>();
  const theirs = () => [...past, ...duel.rounds.filter((r) => r.outcome !== "pending").flatMap((r) => r[\`move_\${other}\`] ?? [])];
  while (duel.status === "active") {
    duel = await step(duel, theirs(), hands).catch(async (error) => {
      if (!(error instanceof MovedOn)) throw error;
      return (await call("GET", \`/api/duels/\${duel.id}\`)).duel as Duel;
    });
  }
  met.set(address, theirs());
  const result = duel.winner === null ? "drawn" : duel.winner === duel.you ? "won" : "lost";
  console.log(\`\${result} against \${username}, \${duel.wins.a}:\${duel.wins.b}, \${base}/d/\${duel.id}\`);
}
`;export{e as default};