import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { callMethod } from '../../../src/localnet/call-method.ts';
import { parseLocalnetArguments } from '../../../src/localnet/localnet-options.ts';
import { openLedger } from '../../../src/localnet/open-ledger.ts';
import { type Localnet, startLocalnet } from '../../../src/localnet/start-localnet.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newAddress } from './kept-ledger.ts';
import { type Ask, startLedgerProcess } from './ledger-process.ts';

const directory = useNewDirectory();
const CONFIRMED = { commitment: 'confirmed' } as const;
/** No slot ends within a test, and a transaction is pending for 200 ms. */
const SLOT_MS = 60_000;
const LAMPORTS = 5_000_000;

const running: Localnet[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

const start = async (): Promise<Localnet> => {
  const options = { ledger: join(directory(), 'ledger'), slotMs: SLOT_MS, cheatCodes: true, votes: false };
  const localnet = await startLocalnet(options);
  running.push(localnet);
  return localnet;
};

const askOf =
  ({ rpcUrl }: Localnet): Ask =>
  async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
    return ((await answer.json()) as { readonly result: unknown }).result;
  };

type Airdrop = { readonly to: string; readonly signature: unknown };

async function airdrop(ask: Ask): Promise<Airdrop> {
  const to = newAddress();
  return { to, signature: await ask('requestAirdrop', to, LAMPORTS) };
}

/** The slots of the blocks in which airdrops are. */
async function slotsOf(ask: Ask, airdrops: readonly Airdrop[]): Promise<readonly number[]> {
  const slots: number[] = [];
  for (const { to, signature } of airdrops) {
    expect(await ask('getBalance', to, CONFIRMED)).toMatchObject({ value: LAMPORTS });
    const { value } = (await ask('getSignatureStatuses', [signature])) as {
      readonly value: readonly ({ readonly slot: number; readonly confirmationStatus: string } | null)[];
    };
    expect(value).toMatchObject([{ confirmationStatus: 'finalized', err: null }]);
    const slot = value[0]?.slot ?? 0;
    const block = await ask('getBlock', slot, { ...CONFIRMED, transactionDetails: 'signatures' });
    expect(block).toMatchObject({ signatures: expect.arrayContaining([signature]) });
    slots.push(slot);
  }
  return slots;
}

test.each([
  ['while slots pass', [], 'batched'],
  ['while the clock is paused', ['localnet_pause'], 'batched'],
  [
    'with a block for each transaction',
    ['localnet_setBlockProduction', { mode: 'transaction' }],
    'one by one',
  ],
  ['paused, with a block for each transaction', ['localnet_setBlockProduction', 'paused'], 'batched'],
] as const)(
  'what was answered right before close() is in a block after the restart: %s',
  async (_name, [method, option], blocks) => {
    const first = await start();
    const ask = askOf(first);
    if (option === 'paused') {
      await ask('localnet_setBlockProduction', { mode: 'transaction' });
      await ask('localnet_pause');
    } else if (method !== undefined) await ask(method, ...(option === undefined ? [] : [option]));
    const airdrops = [await airdrop(ask), await airdrop(ask)];
    await first.close();
    const [one = 0, two = 0] = await slotsOf(askOf(await start()), airdrops);
    expect(two - one).toBe(blocks === 'batched' ? 0 : 1);
  },
);

test.each(['SIGTERM', 'SIGINT'] as const)(
  'what was answered right before %s is there too',
  async (signal) => {
    const flags = ['--ledger', join(directory(), 'ledger'), '--slot-ms', String(SLOT_MS)];
    const first = await startLedgerProcess(...flags);
    const airdrops = [await airdrop(first.ask)];
    process.kill(first.node.pid, signal);
    await eventually('it has ended', () => first.node.ended());
    expect([first.node.ended(), first.node.stderr()]).toEqual(['exit code 0', '']);
    const second = await startLedgerProcess(...flags);
    expect(await slotsOf(second.ask, airdrops)).toHaveLength(1);
    await second.node.stop();
  },
);

test('the end takes no longer than a second for them, and says how many are lost', async () => {
  const options = parseLocalnetArguments(['--ledger', directory(), '--slot-ms', String(SLOT_MS)]);
  const { ledger, close } = await openLedger(options);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const to = newAddress();
  for (let index = 1; index <= 5; index++) await callMethod(ledger, 'requestAirdrop', [to, BigInt(index)]);
  let nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 150));
  await close();
  const landed = ledger.blocks.transactions(ledger.slotAt('confirmed'));
  const lost = 5 - landed.length;
  expect(lost).toBeGreaterThan(0);
  expect(stderr.mock.calls).toEqual([
    [`localnet: ${lost} accepted transactions were lost: there was no time left to execute them\n`],
  ]);
  expect(ledger.incoming.size).toBe(0);
});
