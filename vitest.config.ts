import { defineConfig } from 'vitest/config';

/** Where .ci/run wants the counts; absent elsewhere. */
const report = process.env.KEYSLOT_TEST_REPORT;
const clients = 'test/clients/**/*.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/summary-reporter.ts', ...(report === undefined ? [] : ['json'])],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
    // bigint-buffer, of @solana/web3.js v1, says so at every import: its native part is not built here.
    onConsoleLog: (text) => !text.includes('bigint: Failed to load bindings'),
    projects: [
      { extends: true, test: { name: 'test', include: ['test/**/*.test.ts'], exclude: [clients] } },
      // The client suites share one server, which starts only when one of them runs.
      {
        extends: true,
        test: { name: 'clients', include: [clients], globalSetup: ['./test/clients/global-setup.ts'] },
      },
    ],
  },
});
