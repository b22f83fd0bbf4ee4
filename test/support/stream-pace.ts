import type { StreamPace } from '../../src/gateway/streams/stream-pace.ts';

type Figures = { readonly [M in keyof StreamPace]: number };

const FIGURES: Figures = { pollMs: 1, maxLagSlots: 1_000, maxResumeSlots: 1_000, maxAheadSlots: 150 };

/** The figures that streams measure in slots, as a test wants them. */
export function streamPace(figures: Partial<Figures> = {}): StreamPace {
  const { pollMs, maxLagSlots, maxResumeSlots, maxAheadSlots } = { ...FIGURES, ...figures };
  return {
    pollMs: () => pollMs,
    maxLagSlots: () => maxLagSlots,
    maxResumeSlots: () => maxResumeSlots,
    maxAheadSlots: () => maxAheadSlots,
  };
}
