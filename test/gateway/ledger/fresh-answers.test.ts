import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXAMPLES } from '../../../generated/ledger/examples.ts';
import { type MethodName, METHODS } from '../../../generated/ledger/methods.ts';
import { stringifyJson } from '../../../src/core/rpc/json.ts';
import { echoResult, type ScriptedNode, startScriptedNode } from '../../server/scripted-node.ts';
import { type Gateway, post, SLOT_MS, startGateway } from '../../server/start-gateway.ts';
import { tryCases } from '../../fuzz/seeded.ts';

/** The tags of the methods with which clients read their own writes. */
const ACCOUNT_TAGS = ['accounts', 'tokens', 'transactions', 'blockhash'];
/** Other methods that show a client its own writes or the passing of time, or do not say which epoch the answer is of. */
const WATCHED: readonly MethodName[] = [
  'getSlot',
  'getBlockHeight',
  'getEpochInfo',
  'getBlocks',
  'getFeeForMessage',
  'getSupply',
  'getLargestAccounts',
  'getVoteAccounts',
  'getLeaderSchedule',
  'getInflationReward',
];
/** Those of them whose answer cannot change. */
const LASTING: readonly MethodName[] = ['getGenesisHash', 'getTransaction'];
const NAMES = Object.values(METHODS).map(({ name }) => name);
const FRESH = NAMES.filter(
  (name) =>
    WATCHED.includes(name) ||
    (METHODS[name].tags.some((tag) => ACCOUNT_TAGS.includes(tag)) && !LASTING.includes(name)),
);
const KEPT = NAMES.filter((name) => METHODS[name].cache === 'slot');

let nowMs: number;
/** When the node was asked for each of its answers; an answer says which it is. */
let askedAtMs: number[];
let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  [nowMs, askedAtMs] = [1_000, []];
  node = await startScriptedNode((response, seen, attempt) => {
    askedAtMs.push(nowMs);
    echoResult(String(askedAtMs.length - 1))(response, seen, attempt);
  });
  gateway = await startGateway({ nodeUrls: [node.url], cacheBytes: 1024 * 1024, nowMs: () => nowMs });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

/** Asks as the specification shows it; which answer of the node it got, and by which way. */
async function ask(method: MethodName): Promise<{ readonly answer: number; readonly status: string | null }> {
  const params = stringifyJson(EXAMPLES[method].find((example) => 'result' in example)?.params ?? []);
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const response = await post(gateway.rpcUrl, body);
  const { result } = (await response.json()) as { readonly result: number };
  return { answer: result, status: response.headers.get('cache-status') };
}

test.each(KEPT)('%s: as the specification shows it, one answer serves a slot', async (method) => {
  expect(await ask(method)).toEqual({ answer: 0, status: 'Keyslot; fwd=miss; stored' });
  nowMs += SLOT_MS - 1;
  expect(await ask(method)).toEqual({ answer: 0, status: 'Keyslot; hit' });
  nowMs += 1;
  expect(await ask(method)).toEqual({ answer: 1, status: 'Keyslot; fwd=miss; stored' });
});

test.each(FRESH)('%s: the node is asked each time', async (method) => {
  expect(await ask(method)).toEqual({ answer: 0, status: null });
  expect(await ask(method)).toEqual({ answer: 1, status: null });
});

const steps = fc.array(
  fc.record({
    waitMs: fc.nat({ max: SLOT_MS + 1 }),
    methods: fc.array(fc.constantFrom(...FRESH, ...KEPT), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test('no balance is older than the call that asks for it, and nothing else is a slot older', () =>
  tryCases(
    'freshAnswers',
    fc.asyncProperty(steps, async (taken) => {
      for (const { waitMs, methods } of taken) {
        nowMs += waitMs;
        const given = askedAtMs.length;
        const answers = await Promise.all(methods.map(ask));
        const fresh = answers.filter((_, index) => FRESH.includes(methods[index] as MethodName));
        expect(new Set(fresh.map(({ answer }) => answer)).size).toBe(fresh.length);
        for (const { answer } of fresh) expect(answer).toBeGreaterThanOrEqual(given);
        for (const { answer } of answers)
          expect(nowMs - (askedAtMs[answer] ?? -Infinity)).toBeLessThan(SLOT_MS);
      }
    }),
  ));
