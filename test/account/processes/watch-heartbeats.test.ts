import { expect, test } from 'vitest';
import { watchHeartbeats } from '../../../src/account/processes/gateway.ts';

const BEAT = 10_000;

/** A watch of one process, which is asked at times of the test. */
function newWatch() {
  let nowMs = 5_000;
  const watch = watchHeartbeats(() => nowMs);
  return (laterMs: number, seenAtMs: number): boolean => {
    nowMs += laterMs;
    return watch([{ id: 'it', seenAt: new Date(seenAtMs) }]).has('it');
  };
}

test('a process is silent once the same heartbeat was seen for a minute, whatever time it says', () => {
  for (const seenAtMs of [0, Date.UTC(2099, 0, 1)]) {
    const isSilentAfter = newWatch();
    expect(isSilentAfter(0, seenAtMs)).toBe(false);
    for (let beat = 1; beat < 6; beat += 1) expect(isSilentAfter(BEAT, seenAtMs)).toBe(false);
    expect(isSilentAfter(BEAT - 1, seenAtMs)).toBe(false);
    expect(isSilentAfter(1, seenAtMs)).toBe(true);
  }
});

test('a heartbeat restarts the minute, also one of an earlier time', () => {
  const isSilentAfter = newWatch();
  for (let beat = 0; beat < 6; beat += 1) isSilentAfter(BEAT, 9);
  for (let beat = 0; beat < 6; beat += 1) expect(isSilentAfter(BEAT, 8)).toBe(false);
  expect(isSilentAfter(BEAT, 8)).toBe(true);
});

test('a process that misses two of its own heartbeats restarts the minute of all others', () => {
  const isSilentAfter = newWatch();
  for (let beat = 0; beat < 6; beat += 1) isSilentAfter(BEAT, 9);
  expect(isSilentAfter(2 * BEAT + 1, 9)).toBe(false);
  for (let beat = 1; beat < 6; beat += 1) expect(isSilentAfter(BEAT, 9)).toBe(false);
  expect(isSilentAfter(BEAT, 9)).toBe(true);
  const isSilentLater = newWatch();
  for (let beat = 0; beat < 5; beat += 1) isSilentLater(BEAT, 9);
  expect(isSilentLater(2 * BEAT, 9)).toBe(true);
});
