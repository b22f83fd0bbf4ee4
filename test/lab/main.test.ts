import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startNode } from '../support/node-process.ts';

test('that several gateways need a database is said before anything starts', async () => {
  const run = startNode(['test/lab/main.ts', 'everything'], {});
  expect(await eventually('it has ended', () => run.ended())).toBe('exit code 2');
  expect(run.stderr()).toContain('several gateways need --database URL');
});
