import type { SubscriptionName } from '../../../../generated/ledger/subscriptions.ts';

/** The parts of a result that decide order and duplicates. */
export type Notice = {
  /** The slot that it is about; undefined if there is none. */
  readonly slot: number | undefined;
  /** Its subject within the slot: two results with the same subject are duplicates, unless their text may differ. */
  readonly subject: string;
  /** True: nothing comes after it. */
  readonly isLast: boolean;
  /** True: the node could not produce the content, and may send it later. */
  readonly isFailure: boolean;
};

/** The rules of order of a subscription's notices. */
export type Kind = {
  /** Undefined if the result is not of this kind. */
  readonly read: (result: unknown) => Notice | undefined;
  /** `rising`: slots never fall; `strict`: they rise; `free`: in any order. */
  readonly order: 'rising' | 'strict' | 'free';
  /** True if another text about the same subject in the same slot is another notice. */
  readonly mayRepeat: boolean;
  /** True if a slot has at most one notice. */
  readonly isOnePerSlot: boolean;
};

type Members = Readonly<Record<string, unknown>>;

/** The rules of each subscription's results. */
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

/** A node repeats a block that it could not encode until it can encode that one or a later one. */
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

/** Returns the slot in the context of a result; undefined if there is none. */
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
