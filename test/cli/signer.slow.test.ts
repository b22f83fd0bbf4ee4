import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { type Outcome, useCommands } from './use-commands.ts';

/** A test starts several servers one after the other. */

const { directory, run, runAlone, json, newNode, serve } = useCommands();

/** The number of live master keys: the byte behind the mark. */
const liveMasters = () => readFileSync(join(directory(), 'signer', 'master.key'))[5];

/** Calls the wallet service as the development account. */
async function call(path: string, body: object): Promise<Response> {
  const { base_url, access_token } = JSON.parse(
    readFileSync(join(directory(), 'dev.json'), 'utf8'),
  ) as Record<string, string>;
  return fetch(`${base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function makeWallets(count: number): Promise<readonly string[]> {
  const answer = await call('/v1/wallets/batch', { custody: 'managed', count });
  const lines = (await answer.text()).split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { wallet_id: string }).wallet_id);
}

/** The number of wallets that sign. */
async function countSigning(ids: readonly string[]): Promise<number> {
  let signed = 0;
  for (const id of ids) {
    const { status } = await call(`/v1/wallets/${id}/sign`, { message: 'aGVsbG8=' });
    if (status === 200) signed += 1;
  }
  return signed;
}

/** Begins to rotate, and kills the server as soon as it says that the first keys are re-encrypted. */
async function rotateUntilKilled(server: NodeProcess): Promise<Outcome> {
  const rotating = run('signer', 'rotate-master');
  await eventually(
    'the first keys are re-encrypted',
    () => (server.stderr().includes('re-encrypted keys') ? true : undefined),
    { intervalMs: 1 },
  );
  process.kill(server.pid, 'SIGKILL');
  return rotating;
}

test('rotate-master killed with its server in the middle is continued, and every wallet signs after', async () => {
  const node = await newNode();
  let { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const ids = await makeWallets(4_000);
  expect(ids).toHaveLength(4_000);
  let broken = await rotateUntilKilled(server);
  // With one live key the rotation was over before this process saw the first keys: nothing was broken off.
  for (let tries = 1; liveMasters() !== 2 && tries < 5; tries += 1) {
    ({ server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url }));
    broken = await rotateUntilKilled(server);
  }
  expect([broken.end, broken.stdout]).toEqual(['exit code 1', '']);
  expect(broken.stderr).toContain('did not answer');
  expect(liveMasters()).toBe(2);

  await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const sample = ids.filter((_, at) => at % 40 === 0);
  expect(await countSigning(sample)).toBe(sample.length);
  const result = await json<{ resealed: number }>('signer', 'rotate-master');
  expect(result).toMatchObject({ wallets: 4_000, previous_master_key_file: null });
  expect(result.resealed).toBeLessThan(4_000);
  expect([await countSigning(sample), liveMasters()]).toEqual([sample.length, 1]);
});

test('rotate-master says what it did; where no server runs it is done in the store', async () => {
  const none = await run('signer', 'rotate-master');
  expect([none.end, none.stderr]).toEqual(['exit code 2', expect.stringContaining('there are no wallets')]);
  const node = await newNode();
  const { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const ids = await makeWallets(3);
  const text = 'The keys of 3 wallets are now encrypted under the new master key, 3 of them by this run.\n';
  expect((await run('signer', 'rotate-master')).stdout).toContain(text);
  await server.stop();
  expect(await runAlone(['signer', 'rotate-master'])).toMatchObject({
    end: 'exit code 0',
    stdout: expect.stringContaining(text),
  });
  await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  expect(await countSigning(ids)).toBe(3);
});

test.each([
  [['signer'], 'expected a subcommand: rotate-master, adopt'],
  [['signer', 'fly'], 'expected a subcommand: rotate-master, adopt'],
  [['signer', 'rotate-master', 'now'], 'unexpected argument "now"'],
  [['signer', 'rotate-master', '--fast'], '--fast'],
])('%j ends with a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});
