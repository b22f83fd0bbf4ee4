import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';
import { type Needs, needsOf, serveVersioned, tooOld } from '../../../src/gateway/ledger/serve-versioned.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import type { Support } from '../../../src/gateway/nodes/network/ledger-nodes.ts';
import type { UpstreamReply } from '../../../src/core/rpc/upstream-reply.ts';
import type { NodeRequirements } from '../../../src/gateway/nodes/upstream.ts';

const HASH = 'S'.repeat(64);
const reply = (text: string, isError = false): UpstreamReply => ({
  kind: 'whole',
  body: Buffer.from(text),
  isError,
});
const withSlot = (slot: unknown): UpstreamReply =>
  reply(`{"jsonrpc":"2.0","result":{"context":{"slot":${slot}},"value":[null]},"id":1}`);

type Answers = (needs: NodeRequirements | undefined) => Promise<UpstreamReply>;
type Call = { readonly needs: Needs; readonly params: unknown };

function callOf(...[name, params]: Parameters<typeof needsOf>): Call {
  const needs = needsOf(name, params);
  if (needs === undefined) throw new Error('the call needs nothing');
  return { needs, params };
}

/** A call whose minimum the gateway can hold against the answer. */
const statuses = (minContextSlot: unknown = 7): Call =>
  callOf('getSignatureStatuses', [[HASH], { minContextSlot }]);
const transaction = callOf('getTransaction', [HASH, { minContextSlot: 7 }]);
const certificate = callOf('getAgGenesisCert', []);

/** Serves a call. @returns what came of it, and what was sent: a version that was needed, or `any`. */
async function serve({ needs, params }: Call, support: Support, answers: Answers) {
  const [sent, unordered]: [string[], string[]] = [[], []];
  const memory = createReplyMemory(1_000, 1_000);
  const hold = memory.hold();
  const outcome = await serveVersioned(needs, {
    nodes: { support: () => support, settled: async () => undefined, versions: () => ['4.2.0', '4.3.5'] },
    send: (wanted) => {
      sent.push(wanted?.since ?? 'any');
      return answers(wanted);
    },
    params,
    hold,
    onUnordered: (member) => void unordered.push(member),
  }).catch((error: unknown) => error);
  return { outcome, sent, unordered, heldBytes: memory.heldBytes() };
}

const unavailable: Answers = async () => Promise.reject(serviceError('upstreamUnavailable'));
/** Only calls that need nothing are taken. */
const oldOnly =
  (answer: UpstreamReply, code: 'upstreamUnavailable' | 'upstreamBusy' = 'upstreamUnavailable'): Answers =>
  async (needs) => {
    if (needs !== undefined) throw serviceError(code);
    return answer;
  };

describe('where a node has it, or may have it', () => {
  test.each(['some', 'unknown'] as const)(
    '(%s) the call goes there, and the reply is untouched',
    async (support) => {
      const answer = withSlot(1);
      const { outcome, sent, heldBytes } = await serve(statuses(), support, async () => answer);
      expect(outcome).toBe(answer);
      expect([sent, heldBytes]).toEqual([['4.4'], 0]);
    },
  );

  test('each member is named where it is unknown if the node has it', async () => {
    const call = callOf('getSignatureStatuses', [[HASH], { commitment: 'confirmed', minContextSlot: 7 }]);
    const { unordered } = await serve(call, 'unknown', async (needs) => {
      needs?.onUnknown();
      return withSlot(7);
    });
    expect(unordered).toEqual(['config.commitment', 'config.minContextSlot']);
  });

  test.each(['upstreamBroken', 'minContextSlotNotReached'] as const)(
    'a failure that may come from it, %s, is the answer',
    async (code) => {
      const failure = code === 'upstreamBroken' ? serviceError(code) : serviceError(code, { contextSlot: 1 });
      const { outcome, sent } = await serve(statuses(), 'some', async () => Promise.reject(failure));
      expect([outcome, sent]).toEqual([failure, ['4.4']]);
    },
  );

  test.each(['upstreamUnavailable', 'upstreamBusy'] as const)(
    'if that takes no call (%s), any may where the gateway holds the answer against the minimum',
    async (code) => {
      const { outcome, sent } = await serve(statuses(), 'some', oldOnly(withSlot(6), code));
      expect(outcome).toMatchObject({ code: 'minContextSlotNotReached', context: { contextSlot: 6n } });
      expect(sent).toEqual(['4.4', 'any']);
    },
  );

  test('if that takes no call, none does where an older node would ignore the member', async () => {
    const { outcome, sent } = await serve(transaction, 'some', oldOnly(reply('{}')));
    expect([outcome, sent]).toMatchObject([{ code: 'upstreamUnavailable' }, ['4.4']]);
  });

  test('if none takes a call, that is the answer', async () => {
    const { outcome, sent } = await serve(statuses(), 'unknown', unavailable);
    expect([outcome, sent]).toMatchObject([{ code: 'upstreamUnavailable' }, ['4.4', 'any']]);
  });
});

describe('where no node has it', () => {
  test('a member that the gateway cannot do is refused with its name, and nothing is sent', async () => {
    const { outcome, sent } = await serve(transaction, 'none', unavailable);
    expect(outcome).toMatchObject({
      code: 'nodeTooOld',
      context: { member: 'config.minContextSlot', needed: '4.4', versions: '4.2.0, 4.3.5' },
    });
    expect(sent).toEqual([]);
  });

  test('one such member is enough for that', async () => {
    const call = callOf('getSignatureStatuses', [[HASH], { commitment: 'confirmed', minContextSlot: 7 }]);
    const { outcome, sent } = await serve(call, 'none', unavailable);
    expect([outcome, sent]).toMatchObject([
      { code: 'nodeTooOld', context: { member: 'config.commitment' } },
      [],
    ]);
  });

  test('a method that they do not know they refuse themselves', async () => {
    const refusal = reply(
      '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}',
      true,
    );
    const { outcome, sent } = await serve(certificate, 'none', async () => refusal);
    expect(outcome).toBe(refusal);
    expect(sent).toEqual(['any']);
  });

  test.each([
    [7, 7],
    [7, 8],
    [9007199254740993n, 9007199254740993n],
    [18446744073709551615n, '18446744073709551615'],
  ])('a minimum of %s is reached at %s: the answer is the node’s, held once', async (minimum, slot) => {
    const answer = withSlot(slot);
    const { outcome, heldBytes, sent } = await serve(statuses(minimum), 'none', async () => answer);
    if (answer.kind !== 'whole') throw new Error('whole');
    expect(outcome).toEqual({ ...answer, isHeld: true });
    expect([heldBytes, sent]).toEqual([answer.body.length, ['any']]);
  });

  test.each([
    [7, 6, 6n],
    [9007199254740993n, 9007199254740992n, 9007199254740992n],
    [18446744073709551615n, 0, 0n],
  ])('a minimum of %s is not reached at %s', async (minimum, slot, contextSlot) => {
    const { outcome } = await serve(statuses(minimum), 'none', async () => withSlot(slot));
    expect(outcome).toMatchObject({ code: 'minContextSlotNotReached', context: { contextSlot } });
  });

  test('an error of the node is the answer', async () => {
    const refusal = reply('{"jsonrpc":"2.0","error":{"code":-32005,"message":"behind"},"id":1}', true);
    expect((await serve(statuses(), 'none', async () => refusal)).outcome).toBe(refusal);
  });

  test('what a notification is answered with, nothing, is the answer', async () => {
    const nothing = reply('');
    expect((await serve(statuses(), 'none', async () => nothing)).outcome).toBe(nothing);
  });

  test('an answer that streams is read, held and compared', async () => {
    const { body } = { body: JSON.stringify({ result: { context: { slot: 7 }, value: ['x'.repeat(300)] } }) };
    const stream = (): UpstreamReply => ({
      kind: 'stream',
      body: Readable.from([Buffer.from(body.slice(0, 40)), Buffer.from(body.slice(40))]),
      sizeBytes: undefined,
    });
    const reached = await serve(statuses(7), 'none', async () => stream());
    expect(reached.outcome).toEqual({
      kind: 'whole',
      body: Buffer.from(body),
      isError: false,
      isHeld: true,
    });
    expect(reached.heldBytes).toBe(body.length);
    expect((await serve(statuses(8), 'none', async () => stream())).outcome).toMatchObject({
      code: 'minContextSlotNotReached',
    });
  });

  test('an answer that is larger than a request may hold is refused', async () => {
    const { outcome } = await serve(statuses(), 'none', async () => withSlot(`7,"x":"${'x'.repeat(1_000)}"`));
    expect(outcome).toMatchObject({ code: 'replyTooLarge' });
  });

  test.each([
    ['null'],
    ['[]'],
    ['"x"'],
    ['{"result":null}'],
    ['{"result":7}'],
    ['{"result":{"context":null}}'],
    ['{"result":{"context":{}}}'],
    ['{"result":{"context":{"slot":null}}}'],
    ['{"result":{"context":{"slot":"7"}}}'],
    ['{"result":{"context":{"slot":7.5}}}'],
    ['{"result":{"context":{"slot":1e400}}}'],
    ['{"result":{"context":{"slot":8}'],
    ['{"error":{"code":1,"message":"in a stream"}}'],
  ])('an answer without a slot to compare, %s, is that of a broken node', async (text) => {
    const { outcome } = await serve(statuses(), 'none', async () => reply(text));
    expect(outcome).toMatchObject({ code: 'upstreamBroken' });
  });
});

test('the error names the first member, the version and those there are', () => {
  const { needs } = callOf('getLeaderSchedule', [{ keyByVoteAccount: true }, { keyByVoteAccount: true }]);
  expect(tooOld(needs, { versions: () => ['4.3.5'] }).message).toBe(
    'Invalid params: config.keyByVoteAccount requires node version 4.4 or newer; the nodes of this network run 4.3.5',
  );
});
