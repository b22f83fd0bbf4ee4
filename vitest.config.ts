import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isThorough } from './test/support/rounds.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Where .ci/run wants the counts; absent elsewhere. */
const report = process.env.KEYSLOT_TEST_REPORT;
const clients = 'test/clients/**/*.test.ts';
/** Files that leave nothing behind in their process, so that it goes on with the next: to start one and to load its modules takes longer than most of them. */
const SHARED = ['codegen', 'gate', 'ledger', 'localnet', 'rpc', 'server', 'upstream'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

/** Not these of theirs: web3.js v1 goes on connecting to a node that has stopped, in the middle of what comes after it. */
const APART = ['staking-year', 'subscriptions/web3js'].map((file) => `test/localnet/${file}.test.ts`);

/** Files that start one server after the other, for half a minute and more: in a thorough run only. */
const LONG = isThorough ? [] : ['test/**/*.long.test.ts'];

/** What Node compiles for one test file is kept for the others, and for the processes that they start. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/keyslot-test', import.meta.url),
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/**
 * Where a processor has protection keys, V8 ends a process now and then that opens and closes one PGlite after the other (`Check failed:
 * jit_page.has_value()`, nodejs/node#64500). A server opens one, once.
 */
const WITHOUT_PROTECTION_KEYS = ['--no-memory-protection-keys'];

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than there are cores: part of a test is waiting. More would keep each other from answering in time.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // Stores live for seconds here: to optimize the code of PGlite takes longer than it saves. In CI, servers that tests start run as in production.
    execArgv: [...WITHOUT_PROTECTION_KEYS, '--liftoff-only'],
    // For what hangs. How long a test takes is the machine's affair: some are ten times slower than others.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As patient as `eventually`: a process may stand still for longer than the second that is the default.
    expect: { poll: { timeout: 30_000 } },
    // Node loads the files as it does in production: their types are stripped, nothing else is done to them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // The line that tells of a failure tells what was there, not `{ …(4) }`.
    chaiConfig: { truncateThreshold: 400 },
    globalSetup: ['./test/support/run-directory.ts'],
    setupFiles: ['./test/support/keep-compiled.ts'],
    reporters: ['default', './test/support/summary-reporter.ts', ...(report === undefined ? [] : ['json'])],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
    // bigint-buffer, of @solana/web3.js v1, says so at every import: its native part is not built here.
    onConsoleLog: (text) => !text.includes('bigint: Failed to load bindings'),
    projects: [
      {
        extends: true,
        test: { name: 'test', include: ['test/**/*.test.ts'], exclude: [clients, ...LONG, ...SHARED] },
      },
      {
        extends: true,
        test: { name: 'shared', include: SHARED, exclude: [...LONG, ...APART], isolate: false },
      },
      { extends: true, test: { name: 'apart', include: APART } },
      // The client suites share one server, which starts only when one of them runs.
      {
        extends: true,
        test: {
          name: 'clients',
          include: [clients],
          isolate: false,
          globalSetup: ['./test/clients/global-setup.ts'],
        },
      },
    ],
  },
});
