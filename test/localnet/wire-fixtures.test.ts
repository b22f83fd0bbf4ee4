import { afterAll, beforeAll, expect, test } from 'vitest';
import { METHODS } from '../../generated/ledger/methods.ts';
import { actScenario } from '../../src/devkit/contract/scenario.ts';
import { startRpcServer } from '../../src/localnet/serve-ledger.ts';
import { newLedger } from './new-ledger.ts';
import { fill, matcher, readWireFixtures } from './wire-fixture.ts';

const TICK_MS = 10;
const FEWEST = 3;
const fixtures = readWireFixtures();
const run = newLedger({ slotMs: 60_000 });
let server: Awaited<ReturnType<typeof startRpcServer>>;
let value: (name: string) => Promise<unknown>;

/** The ledger on which the contract run has acted; after that its clock stands still. */
beforeAll(async () => {
  server = await startRpcServer(run.ledger, { host: '127.0.0.1', port: 0 });
  run.ledger.rpcAddress = `127.0.0.1:${server.port}`;
  const ticking = setInterval(run.tick, TICK_MS);
  const scenario = await actScenario({ rpcUrl: `http://127.0.0.1:${server.port}/` }).finally(() =>
    clearInterval(ticking),
  );
  value = scenario.value;
});
afterAll(() => server?.close(0));

async function post(body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', headers, body });
  return (await answer.text()).trimEnd();
}

test.each(fixtures)('$method: $name', async (fixture) => {
  const { request, answer } = await fill(fixture, value);
  expect(await post(request)).toMatch(matcher(answer));
});

test.each(fixtures)(
  '$method: $name has one call, its answer, and a source',
  ({ method, comments, request, answer }) => {
    expect(JSON.parse(request.replaceAll(/\$(\w+)(?=[,\]}])/g, '1'))).toMatchObject({ method });
    expect(answer).toMatch(/^\{"jsonrpc":"2\.0",/);
    expect(comments).toEqual([expect.any(String), expect.stringMatching(/^source: \S/)]);
  },
);

test(`every method that has fixtures has at least ${FEWEST}`, () => {
  const methods = Object.groupBy(fixtures, ({ method }) => method);
  for (const [method, own] of Object.entries(methods)) {
    expect(Object.keys(METHODS)).toContain(method);
    expect([method, (own?.length ?? 0) >= FEWEST]).toEqual([method, true]);
  }
});
