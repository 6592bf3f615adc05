// A run against the house, with a fresh text for each throw, and the offline verification of its proof.
//
//     node house.ts http://127.0.0.1:8080

import { asText, Client, House, memoryReceipts } from 'roshambo';

const [url = ''] = process.argv.slice(2);
const client = new Client({ url });
await client.createGuest();
const receipts = memoryReceipts();
const house = new House({ client, receipts });
let { run } = await house.start({ move: 'rock', then: 'claim' });
while (run.status === 'active') ({ run } = await house.throw(run, { move: 'rock', then: 'claim' })); // after a tie
console.log(`${run.status} after ${run.throws.length} throws`);

// The proof covers the run once its end is in a block, within a second.
let report = await client.verifyRun(run.id, { receipts: await receipts.lines() });
for (let height = 0; report.verdict === 'PENDING';) {
  ({ height } = (await client.getHead({ height }, { wait: 5 })).head);
  report = await client.verifyRun(run.id, { receipts: await receipts.lines() });
}
console.log(asText(report));
