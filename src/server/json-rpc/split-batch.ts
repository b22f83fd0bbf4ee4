import { METHODS } from '../../../generated/ledger/methods.ts';
import type { Call, Envelope } from '../../rpc/call.ts';

/** A call, and which one of its batch it is. */
export type PlacedCall = { readonly place: number; readonly call: Call };

/** The calls of a batch: groups that travel together, and those that travel by themselves. */
export type SplitBatch = {
  readonly groups: readonly (readonly PlacedCall[])[];
  readonly alone: readonly PlacedCall[];
};

/** Nodes take a body of 50 KiB unless told otherwise (agave MAX_REQUEST_BODY_SIZE). */
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
 * Puts the light reads of a batch in groups that a node takes as one batch, no two calls of a group with the same id. Alone are
 * all others, and a light read that would be the only one of its group (docs/decisions/0015-batches-travel-together.md).
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

  /** Adds a call, unless its id is that of another one. Whether it did. */
  add(placed: PlacedCall): boolean {
    const { id, raw } = placed.call;
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    this.calls.push(placed);
    this.#sizeBytes += raw.length + 1;
    return true;
  }
}
