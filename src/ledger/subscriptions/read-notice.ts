import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';

/** What a result tells of itself, as far as order and repetition go. */
export type Notice = {
  /** The slot that it is about; undefined where it is about none. */
  readonly slot: number | undefined;
  /** What it is about in that slot: of the same two are the same, unless they say something else. */
  readonly subject: string;
  /** True: nothing comes after it. */
  readonly isLast: boolean;
  /** True: the node could not say what it is about, and may say so later. */
  readonly isFailure: boolean;
};

/** How the notices of a subscription follow each other. */
export type Kind = {
  /** Undefined if the result is not of this kind. */
  readonly read: (result: unknown) => Notice | undefined;
  /** `rising`: slots never fall; `strict`: they rise; `free`: they come as they come. */
  readonly order: 'rising' | 'strict' | 'free';
  /** Whether another text about the same subject in the same slot is another notice. */
  readonly mayRepeat: boolean;
  /** Whether a slot has one notice at most. */
  readonly isOnePerSlot: boolean;
};

type Members = Readonly<Record<string, unknown>>;

/** How each subscription's results are read. */
export const KINDS: { readonly [S in SubscriptionName]: Kind } = {
  accountSubscribe: { read: inContext(() => ''), order: 'rising', mayRepeat: true, isOnePerSlot: true },
  blockSubscribe: { read: readBlock, order: 'rising', mayRepeat: false, isOnePerSlot: true },
  logsSubscribe: {
    read: inContext(({ signature }) => textOf(signature)),
    order: 'rising',
    mayRepeat: false,
    isOnePerSlot: false,
  },
  programSubscribe: {
    read: inContext(({ pubkey }) => textOf(pubkey)),
    order: 'rising',
    mayRepeat: true,
    isOnePerSlot: false,
  },
  rootSubscribe: {
    read: (root) => (typeof root === 'number' ? notice(root, '') : undefined),
    order: 'strict',
    mayRepeat: false,
    isOnePerSlot: true,
  },
  signatureSubscribe: { read: readSignature, order: 'free', mayRepeat: false, isOnePerSlot: false },
  slotSubscribe: {
    read: (result) => readSlot(result, () => ''),
    order: 'strict',
    mayRepeat: false,
    isOnePerSlot: true,
  },
  slotsUpdatesSubscribe: {
    read: (result) => readSlot(result, ({ type }) => textOf(type)),
    order: 'free',
    mayRepeat: false,
    isOnePerSlot: false,
  },
  voteSubscribe: {
    read: (vote) => (isMembers(vote) ? notice(undefined, '') : undefined),
    order: 'free',
    mayRepeat: false,
    isOnePerSlot: false,
  },
};

function notice(slot: number | undefined, subject: string, isLast = false): Notice {
  return { slot, subject, isLast, isFailure: false };
}

function inContext(subjectOf: (value: Members) => string | undefined): Kind['read'] {
  return (result) => {
    const slot = contextSlot(result);
    const value = isMembers(result) ? result.value : undefined;
    const subject = isMembers(value) ? subjectOf(value) : undefined;
    return slot === undefined || subject === undefined ? undefined : notice(slot, subject);
  };
}

/** A node tells a block that it could not write again and again, until it can write that one or a later one. */
function readBlock(result: unknown): Notice | undefined {
  const read = inContext(() => '')(result);
  const { value } = result as { readonly value?: Members };
  const isFailure = value?.err !== null && value?.err !== undefined;
  return read && { ...read, subject: isFailure ? 'failed' : '', isFailure };
}

function readSignature(result: unknown): Notice | undefined {
  const slot = contextSlot(result);
  if (slot === undefined || !isMembers(result)) return undefined;
  const isLast = isMembers(result.value);
  return notice(slot, isLast ? 'ended' : 'received', isLast);
}

function readSlot(result: unknown, subjectOf: (value: Members) => string | undefined): Notice | undefined {
  if (!isMembers(result) || typeof result.slot !== 'number') return undefined;
  const subject = subjectOf(result);
  return subject === undefined ? undefined : notice(result.slot, subject);
}

/** The slot in the context of a result; undefined if there is none. */
export function contextSlot(result: unknown): number | undefined {
  const context = isMembers(result) ? result.context : undefined;
  return isMembers(context) && typeof context.slot === 'number' ? context.slot : undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
