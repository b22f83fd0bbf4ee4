import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import {
  type Localnet,
  startLocalnet,
  type StartLocalnetOptions,
} from '../../../src/localnet/start-localnet.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { sourceNode } from './source-node.ts';

const directory = useNewDirectory();
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const running: Localnet[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

const start = async (options: StartLocalnetOptions): Promise<Localnet> => {
  const localnet = await startLocalnet({ slotMs: 20, cheatCodes: true, ...options });
  running.push(localnet);
  return localnet;
};

async function ask(localnet: Localnet, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(localnet.rpcUrl, { method: 'POST', headers, body });
  const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
  return error?.message ?? result;
}

const balance = async (localnet: Localnet, address: string): Promise<unknown> => {
  const answer = await ask(localnet, 'getBalance', address);
  return typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : answer;
};

/** Waits until the slot that is open now is on disk. */
async function slotClosed(localnet: Localnet): Promise<void> {
  const open = Number(await ask(localnet, 'getSlot', { commitment: 'processed' }));
  await eventually('the slot is closed', async () =>
    Number(await ask(localnet, 'getSlot', { commitment: 'confirmed' })) >= open ? true : undefined,
  );
}

test('a fork on disk that went back keeps what it fetched since, and what was removed before', async () => {
  const source = await sourceNode();
  const [early, late, removed, absent] = [newAddress(), newAddress(), newAddress(), newAddress()];
  for (const each of [early, late, removed]) await source.cheat('localnet_setAccount', each, { lamports: 9 });
  source.tick();
  const ledger = join(directory(), 'ledger');
  const first = await start({ fork: source.url, ledger });
  await ask(first, 'getBalance', early);
  await ask(first, 'localnet_setAccount', removed, { lamports: 0 });
  await ask(first, 'localnet_snapshot', 'a');
  await ask(first, 'localnet_setAccount', early, { lamports: 5 });
  await ask(first, 'getMultipleAccounts', [late, absent]);
  expect(await ask(first, 'localnet_restore', 'a')).toMatchObject({ isPaused: false });
  await slotClosed(first);
  await first.close();
  source.calls.length = 0;
  const again = await start({ ledger });
  const balances = await ask(again, 'getMultipleAccounts', [early, late, removed, absent], {
    commitment: 'confirmed',
  });
  expect(balances).toMatchObject({ value: [{ lamports: 9 }, { lamports: 9 }, null, null] });
  expect(source.calls).toEqual([]);
});

test('a fork on disk keeps what it fetched and what it removed, after a kill too', async () => {
  const source = await sourceNode();
  const [kept, removed, absent] = [newAddress(), newAddress(), newAddress()];
  for (const each of [kept, removed]) await source.cheat('localnet_setAccount', each, { lamports: 9 });
  source.tick();
  const ledger = join(directory(), 'ledger');
  const first = await start({ fork: source.url, ledger });
  await ask(first, 'getMultipleAccounts', [kept, removed, absent]);
  await ask(first, 'localnet_setAccount', removed, { lamports: 0 });
  await slotClosed(first);
  const killed = join(directory(), 'killed');
  cpSync(ledger, killed, { recursive: true });
  rmSync(join(killed, 'lock'), { recursive: true, force: true });
  await first.close();
  source.calls.length = 0;
  for (const folder of [ledger, killed]) {
    const again = await start({ ledger: folder });
    expect(await balance(again, kept)).toBe(9);
    expect(await balance(again, absent)).toBe(0);
    const unknown = newAddress();
    expect(await balance(again, unknown)).toMatch(`Fork: the account ${unknown} is not available`);
    await slotClosed(again);
    await eventually('it is finalized', async () =>
      (await balance(again, removed)) === 0 ? true : undefined,
    );
  }
  expect(source.calls).toEqual([]);
});

test('a folder continues with the network that it was forked from, and with a node again', async () => {
  const [source, other] = [await sourceNode(), await sourceNode({ nowMs: () => 1_700_000_000_000 })];
  const address = newAddress();
  await source.cheat('localnet_setAccount', address, { lamports: 9 });
  source.tick();
  const [ledger, own] = [join(directory(), 'ledger'), join(directory(), 'own')];
  await (await start({ fork: source.url, ledger })).close();
  await (await start({ ledger: own })).close();
  const again = await start({ fork: source.url, ledger });
  expect(await balance(again, address)).toBe(9);
  await again.close();
  const wrong = await start({ fork: other.url, ledger });
  expect(await balance(wrong, newAddress())).toMatch('it is a node of another network');
  await wrong.close();
  await expect(start({ fork: source.url, ledger: own })).rejects.toThrow(
    `--fork: the ledger in ${own} is not a fork; --reset starts a new ledger`,
  );
});

test('startLocalnet replays a cassette, and clones come from the fork without another address', async () => {
  const source = await sourceNode();
  const address = newAddress();
  await source.cheat('localnet_setAccount', address, { lamports: 9 });
  source.tick();
  const cassette = join(directory(), 'a.cassette');
  const options = { cassette, clone: [address] };
  await (await start({ ...options, fork: source.url })).close();
  source.calls.length = 0;
  const offline = await start(options);
  expect(await balance(offline, address)).toBe(9);
  expect(source.calls).toEqual([]);
  await expect(start({ cassette, clone: [newAddress()] })).rejects.toThrow('it is not in the cassette');
});
