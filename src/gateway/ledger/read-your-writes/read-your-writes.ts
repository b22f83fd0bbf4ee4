import { METHODS, type MethodName } from '../../../../generated/ledger/methods.ts';
import { SLOT_FACTS, type SlotFacts } from '../../../../generated/ledger/slots.ts';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import type { Call } from '../../../core/rpc/call.ts';
import { type Commitment, COMMITMENTS } from '../../../core/rpc/commitment.ts';
import type { Notification } from '../../../core/rpc/notification.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import type { Reach, SlotFloor, UpstreamRequest, BatchRoute, Judgement } from '../../nodes/upstream.ts';
import { type AnswerSlot, readAnswerSlot, isNullAnswer, nullsInValue } from './answer-slot.ts';
import { type Reader, Readers, type Sharing, type SentSeen, type SeenSlots } from './readers.ts';

export type ReadYourWritesOptions = {
  /** False: nothing is remembered of readers; an explicit minContextSlot is routed all the same. */
  readonly isOn: boolean;
  /** Most milliseconds that a call waits for a node that has reached what its reader has seen. */
  readonly waitMs: number;
  /** The newest slot that any node has by now at a commitment. */
  readonly expected: (commitment: Commitment) => number;
  /** Slots that begin in some milliseconds; undefined while the pace is unknown. */
  readonly slotsIn: (ms: number) => number | undefined;
  /** True if there is no other node to ask: answers that say their slot are checked by it, and nothing is added to calls. */
  readonly isAlone: () => boolean;
  /** True if every node is known to have what came with a version. */
  readonly allHave: (since: string) => boolean;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

/** The members that a call adds to its request to a node. */
export type PreparedRead = Pick<
  UpstreamRequest,
  'reach' | 'oldestSlot' | 'judge' | 'lacks' | 'isFarAhead' | 'slotOf'
> & {
  readonly body: Buffer;
  /** Notes what the answer shows the reader. */
  readonly note: (reply: UpstreamReply) => void;
};

/**
 * Lets readers see what they have seen: remembers the highest slot that each was shown, over any protocol, and asks only nodes
 * that have reached it.
 */
export class ReadYourWrites {
  readonly #options: ReadYourWritesOptions;
  readonly #readers: Readers;

  constructor(options: ReadYourWritesOptions) {
    this.#options = options;
    this.#readers = new Readers(options.nowMs);
  }

  /** Tells other gateways whenever a reader is shown something newer than before. Call it before there are readers. */
  share(sharing: Sharing): void {
    if (this.#options.isOn) this.#readers.share(sharing);
  }

  /** Takes over what another gateway has shown a reader, `ageMs` after it said so. */
  learn(sent: SentSeen, ageMs: number): void {
    this.#readers.named(sent[0])?.learn(sent, ageMs, this.#options.nowMs());
  }

  /** Returns what a checked call asks of its node for its reader. */
  prepare(method: MethodName, call: Call, reader: Reader): PreparedRead {
    const facts = SLOT_FACTS[method];
    const oldestSlot = oldestSlotOf(facts, call.params);
    const commitment = commitmentOf(facts, call.params);
    if (commitment === undefined) return { body: call.raw, oldestSlot, note: () => undefined };
    const nowMs = this.#options.nowMs();
    const seen = this.#readers.of(reader);
    const own = leastOf(facts, call, seen.slot(commitment, nowMs));
    const height =
      facts.answers === 'height' || facts.answers === 'epoch' ? seen.height(commitment, nowMs) : 0;
    const asked = minContextSlotOf(facts, call.params);
    const answer = new AnswerReader(facts);
    // A transaction is sent to any node where none has reached it: the node must not refuse it for that.
    const isRead = METHODS[method].retry === 'safe';
    const reach = this.#reachOf({ commitment, own, height, asked });
    return {
      body: (isRead && own > 0 && asked === undefined && this.#withMinimum(facts, call, own)) || call.raw,
      reach: reach && isList(facts) ? { ...reach, late: this.#lateOf(call, commitment, asked) } : reach,
      oldestSlot,
      judge: judgeOf(answer, { own, height }, missingOf(facts, call.params)),
      lacks: lacksOf(facts, call.params),
      isFarAhead: asked !== undefined && this.#isFarAhead(commitment, asked),
      slotOf: (reply) => {
        const slot = reply.kind === 'whole' && !reply.isError ? answer.read(reply.body).slot : undefined;
        return slot === undefined ? undefined : { commitment, slot };
      },
      note: (reply) => {
        if (reply.kind === 'whole' && !reply.isError) this.noteAnswer(call, answer.read(reply.body), reader);
      },
    };
  }

  /** True if it matters which node answers: a list of what is past is shown whole only by a node that has all of it. */
  isSentAlone(method: MethodName): boolean {
    return isList(SLOT_FACTS[method]) && !this.#options.isAlone();
  }

  /** Returns what calls that are sent together ask of their node. */
  reachTogether(calls: readonly Read[], reader: Reader): Reach | undefined {
    const seen = this.#readers.of(reader);
    const nowMs = this.#options.nowMs();
    const floors = new Map<Commitment, number>();
    for (const call of calls) {
      const facts = factsOf(call);
      const commitment = commitmentOf(facts, call.params);
      if (commitment === undefined) continue;
      const least = leastOf(facts, call, seen.slot(commitment, nowMs));
      if (least > (floors.get(commitment) ?? 0)) floors.set(commitment, least);
    }
    return this.#reach(
      [...floors].map(([commitment, slot]) => ({ commitment, slot })),
      {},
    );
  }

  /** True if a call that was sent with others fails as they do; false if a slot was missing that it does not ask for. */
  isFailed(call: Read, error: unknown): boolean {
    if (!(error instanceof ServiceError) || error.code !== 'readBehind') return true;
    const facts = factsOf(call);
    return !isBlock(facts) && commitmentOf(facts, call.params) === error.context.commitment;
  }

  /** Returns what takes the answers to calls of one reader that are sent together, before they are sent. */
  batched(reader: Reader): BatchedAnswers {
    return new BatchedAnswers(this.#readers.of(reader), this.#options);
  }

  /** True if an answer, of which this much is known, shows its reader less than it has seen. */
  isBehind(call: Read, answer: AnswerSlot, reader: Reader): boolean {
    const commitment = commitmentOf(factsOf(call), call.params);
    if (commitment === undefined) return false;
    const [seen, nowMs] = [this.#readers.of(reader), this.#options.nowMs()];
    const { slot = Infinity, height = Infinity } = answer;
    return slot < seen.slot(commitment, nowMs) || height < seen.height(commitment, nowMs);
  }

  /** Notes what an answer shows its reader. */
  note(call: Read, reply: UpstreamReply, reader: Reader): void {
    if (reply.kind !== 'whole' || reply.isError) return;
    this.noteAnswer(call, readAnswerSlot(factsOf(call), reply.body), reader);
  }

  noteAnswer(call: Read, { slot, height }: AnswerSlot, reader: Reader): void {
    if (!this.#options.isOn || (slot === undefined && height === undefined)) return;
    const commitment = commitmentOf(factsOf(call), call.params);
    if (commitment === undefined) return;
    const [seen, nowMs] = [this.#readers.of(reader), this.#options.nowMs()];
    if (slot !== undefined) seen.noteSlot(commitment, slot, nowMs);
    if (height !== undefined) seen.noteHeight(commitment, height, nowMs);
  }

  /** Notes the slot of a notification or a message that a reader is sent. */
  noteSlot(commitment: Commitment, slot: number, reader: Reader): void {
    if (this.#options.isOn) this.#readers.of(reader).noteSlot(commitment, slot, this.#options.nowMs());
  }

  /** Notes the slot of a notification that a reader is sent. */
  readonly noteNotification = ({ slot, commitment }: Notification, reader: Reader): void => {
    if (slot !== undefined && commitment !== undefined) this.noteSlot(commitment, slot, reader);
  };

  #withMinimum({ minContextSlot, answers }: SlotFacts, call: Call, slot: number): Buffer | undefined {
    if (minContextSlot === undefined || (answers !== undefined && this.#options.isAlone())) return undefined;
    const { index, since } = minContextSlot;
    if (since !== undefined && !this.#options.allHave(since)) return undefined;
    return addMinContextSlot(call, index, slot);
  }

  /** A slot that no node can have soon is left to the nodes to refuse. */
  #reachOf({
    commitment,
    own,
    height,
    asked,
  }: Least & { readonly commitment: Commitment }): Reach | undefined {
    const slot = Math.max(own, asked !== undefined && this.#isSoon(commitment, asked) ? asked : 0);
    if (slot === 0 && height === 0) return undefined;
    return this.#reach([{ commitment, slot }], { asked, height });
  }

  /** True if a node has a slot by now, or in the time that is waited for it. */
  #isSoon(commitment: Commitment, slot: number): boolean {
    const { expected, slotsIn, waitMs } = this.#options;
    const latest = expected(commitment);
    return latest > 0 && slot <= latest + (slotsIn(waitMs) ?? 0);
  }

  /** True if no node can have a slot in that time, as far as is known. */
  #isFarAhead(commitment: Commitment, slot: number): boolean {
    const { expected, slotsIn, waitMs } = this.#options;
    const isKnown = expected(commitment) > 0 && slotsIn(waitMs) !== undefined;
    return isKnown && !this.#isSoon(commitment, slot);
  }

  /** A list of old history does not depend on the last slots: it may lack what the reader has seen, never what it asks for itself. */
  #lateOf({ raw }: Call, commitment: Commitment, asked: number | undefined): Reach['late'] {
    const reach = this.#reachOf({ commitment, own: 0, height: 0, asked });
    return { body: raw, reach: reach && { ...reach, waitMs: 0 } };
  }

  #reach(floors: readonly SlotFloor[], { asked, height = 0 }: Partial<Least>): Reach | undefined {
    const [first] = floors;
    if (first === undefined) return undefined;
    return {
      floors,
      waitMs: this.#options.waitMs,
      tooFar: (best) => {
        const { commitment, slot } = floors.find((each) => best[each.commitment] < each.slot) ?? first;
        const contextSlot = BigInt(best[commitment]);
        if (slot === asked) return serviceError('minContextSlotNotReached', { contextSlot });
        const seen = slot === 0 ? `block height ${height}` : `slot ${slot}`;
        return serviceError('readBehind', { contextSlot, seen, commitment });
      },
    };
  }
}

/** The slot that the node of a call must have reached for its reader. A block never changes: not what came after it. */
function leastOf(facts: SlotFacts, { params }: Pick<Call, 'params'>, seen: number): number {
  return isBlock(facts) ? Math.min(seen, oldestSlotOf(facts, params) ?? 0) : seen;
}

/** The slot that an answer must have reached: the one that its reader has seen, and the one that it asks for. */
type Least = { readonly own: number; readonly height: number; readonly asked?: number | undefined };

/** Reads how far the node of an answer was, once for each answer. */
class AnswerReader {
  readonly facts: SlotFacts;
  #body: Buffer | undefined;
  #answer: AnswerSlot = {};

  constructor(facts: SlotFacts) {
    this.facts = facts;
  }

  read(body: Buffer): AnswerSlot {
    if (body !== this.#body) this.#answer = readAnswerSlot(this.facts, body);
    this.#body = body;
    return this.#answer;
  }
}

/** An answer that shows less than its reader has seen is no answer; a transaction that a node does not find another may have. */
function judgeOf(
  answer: AnswerReader,
  { own, height: least }: Least,
  isMissingIn: ReturnType<typeof missingOf>,
): UpstreamRequest['judge'] {
  if (own === 0 && least === 0 && isMissingIn === undefined) return undefined;
  return (reply) => {
    if (reply.kind !== 'whole' || reply.isError) return 'good';
    const { slot = Infinity, height = Infinity } = answer.read(reply.body);
    if (slot < own || height < least) return 'behind';
    return isMissingIn?.(reply.body) === true ? 'absent' : 'good';
  };
}

const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;

/**
 * Returns the bytes of a call with `minContextSlot` in the config at `index` of its params; undefined if it has one already, or
 * the config has no place there. Everything else stays as it was received.
 */
function addMinContextSlot(
  { raw, params, paramsAt }: Pick<Call, 'raw' | 'params' | 'paramsAt'>,
  index: number,
  slot: number,
): Buffer | undefined {
  const member = `"minContextSlot":${slot}`;
  if (paramsAt === undefined || params === null)
    return index === 0 && params === undefined ? addParams(raw, member) : undefined;
  if (!Array.isArray(params) || (params.length !== index && params.length !== index + 1)) return undefined;
  const end = raw.lastIndexOf(CLOSE_LIST, paramsAt.end - 1);
  if (params.length === index) return insert(raw, end, `${index === 0 ? '' : ','}{${member}}`);
  const config: unknown = params[index];
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return undefined;
  if ('minContextSlot' in config) return undefined;
  const isEmpty = Object.keys(config).length === 0;
  return insert(raw, raw.lastIndexOf(CLOSE_OBJECT, end), `${isEmpty ? '' : ','}${member}`);
}

function addParams(raw: Buffer, member: string): Buffer {
  return insert(raw, raw.lastIndexOf(CLOSE_OBJECT), `,"params":[{${member}}]`);
}

function insert(raw: Buffer, at: number, text: string): Buffer {
  return Buffer.concat([raw.subarray(0, at), Buffer.from(text), raw.subarray(at)]);
}

type Marks = { slot: number; height: number };

/**
 * The answers to calls of one reader that are sent together. Make it before they are sent: each is held against what the reader had seen by
 * then, like the answer to a single call. What they show is noted once, for all.
 */
class BatchedAnswers {
  readonly #seen: SeenSlots;
  readonly #isOn: boolean;
  readonly #nowMs: () => number;
  readonly #floors: Record<Commitment, Readonly<Marks>>;
  readonly #shown: Record<Commitment, Marks>;

  constructor(seen: SeenSlots, { isOn, nowMs }: { readonly isOn: boolean; readonly nowMs: () => number }) {
    this.#seen = seen;
    this.#isOn = isOn;
    this.#nowMs = nowMs;
    const startMs = nowMs();
    const floor = (each: Commitment): Marks => {
      return { slot: seen.slot(each, startMs), height: seen.height(each, startMs) };
    };
    this.#floors = {
      processed: floor('processed'),
      confirmed: floor('confirmed'),
      finalized: floor('finalized'),
    };
    this.#shown = { processed: newMarks(), confirmed: newMarks(), finalized: newMarks() };
  }

  /** Judges an answer that is no error: `behind` one that shows less than the reader has seen. */
  take(call: Read, body: Buffer): Judgement {
    const facts = factsOf(call);
    if (facts.history === 'signature' && isNullAnswer(body)) return 'absent';
    const commitment = commitmentOf(facts, call.params);
    if (commitment === undefined) return 'good';
    const floor = this.#floors[commitment];
    const { slot = Infinity, height = Infinity } = readAnswerSlot(facts, body);
    if (slot < floor.slot || height < floor.height) return 'behind';
    const shown = this.#shown[commitment];
    if (slot !== Infinity && slot > shown.slot) shown.slot = slot;
    if (height !== Infinity && height > shown.height) shown.height = height;
    return 'good';
  }

  /** Notes what the answers have shown the reader, and of their node. */
  note(noteOfNode: BatchRoute['noteSlot']): void {
    const nowMs = this.#nowMs();
    for (const commitment of COMMITMENTS) {
      const { slot, height } = this.#shown[commitment];
      if (slot > 0) noteOfNode?.({ commitment, slot });
      if (!this.#isOn) continue;
      if (slot > 0) this.#seen.noteSlot(commitment, slot, nowMs);
      if (height > 0) this.#seen.noteHeight(commitment, height, nowMs);
    }
  }
}

function newMarks(): Marks {
  return { slot: 0, height: 0 };
}

type Read = Pick<Call, 'method' | 'params'>;

/** Returns what the specification says of a method; nothing for one that it does not have. */
function factsOf({ method }: Read): SlotFacts {
  return SLOT_FACTS[method as MethodName] ?? {};
}

/** The commitment that a call reads at; undefined if it reads at none. */
function commitmentOf({ commitment }: SlotFacts, params: unknown): Commitment | undefined {
  if (commitment === undefined) return undefined;
  const { index, member, default: fallback } = commitment;
  const asked = memberOf(params, index, member) ?? fallback;
  return asked === 'processed' || asked === 'confirmed' ? asked : 'finalized';
}

/** The slot that a call wants its node to have reached; undefined if it names none. */
function minContextSlotOf({ minContextSlot }: SlotFacts, params: unknown): number | undefined {
  if (minContextSlot === undefined) return undefined;
  const asked = memberOf(params, minContextSlot.index, 'minContextSlot');
  return asked === undefined || asked === null ? undefined : Number(asked);
}

/** True of an answer in which something is missing that a node with more history may have; undefined if nothing can be missing. */
function missingOf({ history }: SlotFacts, params: unknown): ((answer: Buffer) => boolean) | undefined {
  if (history === 'signature') return isNullAnswer;
  return isSearch(history, params) ? (body) => nullsInValue(body) > 0 : undefined;
}

/** Returns how much is missing in such an answer; undefined where that is all of it. */
function lacksOf({ history }: SlotFacts, params: unknown): ((reply: UpstreamReply) => number) | undefined {
  if (!isSearch(history, params)) return undefined;
  return (reply) => (reply.kind === 'whole' && !reply.isError ? nullsInValue(reply.body) : Infinity);
}

function isSearch(history: SlotFacts['history'], params: unknown): boolean {
  return history === 'signatures' && memberOf(params, 1, 'searchTransactionHistory') === true;
}

/** The oldest slot that a call reads, 0 if it may be any; undefined if it reads no past. */
function oldestSlotOf({ history }: SlotFacts, params: unknown): number | undefined {
  if (history === 'address') return 0;
  if (history !== 'slot' || !Array.isArray(params)) return undefined;
  return typeof params[0] === 'number' ? params[0] : undefined;
}

function memberOf(params: unknown, index: number, name: string): unknown {
  const config: unknown = Array.isArray(params) ? params[index] : undefined;
  return typeof config === 'object' && config !== null
    ? (config as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** True for a call that reads one block, which is the same at every node that has it. */
function isBlock({ history, minContextSlot }: SlotFacts): boolean {
  return history === 'slot' && minContextSlot === undefined;
}

/** True for a call that lists what is past: a node that lacks some of it lists the rest, and does not say so. */
function isList({ history, minContextSlot }: SlotFacts): boolean {
  return history === 'address' || (history === 'slot' && minContextSlot !== undefined);
}
