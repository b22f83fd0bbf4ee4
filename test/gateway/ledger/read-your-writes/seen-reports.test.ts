import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReadYourWrites } from '../../../../src/gateway/ledger/read-your-writes/read-your-writes.ts';
import type { Reader } from '../../../../src/gateway/ledger/read-your-writes/readers.ts';
import {
  type SeenReport,
  startSeenReports,
} from '../../../../src/gateway/ledger/read-your-writes/redis-seen.ts';

const NETWORK = 'solana-devnet';
const CALL = { method: 'getSlot', params: [{ commitment: 'confirmed' }] };
const NO_MARKS = [0, 0, 0, 0, 0, 0];
const nowMs = () => performance.now();
const nameOf = ({ keyId, session }: Reader) => `${keyId}/${session ?? ''}`;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function openReadYourWrites(isOn = true): ReadYourWrites {
  const alone = { isAlone: () => true, allHave: () => true, slotsIn: () => undefined };
  return new ReadYourWrites({ isOn, waitMs: 1, expected: () => 0, nowMs, ...alone });
}

/** A gateway that tells its reports to another one. */
function startPair() {
  const [one, other] = [openReadYourWrites(), openReadYourWrites()];
  const sent: SeenReport[] = [];
  const redis = { isUp: true, fails: false };
  const send = async (report: SeenReport): Promise<void> => {
    if (redis.fails) throw new Error('lost');
    sent.push(report);
    for (const seen of report.seen) other.learn(seen, 0);
  };
  const networks = new Map([[NETWORK, one]]);
  const reports = startSeenReports(networks, { isUp: () => redis.isUp, send }, { nameOf, nowMs });
  other.share({ nameOf, onSeen: () => undefined });
  const isBehind = (slot: number, session?: string) =>
    other.isBehind(CALL, { slot }, { accountId: 'a', keyId: 'k', session });
  return { one, other, sent, redis, reports, isBehind };
}

const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('what a reader was shown at one gateway is behind it at the other after 50 ms, at each commitment', async () => {
  const { one, isBehind, other } = startPair();
  one.noteSlot('finalized', 100, { accountId: 'a', keyId: 'k' });
  await advance(49);
  expect(isBehind(99)).toBe(false);
  await advance(1);
  expect([isBehind(99), isBehind(100)]).toEqual([true, false]);
  const processed = { method: 'getSlot', params: [{ commitment: 'processed' }] };
  expect(other.isBehind(processed, { slot: 99 }, { accountId: 'a', keyId: 'k' })).toBe(true);
  expect(other.isBehind(CALL, { slot: 99 }, { accountId: 'a', keyId: 'another' })).toBe(false);
  expect(isBehind(99, 'session')).toBe(false);
});

test('a session is reported by itself, block heights too', async () => {
  const { one, isBehind, other } = startPair();
  const reader = { accountId: 'a', keyId: 'k', session: 's' };
  one.noteAnswer({ method: 'getBlockHeight', params: [{ commitment: 'confirmed' }] }, { height: 7 }, reader);
  one.noteSlot('confirmed', 100, reader);
  await advance(50);
  expect([isBehind(99, 's'), isBehind(99)]).toEqual([true, false]);
  const height = { method: 'getBlockHeight', params: [{ commitment: 'confirmed' }] };
  expect(other.isBehind(height, { height: 6 }, reader)).toBe(true);
});

test('a reader is reported once in 50 ms, with its highest slot, and not for slots it has seen before', async () => {
  const { one, sent } = startPair();
  for (const slot of [100, 102, 101]) one.noteSlot('confirmed', slot, { accountId: 'a', keyId: 'k' });
  await advance(1_000);
  expect(sent).toEqual([{ network: NETWORK, seen: [['k/', [102, 50, 102, 50, 0, 0], NO_MARKS]] }]);
  one.noteSlot('confirmed', 102, { accountId: 'a', keyId: 'k' });
  await advance(1_000);
  expect(sent).toHaveLength(1);
});

test('what could not be told is told when Redis is back, with its age', async () => {
  const { one, redis, isBehind } = startPair();
  redis.fails = true;
  one.noteSlot('confirmed', 100, { accountId: 'a', keyId: 'k' });
  await advance(1_000);
  Object.assign(redis, { fails: false, isUp: false });
  await advance(29_000);
  expect(isBehind(99)).toBe(false);
  redis.isUp = true;
  await advance(100);
  expect(isBehind(99)).toBe(true);
  // A minute after it was shown, not after it was told.
  await advance(29_800);
  expect(isBehind(99)).toBe(true);
  await advance(200);
  expect(isBehind(99)).toBe(false);
});

test('more readers than a report has come with the next ones; what was learned is told to nobody', async () => {
  const { one, sent } = startPair();
  for (let at = 0; at < 1_200; at++) one.noteSlot('confirmed', 100, { accountId: 'a', keyId: `k${at}` });
  one.learn(['told/', [200, 0, 200, 0, 0, 0], NO_MARKS], 0);
  await advance(200);
  expect(sent.map(({ seen }) => seen.length)).toEqual([500, 500, 200]);
  expect(sent.flatMap(({ seen }) => seen.map(([name]) => name))).not.toContain('told/');
});

test('a gateway that stops tells what it has not told yet', async () => {
  const { one, reports, isBehind } = startPair();
  one.noteSlot('confirmed', 100, { accountId: 'a', keyId: 'k' });
  await reports.close();
  expect(isBehind(99)).toBe(true);
});

test('a reader that was met here before another gateway tells of it, or after, has seen what both have shown', async () => {
  const { one, other, isBehind } = startPair();
  expect(isBehind(0, 'known')).toBe(false);
  for (const session of ['known', 'new'])
    one.noteSlot('confirmed', 100, { accountId: 'a', keyId: 'k', session });
  await advance(50);
  for (const session of ['known', 'new']) {
    expect([isBehind(99, session), isBehind(100, session)]).toEqual([true, false]);
    other.noteSlot('confirmed', 101, { accountId: 'a', keyId: 'k', session });
    other.learn([`k/${session}`, [0, 0, 102, 0, 0, 0], NO_MARKS], 0);
    expect([isBehind(101, session), isBehind(102, session)]).toEqual([true, false]);
  }
});

test('what another gateway shows a reader counts here for a minute, however long the reader was not here', async () => {
  const { one, other, isBehind } = startPair();
  const another = { accountId: 'a', keyId: 'another' };
  expect(isBehind(0)).toBe(false);
  for (let slot = 100; slot < 103; slot++) {
    one.noteSlot('confirmed', slot, { accountId: 'a', keyId: 'k' });
    await advance(50_000);
    other.noteSlot('confirmed', 1, another);
  }
  expect([isBehind(101), isBehind(102)]).toEqual([true, false]);
});
