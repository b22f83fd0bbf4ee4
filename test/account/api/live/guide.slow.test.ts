import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, hasTools, runProgram, runShell, TOOLS_MISSING } from '../../../support/document.ts';
import { type RunningKeyslot, startKeyslot } from '../../../support/keyslot.ts';
import { useNewDirectory } from '../../../support/new-directory.ts';

const directory = useNewDirectory();
let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot();
});
afterAll(() => server?.stop());

test('the commands of docs/account.md work as they stand', async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const script = blocksOf('docs/account.md', 'sh').join('\n');
  const stdout = await runShell({ directory: directory(), dataDir: server.dataDir }, script);
  const answers = stdout.split(/(?<=\})\s*(?=\{)/).map((text) => JSON.parse(text) as object);
  expect(answers.map((answer) => Object.keys(answer)[0])).toEqual([
    ...['key_id', 'key_id', 'key_id', 'key_id', 'keys', 'account_id', 'since', 'since', 'entries'],
    ...['requests', 'records', 'records', 'heads', 'token_id', 'tokens'],
    ...['networks', 'span', 'span', 'span', 'limit_request_id', 'limit_requests', 'limit_request_id'],
    ...['account_id', 'account_id', 'account_id', 'account_id', 'accounts'],
    ...['name', 'account_id', 'limit_requests', 'networks'],
    ...['member', 'members', 'completed_at', 'can_reset_password'],
  ]);
});

test('the commands of docs/billing.md work as they stand', async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const script = blocksOf('docs/billing.md', 'sh').join('\n');
  const stdout = await runShell({ directory: directory(), dataDir: server.dataDir }, script);
  const answers = stdout.split(/(?<=\})\s*(?=\{)/).map((text) => JSON.parse(text) as object);
  expect(answers).toMatchObject([
    ...[{ billing: 'prepaid' }, { statements: [{ deposits_usd: '1000.00' }] }, { invoices: [] }],
    ...[
      { by: 'day_operation' },
      { notify_below_usd: ['100.00', '20.00'], recipient: 'Acme Ltd\n1 Main Street' },
    ],
  ]);
});

test('the program of the client package works as it stands', async () => {
  const [program = '', ...others] = blocksOf('codegen/pack/client-readme.md', 'js').filter((text) =>
    text.includes("'@keyslot/client/account'"),
  );
  expect(others).toEqual([]);
  const access = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8')) as {
    readonly access_token: string;
  };
  const own = program
    .replace("'http://127.0.0.1:8080'", JSON.stringify(server.baseUrl))
    .replace("'ks_tok_…'", JSON.stringify(access.access_token));
  const lines = await runProgram({ directory: directory(), dataDir: server.dataDir }, own);
  expect(lines[0]).toMatch(/^[0-9a-f-]{36} checkout$/);
});
