import { expect, test } from 'vitest';
import { MetricsRegistry } from '../../../src/core/metrics-registry.ts';
import { createServiceLevelMetrics } from '../../../src/account/service-level/service-level-metrics.ts';

test('shows proofs by outcome, how old the last one is, and the month as it was last set', async () => {
  const registry = new MetricsRegistry();
  let nowMs = 1_000;
  const metrics = createServiceLevelMetrics(registry, () => nowMs);
  const lines = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => /^keyslot_service_/.test(line));
  nowMs = 4_500;
  expect(await lines()).toContain('keyslot_service_last_proof_age_seconds 3.5');
  metrics.countProof('proved');
  nowMs = 9_500;
  metrics.countProof('store');
  metrics.countProof('signer');
  metrics.setMonth({ availability: 0.9995, leftRatio: -0.5, leftSeconds: -648 });
  expect((await lines()).toSorted()).toEqual([
    'keyslot_service_availability_ratio 0.9995',
    'keyslot_service_error_budget_left_ratio -0.5',
    'keyslot_service_error_budget_left_seconds -648',
    'keyslot_service_last_proof_age_seconds 5',
    'keyslot_service_proofs_total{outcome="proved"} 1',
    'keyslot_service_proofs_total{outcome="signer"} 1',
    'keyslot_service_proofs_total{outcome="store"} 1',
  ]);
});
