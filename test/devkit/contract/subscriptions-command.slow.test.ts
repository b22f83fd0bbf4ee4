import { afterAll, beforeAll, expect, test } from 'vitest';
import { SUBSCRIPTIONS } from '../../../generated/ledger/subscriptions.ts';
import { SUBSCRIPTION_CONTRACT } from '../../../generated/contract/ledger/subscription-contract.ts';
import { type RunningLocalnet, startKeyslot, startLocalnet } from '../../support/keyslot.ts';
import { startScriptedSocket } from '../../support/scripted-socket.ts';
import { LEDGER_ARGS, LEDGER_ENV } from '../../support/test-ledger.ts';
import { useContractCommand } from './use-contract-command.ts';

const { contract, contractAlone, running } = useContractCommand();
let server: RunningLocalnet;

beforeAll(async () => {
  server = await startLocalnet({ args: LEDGER_ARGS });
});
afterAll(() => server?.stop());

type Report = {
  readonly isFulfilled: boolean;
  readonly subscriptions: readonly {
    readonly subscription: keyof typeof SUBSCRIPTIONS;
    readonly verdict: string;
    readonly held: number;
    readonly leftOut: number;
    readonly cases: readonly unknown[];
  }[];
};

const read = (stdout: string): Report => JSON.parse(stdout) as Report;

test('every subscription of a server holds, without a transfer; what needs one is left out, and the key is not shown', async () => {
  const keyslot = await startKeyslot({ env: LEDGER_ENV });
  running.push(keyslot);
  const url = keyslot.rpcUrl.split('?')[0] ?? '';
  const args = ['--url', url, '--apikey', keyslot.apiKey, '--ws', '--json'];
  const { ended, stdout, stderr } = await contractAlone(args);
  expect([ended, stderr]).toEqual(['exit code 0', '']);
  expect(stdout).not.toContain(keyslot.apiKey);
  const { isFulfilled, subscriptions } = read(stdout);
  expect(isFulfilled).toBe(true);
  for (const { subscription, verdict, held, leftOut, cases } of subscriptions) {
    const all = SUBSCRIPTION_CONTRACT[subscription];
    const transfers = all.filter(({ by }) => by === 'transfer').length;
    expect([subscription, verdict, cases, leftOut, held]).toEqual([
      subscription,
      'holds',
      [],
      transfers,
      all.length - transfers,
    ]);
  }
  expect(subscriptions.map(({ subscription }) => subscription)).toEqual(Object.keys(SUBSCRIPTIONS));
});

test('every subscription of a node holds, with a transfer, and nothing is left out', async () => {
  const { stdout } = await contract('--url', server.rpcUrl, '--ws', '--allow-writes', '--json');
  const { subscriptions } = read(stdout);
  for (const { subscription, verdict, held, leftOut } of subscriptions)
    expect([subscription, verdict, held, leftOut]).toEqual([
      subscription,
      'holds',
      SUBSCRIPTION_CONTRACT[subscription].length,
      0,
    ]);
  expect(subscriptions.length).toBe(Object.keys(SUBSCRIPTIONS).length);
});

test('subscriptions that a node does not serve are absent, and those given must be there', async () => {
  const other = await startScriptedSocket();
  running.push({ stop: () => other[Symbol.asyncDispose]() });
  other.play(() => ({ error: { code: -32601, message: 'Method not found' } }));
  const wsUrl = other.url.replace(/^http/, 'ws');
  const { ended, stdout } = await contract('--url', server.rpcUrl, '--ws-url', wsUrl, '--json');
  expect(ended).toBe('exit code 1');
  expect(read(stdout).subscriptions.map(({ verdict }) => verdict)).toEqual(
    Object.keys(SUBSCRIPTIONS).map(() => 'absent'),
  );
});

test('a server that refuses the connection cannot be asked, and the line does not show the key', async () => {
  const other = await startScriptedSocket();
  await other[Symbol.asyncDispose]();
  const wsUrl = `${other.url.replace(/^http/, 'ws')}/?apikey=the-secret-key`;
  const { ended, stdout, stderr } = await contract('--url', server.rpcUrl, '--ws-url', wsUrl);
  expect(ended).toBe('exit code 2');
  expect(stderr).toContain('ECONNREFUSED');
  expect(stdout + stderr).not.toContain('the-secret-key');
});
