import { expect, test } from 'vitest';
import { playSessions } from '../../../lab/play-sessions.ts';

test('over HTTP, WebSocket and gRPC nobody is shown less than before, no read fails, nothing is missing unsaid, no transaction is taken twice', async () => {
  const { findings, failovers } = await playSessions(60, 60);
  expect(findings.kept).toEqual([]);
  // Without failures of nodes this would hold of any gateway.
  expect(failovers).toBeGreaterThan(0);
});
