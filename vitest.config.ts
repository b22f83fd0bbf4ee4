import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Sequencer } from './test/support/sequencer.ts';
import { TIER } from './test/support/tier.ts';

/** The file that `.ci/run` reads the counts from; absent elsewhere. */
const report = process.env.KEYSLOT_TEST_REPORT;

const FILES = {
  short: { include: ['test/**/*.test.ts'], exclude: ['test/**/*.{slow,long}.test.ts'] },
  all: { include: ['test/**/*.test.ts'], exclude: ['test/**/*.long.test.ts'] },
  long: { include: ['test/**/*.long.test.ts'], exclude: ['test/**/!(*.long).test.ts'] },
}[TIER];

/** The suites that share one server, which starts only when one of them runs. */
const CLIENTS = 'test/clients/**/*.test.ts';

/** Files that leave something behind in their process, and so get one each. All others go through few processes, one after the other. */
const APART = [
  // Imports suites that may have run before in the same process.
  'test/own-http/*off*.test.ts',
  // web3.js v1 keeps connecting to a node that has stopped, in the middle of what comes after it.
  'test/localnet/subscriptions/web3js*.test.ts',
  'test/localnet/staking-year*.test.ts',
  // Count the timers of their process, in which the store that files share has some too.
  'test/account/usage/retain-usage.test.ts',
  'test/account/service-level/start-proofs.test.ts',
  'test/server/access/{call-recorder,memory-rate-limit,meter,wallet-request-counts}.test.ts',
  'test/gateway/nodes/network/{ask-node,ledger-nodes,measure-pace,node-watch,silent-node}.test.ts',
];

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

const only = (include: string[]) => ({ include, exclude: FILES.exclude });

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than there are cores: part of a test is waiting. More were no faster, and each compiles and optimizes a PGlite of its own.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    isolate: false,
    execArgv: WITHOUT_PROTECTION_KEYS,
    // For what hangs. How long a test takes is the machine's affair: some are ten times slower than others.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // As patient as `eventually`: a process may stand still for longer than the second that is the default.
    expect: { poll: { timeout: 60_000 } },
    // Node loads the files as it does in production: their types are stripped, nothing else is done to them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: Sequencer },
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
        test: { name: 'test', include: FILES.include, exclude: [...FILES.exclude, CLIENTS, ...APART] },
      },
      { extends: true, test: { name: 'apart', ...only(APART), isolate: true } },
      {
        extends: true,
        test: { name: 'clients', ...only([CLIENTS]), globalSetup: ['./test/clients/global-setup.ts'] },
      },
    ],
  },
});
