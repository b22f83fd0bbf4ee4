import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useCommands } from './use-commands.ts';

const { directory, run, json } = useCommands();

const ID = '7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56';

test('an operator makes, lists, turns off, tries and deletes webhooks, without a server too', async () => {
  await run('accounts', 'create', 'acme');
  const create = ['webhooks', 'create', 'acme', '--name', 'billing', '--url', 'https://hooks.example.com/in'];
  const { stdout } = await run(...create, '--event', 'wallet.*', '--event', 'account.createkey', '--ordered');
  const [, id = '', secret] = /^Created the webhook (\S+)\.\n(whsec_\S+)\nCopy/.exec(stdout) ?? [];
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await json('webhooks', 'list', 'acme')).toMatchObject({
    webhooks: [
      { id, name: 'billing', events: ['wallet.*', 'account.createkey'], ordered: true, state: 'active' },
    ],
  });
  expect((await run('webhooks', 'list', 'acme')).stdout).toContain('wallet.* account.createkey  active');
  expect(await json('webhooks', 'test', id)).toMatchObject({ id, event_id: expect.stringMatching(/^test_/) });
  expect((await run('webhooks', 'rotate', id, '--overlap', '1h')).stdout).toMatch(/\nwhsec_/);
  expect((await run('webhooks', 'replay', id, '--from', '1')).stdout).toContain('after record 0');
  expect((await run('webhooks', 'set', id, '--off')).stdout).toBe(`The webhook ${id} is turned off.\n`);
  expect((await run('webhooks', 'test', id)).stderr).toContain(
    `The webhook ${id} is not active (turned_off)`,
  );
  expect((await run('webhooks', 'set', id, '--on')).stdout).toBe(`The webhook ${id} is active.\n`);
  expect((await run('webhooks', 'delete', id)).stdout).toBe(`Deleted the webhook ${id} (billing).\n`);
  expect((await run('webhooks', 'list', 'acme')).stdout).toBe('The account has no webhooks.\n');
  const { stdout: log } = await run('audit', 'list', 'acme', '--action', 'rotatewebhooksecret', '--json');
  expect(JSON.parse(log)).toMatchObject({ records: [{ outcome: 'ok', subject: id }] });
});

test.each([
  [['webhooks', 'create', 'acme'], '--name must', 2],
  [
    ['webhooks', 'create', 'acme', '--name', 'a', '--url', 'https://a.example', '--event', 'no.such'],
    'got no.such',
    2,
  ],
  [['webhooks', 'set', ID], 'expected --on or --off', 2],
  [['webhooks', 'replay', ID, '--from', '0'], '--from must be the number of a record, from 1, got 0', 2],
  [['webhooks', 'rotate', ID, '--overlap', '31d'], '--overlap must be from 0s to 30d', 2],
  [['webhooks', 'test', 'x'], 'There is no webhook with the id x', 1],
  [['webhooks', 'delete', ID], `There is no webhook with the id ${ID}`, 1],
])('%j says why it failed, and makes no store', async (args, reason, code) => {
  const { end, stderr } = await run(...args);
  expect([end, stderr]).toEqual([`exit code ${code}`, expect.stringContaining(reason)]);
  expect(existsSync(join(directory(), 'store'))).toBe(false);
});
