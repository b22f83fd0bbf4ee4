import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, hasTools, runProgram, runShell, TOOLS_MISSING } from '../support/document.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const DEADLINE_MS = 60_000;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;

const directory = useNewDirectory();
let server: RunningKeyslot;
beforeAll(async () => {
  // web3.js looks for WebSocket on the port behind that of HTTP.
  server = await startKeyslot({ env: { KEYSLOT_HTTP_PORT: String(await freePortPair()) } });
});
afterAll(() => server?.stop());
const reader = () => ({ directory: directory(), dataDir: server.dataDir });

/** The programs of a document in the order in which they stand, and what each prints. */
const PROGRAMS: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /blockhash: '[1-9A-HJ-NP-Za-km-z]{32,44}'/, // @solana/kit
    /\berr: null\b/, // @solana/web3.js
    /^\d+n [1-9A-HJ-NP-Za-km-z]{32,44}$/, // topic stream
  ],
  'docs/languages.md': [/^1n\nslotRangeTooLarge$/, /^\d+n$/],
};

const programs = Object.entries(PROGRAMS).flatMap(([document, printed]) =>
  printed.map((expected, index) => [document, index, expected] as const),
);

test.each(programs)(
  '%s: its program %i works as it stands',
  { timeout: DEADLINE_MS },
  async (document, index, expected) => {
    const lines = await runProgram(reader(), blocksOf(document, 'js')[index] ?? '');
    expect(lines.join('\n')).toMatch(expected);
  },
);

test.each(Object.entries(PROGRAMS))('%s has no program that is not run', (document, printed) => {
  expect(blocksOf(document, 'js')).toHaveLength(printed.length);
});

test('the commands of README.md create a wallet and sign with it', async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const printed = await runShell(reader(), blocksOf('README.md', 'sh').join('\n'));
  expect(JSON.parse(printed)).toMatchObject({ signature: expect.stringMatching(SIGNATURE) });
});

test('the commands of docs/languages.md call the ledger and create a wallet', async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const printed = await runShell(reader(), blocksOf('docs/languages.md', 'sh').join('\n'));
  expect(printed).toMatch(/"result":\d+/);
  expect(printed).toContain('"custody":"managed"');
});

test('the commands of docs/service-level.md show the availability', async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const printed = await runShell(reader(), blocksOf('docs/service-level.md', 'sh').join('\n'));
  expect(JSON.parse(printed)).toMatchObject({ target_percent: '99.9500', history: [] });
});
