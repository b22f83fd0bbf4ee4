import { expect, test } from 'vitest';
import { HSM_CHECKS } from '../../src/signer/hsm/check/checks.ts';
import { checkHsm, runCheck } from '../../src/signer/hsm/check/run-checks.ts';
import { describeBackends } from './suites/backends.ts';

describeBackends((hsm) => {
  for (const check of HSM_CHECKS) {
    test(check.name, async () => {
      const { outcome, reason } = await runCheck(hsm(), check);
      expect(reason).toBeUndefined();
      expect(check.needs === undefined ? ['held'] : ['held', 'not supported']).toContain(outcome);
    });
  }

  test('the report has every check and what it measured', async () => {
    const report = await checkHsm(hsm());
    expect(report.checks.map(({ name }) => name)).toEqual(HSM_CHECKS.map(({ name }) => name));
    expect(report.checks.filter(({ outcome }) => outcome === 'broken')).toEqual([]);
    expect(report.speed.keys).toBeGreaterThan(0);
  });
});

test('a check finds a backend that signs for any wallet', async () => {
  const key = { publicKey: Buffer.alloc(32), sealed: Buffer.alloc(1) };
  const traits = {
    kind: 'soft',
    protection: 'none',
    keysIn: 'row',
    concurrency: 1,
    keysPerRequest: 128,
  } as const;
  const careless = {
    traits,
    createKey: async () => key,
    sign: async () => Buffer.alloc(64),
    destroyKey: async () => undefined,
    health: async () => undefined,
    close: async () => undefined,
  };
  const { checks } = await checkHsm(careless);
  const broken = checks.filter(({ outcome }) => outcome === 'broken').map(({ name }) => name);
  expect(broken).toContain('a key is refused for another wallet, and for another account');
  expect(broken).toContain('no two keys are the same');
  expect(broken.length).toBeGreaterThan(5);
});
