import type { Context } from '../../rpc/context.ts';
import type { LedgerReply } from '../../ledger/outcome.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { MemoryLease } from '../../rpc/reply-memory.ts';
import { toServiceError } from '../../base/service-error.ts';
import { Semaphore } from '../../rpc/semaphore.ts';
import { NOT_BATCHED, type Failure } from '../../upstream/with-batches.ts';
import { type Answer, answerCall, type Refuse } from '../../rpc/answer-envelope.ts';
import type { Call, Envelope, ServeCall } from '../../rpc/call.ts';
import { heldServer, holdReply } from './hold-reply.ts';
import { joinReplies } from '../../rpc/join-replies.ts';
import { type PlacedCall, splitBatch } from './split-batch.ts';

export type BatchOptions = {
  readonly ledger: Ledger;
  readonly context: Context;
  /** The most requests in flight at the nodes: single calls, and groups of light reads. */
  readonly concurrency: number;
  readonly refuse: Refuse;
};

/**
 * Serves the calls of a batch, light reads together and all others on their own, and joins the replies in the order of the
 * calls. A call that fails is an error object in its place; notifications run and have no reply. The answer comes in unjoined
 * parts; there are none if there is nothing to answer. Never rejects.
 */
export async function answerBatch(
  envelopes: readonly Envelope[],
  options: BatchOptions,
): Promise<readonly Buffer[]> {
  const { ledger, context, concurrency, refuse } = options;
  const answers: (Answer | Promise<Answer>)[] = envelopes.map((envelope) => answerInvalid(envelope, refuse));
  const { groups, alone } = splitBatch(envelopes);
  const limited = { ...context, semaphore: new Semaphore(concurrency) };
  const serve = heldServer(ledger, limited);
  const serveAlone = ({ place, call }: PlacedCall): void => {
    answers[place] = answerCall(call, serve, refuse);
  };
  const serveGroup = async (group: readonly PlacedCall[]): Promise<void> => {
    const calls = group.map(({ call }) => call);
    const outcomes = await ledger.serveTogether(calls, limited);
    let next = 0;
    for (const placed of group) {
      const outcome = outcomes[next++] ?? NOT_BATCHED;
      if (outcome.kind === 'not-batched') serveAlone(placed);
      else answers[placed.place] = answerOutcome(placed.call, outcome, options);
    }
  };
  const served = groups.map(serveGroup);
  for (const placed of alone) serveAlone(placed);
  await Promise.all(served);
  const settled: Answer[] = [];
  for (const answer of answers) settled.push(answer instanceof Promise ? await answer : answer);
  return joinReplies(settled);
}

function answerInvalid(envelope: Envelope, refuse: Refuse): Answer {
  return envelope.kind === 'invalid' ? [refuse(envelope.id, envelope.error)] : undefined;
}

/** An outcome of calls answered together is complete and its memory reserved: nothing is left to wait for. */
function answerOutcome(
  call: Call,
  outcome: LedgerReply | Failure,
  { context, refuse }: Pick<BatchOptions, 'context' | 'refuse'>,
): Answer | Promise<Answer> {
  if (outcome.kind === 'failure') return [refuse(call.id, toServiceError(outcome.error))];
  if (outcome.kind === 'whole' && outcome.isHeld === true) return [outcome.body];
  return answerCall(call, holder(outcome, context.hold), refuse);
}

function holder(reply: LedgerReply, hold: MemoryLease): ServeCall {
  return async () => holdReply(reply, hold);
}
