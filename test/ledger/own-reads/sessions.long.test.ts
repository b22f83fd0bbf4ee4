import { expect, test } from 'vitest';
import { playSessions } from './play-sessions.ts';

test('so it is for 1,500 users', async () => {
  const { faults, gaps } = await playSessions(1_500, 100);
  expect(faults).toEqual([]);
  expect(gaps).toBeGreaterThan(0);
}, 600_000);
