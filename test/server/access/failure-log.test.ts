import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createFailureLog } from '../../../src/server/access/failure-log.ts';
import { serviceError } from '../../../src/core/service-error.ts';

function startLog() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  let nowMs = 0;
  const logFailure = createFailureLog(pino({}, { write }), { nowMs: () => nowMs });
  const advance = (byMs: number): void => {
    nowMs += byMs;
  };
  return { lines, logFailure, advance };
}

const refused = serviceError(
  'upstreamUnavailable',
  {},
  new Error('outer', { cause: new Error('ECONNREFUSED') }),
);
const broken = serviceError('upstreamBroken', {}, new Error('status 401, content type text/html'));

test('a failure of a node is told with the innermost reason', () => {
  const { lines, logFailure } = startLog();
  logFailure('solana-devnet', refused);
  expect(lines).toMatchObject([
    {
      level: 40,
      network: 'solana-devnet',
      error: 'upstreamUnavailable',
      reason: 'ECONNREFUSED',
      suppressed: 0,
    },
  ]);
});

test('the same failure is told once in ten seconds, then with the number of those not told', () => {
  const { lines, logFailure, advance } = startLog();
  logFailure('a', refused);
  advance(9_999);
  logFailure('a', refused);
  logFailure('a', refused);
  expect(lines).toHaveLength(1);
  advance(1);
  logFailure('a', refused);
  expect(lines).toMatchObject([{ suppressed: 0 }, { suppressed: 2 }]);
});

test('another failure, or another network, is told at once', () => {
  const { lines, logFailure } = startLog();
  logFailure('a', refused);
  logFailure('a', broken);
  logFailure('b', refused);
  expect(lines.map(({ network, error }) => `${network} ${error}`)).toEqual([
    'a upstreamUnavailable',
    'a upstreamBroken',
    'b upstreamUnavailable',
  ]);
});
