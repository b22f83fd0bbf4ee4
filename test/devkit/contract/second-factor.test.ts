import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { createSecondFactor } from '../../../src/devkit/contract/command/run-wallets.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const totp = new TOTP({ secret: Secret.fromBase32(SECRET) });

/** A clock that only waiting moves. */
function clockAt(startMs: number) {
  let nowMs = startMs;
  const waited: number[] = [];
  const pause = async (ms: number): Promise<void> => {
    waited.push(ms);
    nowMs += ms;
  };
  return { waited, clock: { nowMs: () => nowMs, pause } };
}

test('gives the codes of RFC 6238', () => {
  expect(createSecondFactor(SECRET, clockAt(59_000).clock).peek()).toBe('287082');
});

test('takes each code once: the next is waited for, until its step begins and no longer', async () => {
  const { clock, waited } = clockAt(1_000_010_000);
  const { take } = createSecondFactor(SECRET, clock);
  const codes = [await take(), await take(), await take()];
  expect(codes).toEqual([0, 1, 2].map((step) => totp.generate({ timestamp: 1_000_010_000 + step * 30_000 })));
  expect(waited).toEqual([10_000, 30_000]);
});

test('a code for a request that is refused before anybody looks at it takes none', async () => {
  const { clock, waited } = clockAt(0);
  const { take, peek } = createSecondFactor(SECRET, clock);
  expect(peek()).toBe(await take());
  expect(waited).toEqual([]);
});

test('waits ten times, at most', async () => {
  const { clock, waited } = clockAt(0);
  const { take } = createSecondFactor(SECRET, clock);
  for (let count = 0; count < 11; count += 1) expect(await take()).toMatch(/^\d{6}$/);
  expect(await take()).toBeUndefined();
  expect(waited).toHaveLength(10);
});

test('a wrong code is that of no step near', () => {
  const { wrong } = createSecondFactor(SECRET, clockAt(0).clock);
  expect(totp.validate({ token: wrong(), timestamp: 0, window: 3 })).toBeNull();
});

test('an invalid secret is refused without repeating it', () => {
  expect(() => createSecondFactor('no secret!', clockAt(0).clock)).toThrow(
    '--totp must be a secret in base-32',
  );
});
