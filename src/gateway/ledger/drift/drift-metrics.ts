import { Counter, type Registry } from 'prom-client';
import type { DriftMetrics } from './drift-guard.ts';
import type { NetworkDrift } from './network-drift.ts';

/**
 * Adds the metrics of the drift guard to a registry. The names of findings are bounded, and distinguished from values and keys,
 * where they are counted.
 */
export function createDriftMetrics(registry: Registry): DriftMetrics {
  const networks = new Map<string, Pick<NetworkDrift, 'snapshot' | 'unknownMethods'>>();
  new Counter({
    name: 'keyslot_drift_total',
    help: 'What nodes answer that the specification does not know, as often as it was seen in samples',
    labelNames: ['network', 'node', 'kind', 'name'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [network, { snapshot }] of networks)
        for (const { node, kind, name, count } of snapshot()) this.inc({ network, node, kind, name }, count);
    },
  });
  new Counter({
    name: 'keyslot_unknown_method_calls_total',
    help: 'Calls of methods that the specification does not have, by name; other: all names beyond the first 20',
    labelNames: ['network', 'name'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [network, { unknownMethods }] of networks)
        for (const { name, count } of unknownMethods()) this.inc({ network, name }, count);
    },
  });
  const samples = new Counter({
    name: 'keyslot_drift_samples_total',
    help: 'Answers of nodes that were to be held against the specification: checked, or dropped for want of room',
    labelNames: ['network', 'node', 'outcome'] as const,
    registers: [registry],
  });
  return {
    watch: (network, drift) => void networks.set(network, drift),
    countSample: (network, node, outcome) => samples.inc({ network, node, outcome }),
  };
}
