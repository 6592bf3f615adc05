// Follows the public events of a service until the first block, and lists the newest blocks.
//
//     node events.ts http://127.0.0.1:8080

import { Client } from 'roshambo';

const [url = ''] = process.argv.slice(2);
const client = new Client({ url });
for await (const { event, data } of client.followEvents({ topics: ['blocks'] })) {
  console.log(event, JSON.stringify(data));
  if (event === 'block') break;
}
let listed = 0;
for await (const { height, tx_count } of client.listBlocks({ limit: 2 })) {
  console.log(`block ${height} has ${tx_count} transactions`);
  if (++listed === 5) break;
}
