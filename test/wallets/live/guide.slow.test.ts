import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, hasTools, runProgram, runShell, TOOLS_MISSING } from '../../support/document.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createAuthenticator } from './authenticator.ts';

const GUIDE = 'docs/wallets.md';

const programs = blocksOf(GUIDE, 'js');
const directory = useNewDirectory();
let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot();
});
afterAll(() => server?.stop());
const reader = () => ({ directory: directory(), dataDir: server.dataDir });

test('the commands of docs/wallets.md work as they stand', async (context) => {
  if (!hasTools()) context.skip(TOOLS_MISSING);
  const { totp_secret: secret } = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8')) as {
    readonly totp_secret: string;
  };
  const code = await createAuthenticator(secret).code();
  const script = blocksOf(GUIDE, 'sh')
    .join('\n')
    .replace(/^CODE=\d+/m, `CODE=${code}`);
  const stdout = await runShell(reader(), script);
  const answers = stdout.split(/(?<=\})\s*(?=\{)/).map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(answers.map((answer) => Object.keys(answer)[0])).toEqual([
    ...['address', 'address', 'address', 'wallet_id', 'wallet_id', 'wallets', 'master', 'master'],
    ...['address', 'address', 'wallet_id'],
  ]);
  const [first, again] = answers.slice(-3);
  expect(again).toEqual(first);
  for (const [file, lines] of [
    ['wallets.jsonl', 1_000],
    ['wallets.csv', 1_001],
  ] as const)
    expect((await readFile(join(directory(), file), 'utf8')).trim().split('\n')).toHaveLength(lines);
});

test('the program of docs/wallets.md that signs and sends a transaction works as it stands', {}, async () => {
  expect(programs).toHaveLength(1);
  expect(await runProgram(reader(), programs[0] ?? '')).toEqual(['1 6000n']);
});
