import { expect, test } from 'vitest';
import { playSessions } from './play-sessions.ts';

test('over HTTP, WebSocket and gRPC nobody is shown less than before, no read fails, nothing is missing unsaid, no transaction is taken twice', async () => {
  const { faults, failovers } = await playSessions(60, 60);
  expect(faults).toEqual([]);
  // Without failures of nodes this would hold of any gateway.
  expect(failovers).toBeGreaterThan(0);
});
