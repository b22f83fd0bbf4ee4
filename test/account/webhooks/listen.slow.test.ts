import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createWalletClient } from '../../../generated/wallets/client.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { startNode } from '../../support/node-process.ts';
import { startReceiver, verified } from './receiver.ts';

let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot();
});
afterAll(() => server?.stop());

function startListening(...args: readonly string[]) {
  const child = startNode(['src/main.ts', 'listen', '--data-dir', server.dataDir, ...args], {});
  onTestFinished(() => child.stop());
  return child;
}

async function createWallet(): Promise<string> {
  const text = await readFile(join(server.dataDir, 'dev.json'), 'utf8');
  const { access_token: token } = JSON.parse(text) as { readonly access_token: string };
  const wallet = await createWalletClient({ url: server.baseUrl, token }).createWallet({
    custody: 'managed',
  });
  return 'wallet_id' in wallet ? wallet.wallet_id : '';
}

test('events are printed as they happen, and forwarded as webhooks send them', async () => {
  const receiver = await startReceiver();
  const listening = startListening('--forward', receiver.url, '--event', 'wallet.*');
  const secret = await eventually('the secret is printed', () => {
    const found = /whsec_\S+/.exec(listening.stderr())?.[0];
    return listening.stderr().includes('Ctrl+C') ? found : undefined;
  });
  const walletId = await eventually(
    'an event of a wallet arrives',
    async () => {
      const id = await createWallet();
      return receiver.received.length > 0 ? id : undefined;
    },
    { intervalMs: 500 },
  );
  const [first] = receiver.received;
  expect(first && verified(first, secret)).toMatchObject({ type: 'wallet.create' });
  await eventually('the last one is printed', () =>
    listening.stdout().includes(walletId) ? true : undefined,
  );
  expect(listening.stdout()).toMatch(
    /^\d\d:\d\d:\d\d {2}\d+ {2}wallet\.create {2}w_\w+ {2}-> 204 in \d+ ms$/m,
  );
});

test('from a record on, as lines of JSON, while nobody receives', async () => {
  await createWallet();
  const listening = startListening('--from', '1', '--json', '--forward', 'http://127.0.0.1:9/');
  const line = await eventually('a line', () =>
    listening
      .stdout()
      .split('\n')
      .find((text) => text.includes('wallet.create')),
  );
  expect(JSON.parse(line)).toMatchObject({ type: 'wallet.create', data: { outcome: 'ok' } });
  await eventually('the failure is told', () =>
    /audit_\w+ failed: /.test(listening.stderr()) ? true : undefined,
  );
});

test.each([
  [['--token', 'ks_tok_wrong'], /the server refused: .*token_unknown/],
  [['--event', 'wallet.explode'], /--event must be a type of event/],
  [['--forward', 'nowhere'], /--forward must be an http or https URL, got nowhere/],
  [['--from', '0'], /--from must be the number of a record/],
])('%s is a mistake', async (args, told) => {
  const listening = startListening(...args);
  await eventually('it is told', () => (told.test(listening.stderr()) ? true : undefined));
});
