import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of connections, for all protocols. */
export type ConnectionMetrics = {
  /** Reads the number of open connections and its limit at each scrape. */
  readonly watchConnections: (read: () => { readonly open: number; readonly limit: number }) => void;
  /** Counts an idle connection that was closed to make room, by the limit that was reached: `server` or `address`. */
  readonly countShed: (scope: string) => void;
  /** Counts a connection that was refused because none was idle. */
  readonly countRefused: (scope: string) => void;
};

/** Adds the metrics of connections to a registry. */
export function createConnectionMetrics(registry: Registry): ConnectionMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['scope'] as const, registers });
  const shed = counter(
    'keyslot_connections_shed_total',
    'Idle connections closed to make room for others, by bound',
  );
  const refused = counter(
    'keyslot_connections_refused_total',
    'Connections refused while none was idle, by bound',
  );
  return {
    watchConnections: (read) => {
      const gauge = (name: string, help: string, value: () => number): Gauge =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value());
          },
        });
      gauge('keyslot_connections', 'Open connections of clients, on all ports', () => read().open);
      gauge('keyslot_connections_limit', 'Maximum number of client connections', () => read().limit);
    },
    countShed: (scope) => shed.inc({ scope }),
    countRefused: (scope) => refused.inc({ scope }),
  };
}
