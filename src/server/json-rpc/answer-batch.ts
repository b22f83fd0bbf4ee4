import type { Context } from '../../core/rpc/context.ts';
import type { LedgerReply } from '../../gateway/ledger/outcome.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import type { MemoryLease } from '../../core/rpc/reply-memory.ts';
import { toServiceError } from '../../core/service-error.ts';
import { Semaphore } from '../../core/rpc/semaphore.ts';
import { NOT_BATCHED, type Failure } from '../../gateway/nodes/with-batches.ts';
import { type Answer, answerCall, type Refuse } from '../../core/rpc/replies.ts';
import type { Call, Envelope, ServeCall, RawReply } from '../../core/rpc/call.ts';
import { joinReplies } from '../../core/rpc/join-replies.ts';
import { holdWhole, readParts } from '../../core/rpc/read-whole.ts';
import { METHODS } from '../../../generated/ledger/methods.ts';

export type BatchOptions = {
  readonly ledger: Ledger;
  readonly context: Context;
  /** Maximum number of requests in flight at the nodes: single calls, and groups of light reads. */
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
    const outcomes = await ledger.serveBatch(calls, limited);
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

/**
 * Reads a reply that waits for others, or for its connection: its whole memory is reserved on the hold. Throws, or rejects,
 * like `readParts`.
 */
function holdReply(reply: LedgerReply, hold: MemoryLease): RawReply | Promise<RawReply> {
  switch (reply.kind) {
    case 'result':
      hold.reserve(reply.json.length);
      return reply;
    case 'whole':
      return { kind: 'parts', parts: [holdWhole(reply, hold)] };
    case 'stream':
      return readParts(reply, hold).then((parts) => ({ kind: 'parts', parts }));
  }
}

/** Creates a server of single calls that holds their replies. */
export function heldServer(ledger: Ledger, context: Context): ServeCall {
  return async (call) => holdReply(await ledger.serve(call, context), context.hold);
}

/** A call and its index in the batch. */
export type PlacedCall = { readonly place: number; readonly call: Call };

/** The calls of a batch: groups that are sent together, and those that are sent on their own. */
type SplitBatch = {
  readonly groups: readonly (readonly PlacedCall[])[];
  readonly alone: readonly PlacedCall[];
};

/** Nodes accept a body of 50 KiB by default (agave MAX_REQUEST_BODY_SIZE). */
const MAX_BODY_BYTES = 48 * 1024;
const MAX_CALLS = 100;
/** A call that weighs more may be slow or have a large answer: the others do not wait for it. */
const MAX_COST = 3;

const LIGHT_READS: ReadonlySet<string> = new Set(
  Object.values(METHODS)
    .filter(({ cost, retry }) => cost <= MAX_COST && retry === 'safe')
    .map(({ name }) => name),
);

/**
 * Groups the light reads of a batch so that a node takes each group as one batch, no two calls of a group with the same id. All
 * other calls are sent on their own, and so is a light read that would be the only one of its group
 * (docs/decisions/0015-batches-travel-together.md).
 */
export function splitBatch(envelopes: readonly Envelope[]): SplitBatch {
  const groups: Group[] = [];
  const alone: PlacedCall[] = [];
  let group = new Group();
  for (const [place, envelope] of envelopes.entries()) {
    if (envelope.kind === 'invalid') continue;
    const { call } = envelope;
    if (!isLight(call)) {
      alone.push({ place, call });
      continue;
    }
    if (group.isFullFor(call)) {
      groups.push(group);
      group = new Group();
    }
    if (!group.add({ place, call })) alone.push({ place, call });
  }
  groups.push(group);
  const isAlone = ({ calls }: Group): boolean => calls.length === 1;
  return {
    groups: groups.filter(({ calls }) => calls.length > 1).map(({ calls }) => calls),
    alone: [...alone, ...groups.filter(isAlone).flatMap(({ calls }) => calls)],
  };
}

function isLight({ method, idIsPlain, isNotification }: Call): boolean {
  return idIsPlain && !isNotification && LIGHT_READS.has(method);
}

class Group {
  readonly calls: PlacedCall[] = [];
  readonly #ids = new Set<string>();
  #sizeBytes = 0;

  isFullFor({ raw }: Call): boolean {
    return this.calls.length === MAX_CALLS || this.#sizeBytes + raw.length + 1 > MAX_BODY_BYTES;
  }

  /** Adds a call, unless its id is already in the group. @returns true if it was added. */
  add(placed: PlacedCall): boolean {
    const { id, raw } = placed.call;
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    this.calls.push(placed);
    this.#sizeBytes += raw.length + 1;
    return true;
  }
}
