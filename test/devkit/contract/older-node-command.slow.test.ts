import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningMock, startMock } from '../../support/keyslot.ts';
import { type Fault, startFaultProxy } from './fault-proxy.ts';
import { useContractCommand } from './use-contract-command.ts';

const { contract, running } = useContractCommand();
let mock: RunningMock;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());

/** Methods with members or limits that only newer nodes have. */
const VERSIONED = ['getInflationReward', 'getLeaderSchedule'];

type Report = {
  readonly methods: readonly {
    readonly method: string;
    readonly verdict: string;
    readonly reasons: readonly { readonly reason: string; readonly count: number }[];
    readonly cases: readonly { readonly outcome: string }[];
  }[];
};

/** A node before 4.3: it lacks getAgGenesisCert and −32022, ignores what came later, and takes any number of addresses. */
function olderNode(version: string): Fault {
  const error = { code: -32601, message: 'Method not found' };
  const withoutNews = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'keyByVoteAccount'))
      : value;
  const some = (addresses: unknown): unknown =>
    Array.isArray(addresses) ? addresses.slice(0, 2) : addresses;
  return {
    request: (request) => {
      const { method, params } = request;
      if (!Array.isArray(params) || params.length === 0) return request;
      if (method === 'getLeaderSchedule') return { ...request, params: params.map(withoutNews) };
      return method === 'getInflationReward'
        ? { ...request, params: [some(params[0]), ...params.slice(1)] }
        : request;
    },
    reply: (text, { method, id }) => {
      if (method === 'getVersion') return text.replace(/"solana-core":"[^"]*"/, `"solana-core":"${version}"`);
      if (method === 'getAgGenesisCert') return JSON.stringify({ jsonrpc: '2.0', id, error });
      return text.includes('"code":-32022') ? JSON.stringify({ jsonrpc: '2.0', id, result: {} }) : text;
    },
  };
}

async function reportOf(version: string) {
  const proxy = await startFaultProxy(mock, olderNode(version));
  running.push(proxy);
  const { stdout } = await contract('--url', proxy.rpcUrl, '--json');
  const { methods } = JSON.parse(stdout) as Report;
  return { url: proxy.rpcUrl, of: (name: string) => methods.find(({ method }) => method === name) };
}

test('what a server is known to be too old for is left out, and the report names the version that has it', async () => {
  const { url, of } = await reportOf('4.2.0');
  expect(of('getAgGenesisCert')).toMatchObject({ verdict: 'unproven' });
  for (const name of VERSIONED) expect([name, of(name)?.verdict]).toEqual([name, 'holds']);
  expect(of('getInflationReward')?.reasons).toEqual([
    { reason: 'it needs a newer node: 4.3 (the server reports 4.2.0)', count: expect.any(Number) },
  ]);
  expect(of('getLeaderSchedule')?.cases).toEqual([]);
  const { stdout } = await contract('--url', url);
  expect(stdout).toMatch(/^ {2}\d+ left out: it needs a newer node: 4\.3 \(the server reports 4\.2\.0\)$/m);
});

test('a server that says to be new enough and is not differs', async () => {
  const { of } = await reportOf('4.4.0');
  for (const name of VERSIONED) expect([name, of(name)?.verdict]).toEqual([name, 'differs']);
  expect(of('getAgGenesisCert')).toMatchObject({ verdict: 'absent' });
});

test('where the version cannot be ordered, what only newer nodes have shows nothing if it is not there', async () => {
  const { of } = await reportOf('next');
  for (const name of VERSIONED) {
    const { verdict, reasons, cases = [] } = of(name) ?? {};
    expect([name, verdict, reasons]).toEqual([name, 'holds', []]);
    expect(cases.map(({ outcome }) => outcome)).toContain('unproven');
  }
});
