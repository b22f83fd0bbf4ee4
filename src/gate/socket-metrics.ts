import { Counter, Gauge, type Registry } from 'prom-client';

/** What is counted of WebSocket connections and of what is told over them. */
export type SocketMetrics = {
  /** Reads how many connections are open whenever the metrics are asked for. */
  readonly watchSockets: (read: () => number) => void;
  /** A connection that has ended, by the error that ended it, or `client`, `lost`, `protocol`. */
  readonly countClose: (reason: string) => void;
  /** A notification that a later one took the place of, for a reader that is too slow. */
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
