import { expect, test, vi } from 'vitest';
import { PROTOCOLS } from './fuzz/protocols.ts';
import { renderProtocol } from './fuzz/report.ts';
import { runProtocol } from './fuzz/run-protocol.ts';

vi.setConfig({ testTimeout: 300_000 });

const REQUESTS = 2_000;
const seed = Number(process.env.KEYSLOT_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

test.each(PROTOCOLS)('$name stands 2,000 fuzzed requests', async (protocol) => {
  console.log(`${protocol.name}: to repeat the requests: KEYSLOT_FUZZ_SEED=${seed}`);
  const result = await runProtocol(protocol, { requests: REQUESTS, seed, deadlineMs: 240_000 });
  console.log(renderProtocol(result));
  expect(result.faults).toEqual([]);
  expect(result.requests).toBeGreaterThanOrEqual(REQUESTS);
});
