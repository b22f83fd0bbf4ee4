import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { METHODS } from '../../../generated/ledger/methods.ts';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { call } from '../../../src/devkit/contract/json-rpc.ts';
import { type RunningKeyslot, type RunningMock, startKeyslot, startMock } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { LEDGER_ENV } from '../../support/test-ledger.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { useContractCommand } from './use-contract-command.ts';

const WRITES = ['requestAirdrop', 'sendTransaction'];
/** Methods whose answers depend on an address or a message that is not in the mock's examples. */
const FOUND_IN_MOCK = [
  'getFeeForMessage',
  'getTokenAccountBalance',
  'getTokenAccountsByOwner',
  'getTokenLargestAccounts',
  'getTokenSupply',
];
const directory = useNewDirectory();
const { contract, contractAlone, running } = useContractCommand();

type Json = {
  readonly isFulfilled: boolean;
  readonly methods: readonly {
    readonly method: string;
    readonly verdict: string;
    readonly held: number;
    readonly leftOut: number;
    readonly cases: readonly { readonly outcome: string; readonly failures: readonly string[] }[];
  }[];
};

/** The methods by what the report says of them. */
function byVerdict(text: string): Readonly<Record<string, readonly string[]>> {
  const { methods } = JSON.parse(text) as Json;
  const verdicts = [...new Set(methods.map(({ verdict }) => verdict))];
  return Object.fromEntries(
    verdicts.map((verdict) => [
      verdict,
      methods.filter((each) => each.verdict === verdict).map(({ method }) => method),
    ]),
  );
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

describe('against keyslot serve', () => {
  let server: RunningKeyslot;
  const url = (): string => server.rpcUrl.split('?')[0] ?? '';

  beforeAll(async () => {
    server = await startKeyslot({ env: LEDGER_ENV });
    const wallet = 'EHv7fYD9vE2XFxdVKbU3VTuUPy7PXogzrmC8vhJDroUC';
    await confirm(server, String(await call(server, 'requestAirdrop', [wallet, 1_000_000_000])));
  });
  afterAll(() => server?.stop());

  test('every method holds, nothing is written, and the key is not shown', async () => {
    const before = await call(server, 'getTransactionCount', [{ commitment: 'confirmed' }]);
    const junit = join(directory(), 'junit.xml');
    const args = ['--url', url(), '--apikey', server.apiKey, '--json', '--junit', junit];
    const { ended, stdout, stderr } = await contract(...args);
    expect([ended, stderr]).toEqual(['exit code 0', '']);
    const others = Object.keys(METHODS).filter((method) => !WRITES.includes(method));
    expect(byVerdict(stdout)).toEqual({ holds: others, unproven: WRITES });
    const { methods } = JSON.parse(stdout) as Json;
    expect(methods.reduce((sum, { held }) => sum + held, 0)).toBeGreaterThan(1_000);
    expect(await call(server, 'getTransactionCount', [{ commitment: 'confirmed' }])).toBe(before);
    const xml = await readFile(junit, 'utf8');
    const cases = Object.values(CONTRACT).flatMap((each) => each.cases);
    expect(count(xml, /<testcase /g)).toBe(cases.length);
    expect(count(xml, /<skipped /g)).toBe(
      methods.reduce((sum, each) => sum + each.leftOut + each.cases.length, 0),
    );
    expect(xml).not.toContain('<failure');
    expect(stdout + xml).not.toContain(server.apiKey);
  });

  test('a wrong result and a missing method are found, where they are and nowhere else', async () => {
    const proxy = await startFaultProxy(server, {
      reply: (text, { method, id }) => {
        if (method === 'getBalance') return text.replace(/"value":(\d+)/, '"value":"$1"');
        const missing = { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
        return method === 'getVersion' ? JSON.stringify(missing) : text;
      },
    });
    running.push(proxy);
    const junit = join(directory(), 'junit.xml');
    const { ended, stdout } = await contract('--url', proxy.rpcUrl, '--json', '--junit', junit);
    expect(ended).toBe('exit code 1');
    const { methods } = JSON.parse(stdout) as Json;
    const wrong = methods.filter(({ verdict }) => verdict === 'differs' || verdict === 'absent');
    const unforeseen = wrong.filter(({ method }) => !['getBalance', 'getVersion'].includes(method));
    expect(unforeseen).toEqual([]);
    expect(wrong.map(({ verdict }) => verdict)).toEqual(['differs', 'absent']);
    const balance = methods.find(({ method }) => method === 'getBalance');
    expect(balance?.cases[0]?.failures.join()).toContain('result/value fails x-int');
    const suite =
      /<testsuite name="getBalance"[\s\S]*?<\/testsuite>/.exec(await readFile(junit, 'utf8'))?.[0] ?? '';
    expect(count(suite, /<failure message="differed">/g)).toBe(balance?.cases.length);
  });

  test('with --allow-writes the methods that write are held against the contract too', async () => {
    const { ended, stdout, stderr } = await contract('--url', server.rpcUrl, '--allow-writes', '--json');
    expect([ended, stderr]).toEqual(['exit code 0', '']);
    expect(byVerdict(stdout)).toEqual({ holds: Object.keys(METHODS) });
  });

  test('a key that is refused ends the run, and is not shown', async () => {
    const { ended, stderr } = await contractAlone(['--url', url(), '--apikey', 'ks_key_wrong']);
    expect(ended).toBe('exit code 2');
    expect(stderr).toContain('-32041');
    expect(stderr).not.toContain('ks_key_wrong');
  });
});

describe('against a mock', () => {
  let mock: RunningMock;
  /** A run that nothing comes in the way of. */
  let plain: Awaited<ReturnType<typeof contract>>;

  beforeAll(async () => {
    mock = await startMock();
    plain = await contract('--url', mock.rpcUrl);
  });
  afterAll(() => mock?.stop());

  test('a mock is told from a ledger: what depends on an address or a message that is not in its examples differs', async () => {
    const { ended, stdout } = plain;
    expect(ended).toBe('exit code 1');
    const named = (verdict: string): readonly string[] =>
      [...stdout.matchAll(new RegExp(`^${verdict} +(\\S+) +\\d`, 'gm'))].map(([, method]) => String(method));
    const differing = named('differs');
    expect(differing).toEqual(expect.arrayContaining(FOUND_IN_MOCK));
    // A method that is not in the list may differ too, where what it answers depends on its params.
    const others = differing.filter((method) => !FOUND_IN_MOCK.includes(method));
    const unforeseen = Object.values(METHODS).filter(
      ({ name, origin, minParams }) => others.includes(name) && (origin === 'given' || minParams === 0),
    );
    expect(unforeseen).toEqual([]);
    expect(named('unproven')).toEqual(WRITES);
    expect([...named('holds'), ...differing, ...WRITES].sort()).toEqual(Object.keys(METHODS).sort());
    expect(stdout).toMatch(/^holds +getBalance +\d+ held, 1 unproven$/m);
    const counts = `holds ${named('holds').length}, differs ${differing.length}, absent 0, unproven ${WRITES.length}`;
    expect(stdout).toContain(`${Object.keys(METHODS).length} methods: ${counts}`);
  });

  test('a limit that the server lifts again is waited for, and changes no verdict', async () => {
    let calls = 0;
    const lifting = await startFaultProxy(mock, {
      refuse: () => (++calls % 5 === 0 ? { status: 429, headers: { 'retry-after': '0' } } : undefined),
    });
    running.push(lifting);
    const waited = await contract('--url', lifting.rpcUrl);
    const verdicts = (text: string): readonly string[] =>
      text.match(/^(?:holds|differs|unproven) .*$/gm) ?? [];
    expect([waited.ended, verdicts(waited.stdout)]).toEqual([plain.ended, verdicts(plain.stdout)]);
  });

  test('a server that limits every call is no server that holds or differs: exit code 2', async () => {
    const all = await startFaultProxy(mock, {
      refuse: ({ method }) =>
        method === 'getSlot' ? undefined : { status: 429, headers: { 'retry-after': '3600' } },
    });
    running.push(all);
    const junit = join(directory(), 'junit.xml');
    const { ended, stdout } = await contract('--url', all.rpcUrl, '--json', '--junit', junit);
    expect(ended).toBe('exit code 2');
    expect(Object.keys(byVerdict(stdout)).sort()).toEqual(['holds', 'unproven']);
    expect(byVerdict(stdout).holds).toEqual(['getSlot']);
    expect(JSON.parse(stdout)).toMatchObject({ limited: expect.any(Number) });
    expect(await readFile(junit, 'utf8')).toContain('<skipped message="limited"/>');
  });

  describe('with faults in some methods', () => {
    const RUDE = 'getAccountInfo';
    const LIMITED = 'getEpochInfo';
    const WRONG = ['getIdentity', 'getVoteAccounts', 'getBlocks', 'getBlock'];
    const VALUES = [
      '"x"',
      'null',
      '[null,"y"]',
      '{"transactions":[null,{"transaction":{}}],"current":[null]}',
    ];
    const key = 'secret-of-the-provider-in-the-path';
    /** A run that meets all of them, and whose report cannot be written. */
    let faulty: Awaited<ReturnType<typeof contract>>;

    beforeAll(async () => {
      let turn = 0;
      const proxy = await startFaultProxy(mock, {
        refuse: ({ method }, url) => {
          if (method === RUDE) return { status: 500, body: `\u001b[2J no ${url}` };
          const isLimited = method.toLowerCase() === LIMITED.toLowerCase();
          return isLimited ? { status: 429, headers: { 'retry-after': '3600' } } : undefined;
        },
        reply: (text, { method, id }) =>
          WRONG.includes(method)
            ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${VALUES[turn++ % VALUES.length]}}`
            : text,
      });
      const address = `${proxy.rpcUrl.replace('//', '//user:pass-of-user@')}/v2/${key}`;
      const junit = join(tmpdir(), 'missing-directory', 'junit.xml');
      faulty = await contract('--url', address, '--apikey', 'key-1', '--junit', junit);
      await proxy.stop();
    });

    test('a limit that the server does not lift is told, with what it hides', () => {
      const cases = CONTRACT[LIMITED].cases.length;
      expect(faulty.stdout).toMatch(new RegExp(`^unproven +${LIMITED} +${cases} limited$`, 'm'));
      expect(faulty.stdout).toContain(
        `${cases} cases were not answered: the server limits the rate of calls (HTTP 429)`,
      );
      expect(faulty.stdout).not.toContain(`differs   ${LIMITED} `);
    });

    test('what a server quotes of its address, and what would move the cursor, is not shown; a report that cannot be written is', () => {
      const { ended, stdout, stderr } = faulty;
      expect(stdout).toContain('HTTP 500: \uFFFD[2J no /v2/…');
      expect(stdout).toContain(`${Object.keys(METHODS).length} methods: `);
      expect([ended, stderr]).toEqual(['exit code 2', expect.stringContaining('ENOENT')]);
      for (const secret of [key, 'pass-of-user', 'key-1', '\u001b'])
        expect(stdout + stderr).not.toContain(secret);
    });

    test('a server that is wrong about its blocks and nodes differs there; the run continues', () => {
      const differing = [...faulty.stdout.matchAll(/^differs +(\w+)/gm)].map(([, method]) => method);
      expect(differing).toEqual(expect.arrayContaining([RUDE, ...WRONG]));
    });
  });
});
