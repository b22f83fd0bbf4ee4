import type { Upstream } from '../upstream.ts';
import { askNode } from './ask-node.ts';
import { isCount, type Pace } from './pace.ts';

/** The number of samples to request, of a minute each. */
const SAMPLES = 5;
const INTERVAL_MS = 60_000;
/** Pause before asking again while the slot time is unknown. */
const SOON_MS = 5_000;
/** Without samples, the least number of slots to measure over. */
const LEAST_SLOTS = 10;

export type PaceMeter = { readonly start: () => void; readonly stop: () => void };

/**
 * Asks nodes for their performance samples, at the start and every minute, while no notifications give the slot time. A node without
 * samples, such as one of a young ledger, is asked for its slot until enough slots have passed.
 */
export function createPaceMeter(nodes: readonly Upstream[], pace: Pace): PaceMeter {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const readings = nodes.map((node) => new SlotReadings(node, pace));
  const measure = async (): Promise<void> => {
    for (const [index, node] of nodes.entries()) {
      const isDone = await readSamples(node, pace)
        .then((found) => found || readings[index]?.read())
        .catch(() => false);
      if (isDone || isStopped) return;
    }
  };
  const run = async (): Promise<void> => {
    if (!pace.isAnnounced) await measure();
    if (isStopped) return;
    timer = setTimeout(() => void run(), pace.slotMs === undefined ? SOON_MS : INTERVAL_MS).unref();
  };
  return {
    start: () => void run(),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** @returns true if the node has samples that give a slot time. */
async function readSamples(node: Upstream, pace: Pace): Promise<boolean> {
  const samples = await askNode(node, 'getRecentPerformanceSamples', [SAMPLES]);
  const total = { slots: 0, ms: 0 };
  for (const sample of Array.isArray(samples) ? samples : []) {
    const { numSlots, samplePeriodSecs } = (sample ?? {}) as Readonly<Record<string, unknown>>;
    if (!isCount(numSlots) || !isCount(samplePeriodSecs)) continue;
    total.slots += numSlots;
    total.ms += 1_000 * samplePeriodSecs;
  }
  return pace.measure(total.slots, total.ms, 'samples');
}

/** The slots of one node at different times. */
class SlotReadings {
  readonly #node: Upstream;
  readonly #pace: Pace;
  #first: { readonly slot: number; readonly atMs: number } | undefined;

  constructor(node: Upstream, pace: Pace) {
    this.#node = node;
    this.#pace = pace;
  }

  /** @returns true if the node reports its slot. */
  async read(): Promise<boolean> {
    const slot = await askNode(this.#node, 'getSlot', [{ commitment: 'processed' }]);
    if (!isCount(slot)) return false;
    const now = { slot, atMs: performance.now() };
    const first = this.#first;
    if (first === undefined || slot < first.slot) this.#first = now;
    else if (slot - first.slot >= LEAST_SLOTS) {
      this.#pace.measure(slot - first.slot, now.atMs - first.atMs, 'slots');
      this.#first = now;
    }
    return true;
  }
}
