import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { Cursor } from '../../../../src/gateway/streams/cursor.ts';
import { createHub, type Hub, type HubOptions } from '../../../../src/gateway/streams/hub.ts';
import {
  keepSegments,
  type Segments,
  type SegmentsOptions,
} from '../../../../src/gateway/streams/segments/keep-segments.ts';
import { streamPace } from '../../../support/stream-pace.ts';
import { replyOf } from '../reply-of.ts';
import type { ScriptedLedger } from '../scripted-ledger.ts';

export const NETWORK = 'solana-localnet';

/** A gateway that keeps the blocks of a network in files. */
export type Segmented = {
  readonly hub: Hub;
  readonly segments: Segments;
  /** Slots of the blocks that it asked its node for. */
  readonly asked: readonly bigint[];
  /** The logged warnings. */
  readonly warnings: readonly Readonly<Record<string, unknown>>[];
  /** Waits until files end with a slot, without a hole. */
  readonly writtenUpTo: (slot: number) => Promise<void>;
  readonly standing: () => ReturnType<Segments['standings']>[number];
  readonly close: () => Promise<void>;
};

export type SegmentedOptions = Partial<SegmentsOptions> & {
  readonly hub?: Partial<HubOptions>;
  /** Bytes by which each reply of the node is longer. */
  readonly padBytes?: number;
};

/** A directory of the test's own. */
export async function newRoot(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'keyslot-segments-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Opens a gateway whose memory holds 4 blocks. */
export function openSegmented(
  ledger: ScriptedLedger,
  root: string,
  options: SegmentedOptions = {},
): Segmented {
  const asked: bigint[] = [];
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const segments = keepSegments({
    root,
    maxBytes: 10 ** 8,
    maxBlockBytes: 10 ** 6,
    retryMs: 20,
    readFreeBytes: async () => 10 ** 12,
    log: { info: () => undefined, warn: (said: object) => void warnings.push(said as never) },
    ...options,
  });
  const padding = Buffer.alloc(options.padBytes ?? 0, ' ');
  const node: ScriptedLedger = {
    ...ledger,
    block: async (slot, finalizedSlot) => {
      asked.push(slot);
      const block = await ledger.block(slot, finalizedSlot);
      segments.bytes.noteReply(block, Buffer.concat([replyOf(block), padding]));
      return block;
    },
  };
  const pace = streamPace({ pollMs: 5 });
  const history = segments.of(NETWORK, { node, pace, kept: options.hub?.shared?.kept });
  const hub = createHub({
    node,
    pace,
    lingerMs: 60_000,
    generation: () => 0,
    onFailure: () => undefined,
    history: { maxSlots: 4, maxBytes: 10 ** 9 },
    segments: history,
    ...options.hub,
  });
  const standing = () => {
    const [found] = segments.standings();
    if (found === undefined) throw new Error('no network keeps blocks');
    return found;
  };
  const writtenUpTo = async (slot: number): Promise<void> => {
    const isWritten = async () => {
      await history.settled();
      return (await history.reach(BigInt(slot))) < slot && standing().holes === 0 ? true : undefined;
    };
    await eventually(`files end with ${slot}`, isWritten, { intervalMs: 5 });
  };
  const gateway: Segmented = {
    hub,
    segments,
    asked,
    warnings,
    standing,
    writtenUpTo,
    close: async () => {
      hub.close();
      await segments.close();
    },
  };
  onTestFinished(gateway.close);
  return gateway;
}

/** Its next `count` slots, whatever memory holds. */
export async function slotsOf(cursor: Cursor, count: number): Promise<readonly number[]> {
  const slots: number[] = [];
  while (slots.length < count) {
    const entry = await cursor.next();
    slots.push(Number(entry.slot));
    cursor.done(entry);
  }
  return slots;
}

export const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
