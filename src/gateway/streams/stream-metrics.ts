import { Counter, Gauge, type Registry } from 'prom-client';
import type { ErrorName } from '../../../generated/errors.ts';
import type { TopicName } from '../../../generated/stream/topics.ts';

/** Metrics of topic streams. */
export type StreamMetrics = {
  readonly openStream: (network: string, topic: TopicName) => void;
  readonly closeStream: (network: string, topic: TopicName) => void;
  readonly countMessages: (network: string, topic: TopicName, messages: number) => void;
  /** Counts a call that was refused, or a stream that ended with an error. */
  readonly countError: (error: ErrorName) => void;
  /** Reads the size of a network's history at each scrape. */
  readonly watchHistory: (network: string, read: ReadHistory) => void;
};

type ReadHistory = () => { readonly slots: number; readonly sizeBytes: number };

/** Adds the metrics of streams to a registry. */
export function createStreamMetrics(registry: Registry): StreamMetrics {
  const registers = [registry];
  const open = new Gauge({
    name: 'keyslot_streams_open',
    help: 'Topic streams that are open',
    labelNames: ['network', 'topic'] as const,
    registers,
  });
  const messages = new Counter({
    name: 'keyslot_stream_messages_total',
    help: 'Messages of topics that were handed to connections',
    labelNames: ['network', 'topic'] as const,
    registers,
  });
  const errors = new Counter({
    name: 'keyslot_stream_errors_total',
    help: 'Calls of the stream service that were refused or ended with an error',
    labelNames: ['error'] as const,
    registers,
  });
  const histories = new Map<string, ReadHistory>();
  const watch = (name: string, help: string, read: (history: ReturnType<ReadHistory>) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      labelNames: ['network'] as const,
      collect() {
        for (const [network, history] of histories) this.set({ network }, read(history()));
      },
    });
  watch('keyslot_stream_history_slots', 'Slots held for streams that resume', ({ slots }) => slots);
  watch('keyslot_stream_history_bytes', 'Bytes of them, about', ({ sizeBytes }) => sizeBytes);
  return {
    openStream: (network, topic) => open.inc({ network, topic }),
    closeStream: (network, topic) => open.dec({ network, topic }),
    countMessages: (network, topic, count) => messages.inc({ network, topic }, count),
    countError: (error) => errors.inc({ error }),
    watchHistory: (network, read) => void histories.set(network, read),
  };
}
