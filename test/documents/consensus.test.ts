import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newLedger } from '../localnet/new-ledger.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

test('the guide of the embedded ledger names the blocks that are empty although its validator votes', () => {
  const { ledger, tick } = newLedger({ votes: true });
  tick(40);
  const { blocks } = ledger;
  const empty = [...blocks.ancestors(blocks.openSlot, 1_000n)].filter(
    (slot) => blocks.transactions(slot).length === 0,
  );
  expect(empty.toReversed()).toEqual(empty.map((_, at) => BigInt(at)));
  expect(read('localnet')).toContain(`only those with which a ledger begins (0 to ${empty[0]}) are empty`);
  expect(read('localnet')).not.toMatch(/\b(?:none|no block) is empty/);
});

test('the guides say when a transfer is final, as a ledger of each consensus has it', async () => {
  const behind = async (consensus: 'alpenglow' | 'tower'): Promise<bigint> => {
    const { call, tick } = newLedger({ consensus });
    tick(40);
    const slot = (commitment: 'confirmed' | 'finalized') => call('getSlot', { commitment });
    return (await slot('confirmed')) - (await slot('finalized'));
  };
  expect(await behind('alpenglow')).toBe(0n);
  const later = await behind('tower');
  for (const name of ['websocket', 'streams'])
    expect(read(name)).toContain(
      `nder Alpenglow a transfer is \`confirmed\` and \`finalized\` within two slots (about 0.4 s); under Tower BFT \`finalized\` comes ${later} slots later.`,
    );
});
