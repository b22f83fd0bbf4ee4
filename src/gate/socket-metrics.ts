import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of WebSocket connections and their notifications. */
export type SocketMetrics = {
  /** Reads the number of open connections at each scrape. */
  readonly watchSockets: (read: () => number) => void;
  /** Counts a connection that has ended, by the error that ended it, or `client`, `lost`, `protocol`. */
  readonly countClose: (reason: string) => void;
  /** Counts a notification to a slow reader that was replaced by a later one. */
  readonly countReplaced: () => void;
};

/** Adds the metrics of WebSocket connections to a registry. */
export function createSocketMetrics(registry: Registry): SocketMetrics {
  const registers = [registry];
  const closes = new Counter({
    name: 'keyslot_ws_closes_total',
    help: 'WebSocket connections that have ended, by reason',
    labelNames: ['reason'] as const,
    registers,
  });
  const replaced = new Counter({
    name: 'keyslot_ws_replaced_total',
    help: 'Notifications left out for slow readers, in favour of a later one of the same subscription',
    registers,
  });
  return {
    watchSockets: (read) => {
      new Gauge({
        name: 'keyslot_ws_sockets',
        help: 'Open WebSocket connections',
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    countClose: (reason) => closes.inc({ reason }),
    countReplaced: () => replaced.inc(),
  };
}
