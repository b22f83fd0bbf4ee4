import { Counter, Gauge, type Registry } from 'prom-client';

/** What is counted of connections, whatever is spoken over them. */
export type ConnectionMetrics = {
  /** Reads how many connections are open, and how many there may be, whenever the metrics are asked for. */
  readonly watchConnections: (read: () => { readonly open: number; readonly limit: number }) => void;
  /** An idle connection that made room for another, by the bound that was met: `server` or `address`. */
  readonly countShed: (scope: string) => void;
  /** A connection that was refused because none was idle. */
  readonly countRefused: (scope: string) => void;
};

/** Adds the metrics of connections to a registry. */
export function createConnectionMetrics(registry: Registry): ConnectionMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['scope'] as const, registers });
  const shed = counter(
    'keyslot_connections_shed_total',
    'Idle connections that made room for others, by bound',
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
      gauge('keyslot_connections_limit', 'Most connections of clients', () => read().limit);
    },
    countShed: (scope) => shed.inc({ scope }),
    countRefused: (scope) => refused.inc({ scope }),
  };
}
