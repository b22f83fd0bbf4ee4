import { METHODS } from '../../../generated/ledger/methods.ts';
import type { Call, Envelope } from '../../rpc/call.ts';

/** A call and its index in the batch. */
export type PlacedCall = { readonly place: number; readonly call: Call };

/** The calls of a batch: groups that are sent together, and those that are sent on their own. */
export type SplitBatch = {
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
