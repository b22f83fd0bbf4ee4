import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, hasTools, runShell, TOOLS_MISSING } from '../../support/document.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const DEADLINE_MS = 60_000;

const directory = useNewDirectory();
let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot();
}, DEADLINE_MS);
afterAll(() => server?.stop());

test('the commands of docs/account.md work as they stand', { timeout: DEADLINE_MS }, async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const script = blocksOf('docs/account.md', 'sh').join('\n');
  const stdout = await runShell({ directory: directory(), dataDir: server.dataDir }, script);
  const answers = stdout.split(/(?<=\})\s*(?=\{)/).map((text) => JSON.parse(text) as object);
  expect(answers.map((answer) => Object.keys(answer)[0])).toEqual([
    ...['key_id', 'key_id', 'key_id', 'keys', 'account_id', 'since', 'since', 'entries'],
    ...['records', 'records', 'heads', 'token_id', 'tokens'],
    ...['networks', 'limit_request_id', 'limit_requests', 'limit_request_id'],
    ...['account_id', 'account_id', 'account_id', 'account_id', 'accounts'],
    ...['name', 'account_id', 'limit_requests', 'networks'],
    ...['member', 'members', 'completed_at', 'can_reset_password'],
  ]);
});
