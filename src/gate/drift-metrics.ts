import { Counter, type Registry } from 'prom-client';
import type { DriftMetrics } from '../ledger/drift/drift-guard.ts';
import type { DriftFinding } from '../ledger/drift/network-drift.ts';

/**
 * Adds the metrics of the drift guard to a registry. The names of findings are bounded, and distinguished from values and keys,
 * where they are counted.
 */
export function createDriftMetrics(registry: Registry): DriftMetrics {
  const reads = new Map<string, () => readonly DriftFinding[]>();
  new Counter({
    name: 'keyslot_drift_total',
    help: 'What nodes answer and clients call (without node) that the specification does not know, as often as it was seen in samples',
    labelNames: ['network', 'node', 'kind', 'name'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [network, read] of reads)
        for (const { node = '', kind, name, count } of read()) this.inc({ network, node, kind, name }, count);
    },
  });
  const samples = new Counter({
    name: 'keyslot_drift_samples_total',
    help: 'Answers of nodes that were to be held against the specification: checked, or dropped for want of room',
    labelNames: ['network', 'node', 'outcome'] as const,
    registers: [registry],
  });
  return {
    watch: (network, read) => void reads.set(network, read),
    countSample: (network, node, outcome) => samples.inc({ network, node, outcome }),
  };
}
