import { expect, test } from 'vitest';
import type { LedgerNode, NetworkNodes } from '../../generated/account/types.ts';
import { findOverlaps } from './find-overlaps.ts';
import { describeInBrowser, LOGIN, signIn } from './use-dashboard.ts';

/** Where pictures of the page are written. */
const IMAGES = process.env.KEYSLOT_IMAGES;
const AT = '2026-11-24T09:30:00.000Z';
const NODE: LedgerNode = {
  name: 'node-1',
  is_reachable: true,
  is_ordered: true,
  standing: 'healthy',
  weight: 1,
  reasons: [],
  roles: ['read', 'send', 'subscribe'],
  version: '4.4.0',
  slot: 398_112_004,
};
const NETWORK: NetworkNodes = {
  name: 'solana',
  environment: 'mainnet',
  state: 'ready',
  nodes: [NODE],
  consensus: 'alpenglow',
  alpenglow_from: 378_112_004,
  slot_ms: 200,
  slot_ms_from: 'notifications',
  newest_slot: 398_112_004,
  beyond_specification: [{ node: 'node-1', kind: 'member', name: 'getSlot.new', count: 1, first_seen: AT }],
  unknown_methods: [
    { name: 'getBalence', count: 1_200, first_seen: AT },
    { name: 'other', count: 7, first_seen: AT },
  ],
};

describeInBrowser('the page of the nodes', (start) => {
  const open = async (network: NetworkNodes, width = 1440) => {
    const answers = { 'GET /operator/nodes': { networks: [network] } };
    const scopes = [...LOGIN.scopes, 'operator:read'];
    const { page } = await start({ answers, scopes }, '/dashboard/operator/nodes', { width });
    await signIn(page);
    await page.getByRole('heading', { name: 'solana, mainnet' }).waitFor();
    return page;
  };

  test('does not say in one breath that nodes announce slots and that none does', async () => {
    const { newest_slot: _, ...silent } = NETWORK;
    const page = await open(silent);
    await page.getByText('from slots that nodes announced').waitFor();
    await page.getByText('not known yet').waitFor();
    expect(await page.getByText('no node announces').count()).toBe(0);
  });

  test('names the consensus of the network, and since when it has it', async () => {
    const page = await open(NETWORK);
    await page.getByText('Alpenglow, after slot 378,112,004').waitFor();
    const { alpenglow_from: _, ...tower } = { ...NETWORK, consensus: 'tower' as const };
    const other = await open(tower);
    await other.getByText('Tower BFT').waitFor();
    expect(await other.getByText('Alpenglow').count()).toBe(0);
  });

  test.each([375, 1440])('keeps what clients misspell apart from what nodes answer: %i px', async (width) => {
    const page = await open(NETWORK, width);
    const beyond = page.getByRole('table', { name: 'Beyond the specification' });
    expect(await beyond.textContent()).not.toContain('getBalence');
    const unknown = page.getByRole('table', { name: 'Unknown methods' });
    expect(await unknown.getByRole('row').nth(1).textContent()).toMatch(/getBalence.*1,200/);
    if (IMAGES !== undefined) await page.screenshot({ path: `${IMAGES}/nodes-${width}.png`, fullPage: true });
    expect(await findOverlaps(page)).toEqual([]);
  });
});
