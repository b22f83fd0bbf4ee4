import { expect, test } from 'vitest';
import { playSessions } from '../../../lab/play-sessions.ts';

test('so it is for 1,500 users', async () => {
  const { findings, timeline } = await playSessions(1_500, 100);
  expect(findings.kept).toEqual([]);
  expect(timeline.total('gaps_told')).toBeGreaterThan(0);
}, 600_000);
