import { expect, test } from 'vitest';
import { type Localnet, startLocalnet } from '../../../src/localnet/start-localnet.ts';
import { newCheatLedger } from './new-cheat-ledger.ts';

const LONG = [
  ['localnet_mine', 10_000],
  ['localnet_warp', { slot: 1_000_000 }],
  ['surfnet_timeTravel', { absoluteSlot: 1_000_000 }],
] as const;

async function ask({ rpcUrl }: Localnet, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
  const { result, error } = (await answer.json()) as { readonly result?: unknown; readonly error?: unknown };
  return error ?? result;
}

test.each(LONG)(
  'a ledger that is closed during %s ends it at once, with an answer',
  async (method, param) => {
    const localnet = await startLocalnet({ cheatCodes: true, slotMs: 60_000, votes: false });
    const open = async (): Promise<number> =>
      Number(await ask(localnet, 'getSlot', { commitment: 'processed' }));
    const before = await open();
    const answer = ask(localnet, method, param);
    while ((await open()) === before);
    await localnet.close();
    expect(await answer).toMatchObject({
      code: -32_603,
      message: expect.stringContaining('the ledger ends'),
    });
  },
);

test('other calls are answered during a warp; a restore of an earlier state ends it', async () => {
  const test = newCheatLedger();
  await test.cheat('localnet_snapshot', 'before');
  const { openSlot } = test.ledger.blocks;
  const refusal = test.cheatRefusal('localnet_warp', { slot: openSlot + 500n });
  while (test.ledger.blocks.openSlot === openSlot) await Promise.resolve();
  expect(test.ledger.blocks.openSlot).toBeLessThan(openSlot + 500n);
  await test.cheat('localnet_restore', 'before');
  expect(await refusal).toMatch(/an earlier state was restored before all slots were closed/);
  expect(test.ledger.blocks.openSlot).toBe(openSlot);
});
