// Opens a page in Chromium that uses the package of sdk/typescript, and prints what it reports.
//
//     node sdk_page.cjs SITE SERVICE
//
// SITE serves the page, the package below /sdk, and the service; SERVICE is the same service at another site.

const { chromium } = require('playwright-core');

/** Runs in the page. */
async function use(service) {
  const { Bot, Client, localReceipts, localState, result } = await import('/sdk/index.js');
  const visitor = new Client({ url: location.origin });
  await visitor.createGuest();
  const { secret } = await visitor.createBot({ name: 'page-bot' });
  // As after the page was loaded again: the browser has the session's cookie, and the client no token yet.
  const again = new Client({ url: location.origin });
  await again.createBot({ name: 'other-bot' });
  const { bots } = await again.listBots();

  const client = new Client({ url: service, key: secret });
  const receipts = localReceipts('receipts');
  let last;
  const strategy = { move: () => 'paper', ended: (duel) => (last = duel) };
  await new Bot({ client, strategy, receipts, state: localState('hand') }).run({ duels: 1 });
  const report = await client.verifyDuel(last.id, { receipts: await receipts.lines() });
  let first;
  for await (const { event } of client.followEvents({ topics: ['account'] })) {
    first = event;
    break;
  }
  return {
    bots: bots.length,
    result: result(last),
    verdict: report.verdict,
    receipts: report.checks.at(-1).result,
    event: first,
  };
}

async function main() {
  const [site, service] = process.argv.slice(2);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => console.error(error));
    await page.goto(`${site}/page`);
    console.log(JSON.stringify(await page.evaluate(use, service)));
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
