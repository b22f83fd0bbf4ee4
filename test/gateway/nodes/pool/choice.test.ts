import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { serviceError } from '../../../../src/core/service-error.ts';
import type { NodeRequirements, Upstream } from '../../../../src/gateway/nodes/upstream.ts';
import { poolOf } from './pool-of.ts';
import { rounds } from '../../../support/tier.ts';

/** `yes` if a node has what is needed; `maybe`: unknown. */
type Has = 'yes' | 'no' | 'maybe';
const HAS = { yes: true, no: false, maybe: undefined } as const;
const CODES = ['upstreamUnavailable', 'upstreamBusy', 'upstreamBroken', 'callTooLarge'] as const;
type Does = 'answers' | (typeof CODES)[number];
type Played = { readonly has: Has; readonly does: Does };
type Method = 'getSlot' | 'sendTransaction';

function pool(nodes: readonly Played[]) {
  const seen: number[] = [];
  const closed: number[] = [];
  const { upstream, close } = poolOf(
    nodes.map(({ has, does }, index) => ({
      has: () => HAS[has],
      upstream: {
        send: async () => {
          seen.push(index);
          if (does !== 'answers') throw serviceError(does);
          const body = Buffer.from(`{"jsonrpc":"2.0","result":${index},"id":1}`);
          return { kind: 'whole', body, isError: false };
        },
        close: async () => void closed.push(index),
      } satisfies Upstream,
    })),
  );
  return { upstream, close, seen, closed };
}

/** Sends a call. @returns the node that answered it, or what it failed with. */
async function send(
  upstream: Upstream,
  needs?: NodeRequirements,
  method: Method = 'getSlot',
): Promise<unknown> {
  const body = Buffer.from('{}');
  try {
    const reply = await upstream.send({ body, method, id: '1', signal: new CallSignal(), needs });
    if (reply.kind !== 'whole') return reply.kind;
    return (JSON.parse(reply.body.toString()) as { readonly result: number }).result;
  } catch (error) {
    return error;
  }
}

function counted() {
  let unknown = 0;
  const needs: NodeRequirements = { since: '4.4', onUnknown: () => void unknown++ };
  return { needs, unknown: () => unknown };
}

const yes: Played = { has: 'yes', does: 'answers' };
const no: Played = { has: 'no', does: 'answers' };
const maybe: Played = { has: 'maybe', does: 'answers' };
const down = (has: Has): Played => ({ has, does: 'upstreamUnavailable' });

test('calls go to the nodes in turn; so do those with needs, among the nodes that have it', async () => {
  const { upstream } = pool([no, yes, maybe, yes]);
  const turns = [];
  for (let round = 0; round < 8; round++) turns.push(await send(upstream));
  expect(turns).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  const { needs } = counted();
  const needy = [];
  for (let round = 0; round < 6; round++) needy.push(await send(upstream, needs));
  expect(needy).toEqual([1, 3, 1, 3, 1, 3]);
});

test.each([
  ['to the one that has it, though another may', [maybe, yes, no], 1, 0],
  ['to one that may have it, if there is no other', [no, maybe, no], 1, 1],
  ['past one that is down', [down('yes'), yes], 1, 0],
  ['past all that have it and are down, to one that may', [down('yes'), maybe, down('yes')], 1, 1],
  ['past a busy one', [{ has: 'yes', does: 'upstreamBusy' }, maybe], 1, 1],
  ['past one that may have it and is down: counted once, where it went', [down('maybe'), maybe], 1, 1],
] as const)('a call with needs goes %s', async (_where, nodes, answers, unknowns) => {
  const { upstream } = pool(nodes);
  const { needs, unknown } = counted();
  expect([await send(upstream, needs), unknown()]).toEqual([answers, unknowns]);
});

test.each([
  ['older ones', [no, no]],
  ['an older one alone', [no]],
  ['older ones and some that are down', [no, down('yes'), down('maybe')]],
])('of %s none takes it, and it is counted nowhere', async (_which, nodes) => {
  const { upstream, seen } = pool(nodes);
  const { needs, unknown } = counted();
  expect(await send(upstream, needs)).toMatchObject({ code: 'upstreamUnavailable' });
  expect([seen.includes(0), unknown()]).toEqual([false, 0]);
});

test('a write is counted where something may have run, though the node broke off', async () => {
  const { upstream } = pool([{ has: 'maybe', does: 'upstreamBroken' }, maybe]);
  const { needs, unknown } = counted();
  expect(await send(upstream, needs, 'sendTransaction')).toMatchObject({ code: 'upstreamBroken' });
  expect(unknown()).toBe(1);
});

test('no node at all cannot be reached', async () => {
  expect(await send(pool([]).upstream)).toMatchObject({ code: 'upstreamUnavailable' });
});

test('all are closed', async () => {
  const { close, closed } = pool([yes, no, maybe]);
  await close();
  expect(closed).toEqual([0, 1, 2]);
});

const node = fc.record({
  has: fc.constantFrom<Has>('yes', 'no', 'maybe'),
  does: fc.oneof(fc.constant<Does>('answers'), fc.constantFrom<Does>(...CODES)),
});

test('whatever nodes do: never an older one, none twice, and a write none after one that may have taken it', async () => {
  const method = fc.constantFrom<Method>('getSlot', 'sendTransaction');
  await fc.assert(
    fc.asyncProperty(fc.array(node, { maxLength: 6 }), fc.nat(6), method, async (nodes, turns, called) => {
      const { upstream, seen } = pool(nodes);
      for (let turn = 0; turn < turns; turn++) await send(upstream);
      seen.length = 0;
      const { needs } = counted();
      const outcome = await send(upstream, needs, called);
      const asked = seen.flatMap((index) => nodes[index] ?? []);
      expect(asked.some(({ has }) => has === 'no')).toBe(false);
      expect(new Set(seen).size).toBe(seen.length);
      const isPassed = ({ does }: Played) =>
        does === 'upstreamUnavailable' ||
        does === 'upstreamBusy' ||
        (does === 'upstreamBroken' && called === 'getSlot');
      expect(asked.slice(0, -1).every(isPassed)).toBe(true);
      const last = asked.at(-1);
      const able = nodes.filter(({ has }) => has !== 'no').length;
      if (last === undefined || isPassed(last)) {
        expect(asked).toHaveLength(able);
        expect(outcome).toMatchObject({ code: last?.does ?? 'upstreamUnavailable' });
      } else expect(outcome).toEqual(last.does === 'answers' ? seen.at(-1) : serviceError(last.does));
    }),
    { numRuns: rounds(500) },
  );
});
