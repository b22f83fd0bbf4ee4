import { onTestFinished } from 'vitest';
import type { Cursor } from '../../../src/gateway/streams/cursor.ts';
import { createHub, type Hub, type HubOptions } from '../../../src/gateway/streams/hub.ts';
import type { ScriptedLedger } from './scripted-ledger.ts';
import { streamPace } from '../../support/stream-pace.ts';

/** A hub that follows a ledger of the test's own; it is closed when the test ends. */
export const open = (node: ScriptedLedger, options: Partial<HubOptions> = {}): Hub => {
  const hub = createHub({
    node,
    lingerMs: 60_000,
    pace: streamPace(),
    history: { maxSlots: 1_000, maxBytes: 10 ** 9 },
    generation: () => 0,
    onFailure: () => undefined,
    ...options,
  });
  onTestFinished(() => hub.close());
  return hub;
};

/** Takes the next blocks of a stream. */
export const take = async (cursor: Cursor, count: number): Promise<readonly number[]> => {
  const slots: number[] = [];
  while (slots.length < count) {
    const entry = await cursor.next();
    cursor.done(entry);
    slots.push(Number(entry.slot));
  }
  return slots;
};

/** Why a stream ends. */
export const failureOf = (cursor: Cursor): Promise<Error> =>
  new Promise((resolve) => cursor.whenFailed((error) => resolve(error)));
