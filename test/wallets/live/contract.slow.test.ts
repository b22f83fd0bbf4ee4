import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { WALLET_CONTRACT } from '../../../generated/contract/wallets/contract.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING } from '../../support/softhsm.ts';
import {
  runWalletContract,
  type WalletResult,
  type WalletRun,
} from '../../../src/devkit/contract/wallets/run-contract.ts';
import {
  asStarted,
  breakStore,
  fillStore,
  holdRequest,
  removeToken,
  slowBody,
  spoilKeys,
  stopSigner,
} from './conditions.ts';
import { type Provisioned, provision } from './provision.ts';

const CASES = Object.values(WALLET_CONTRACT).flatMap(({ cases }) => cases);
const MANAGED_BATCH = 1_000;
/** The longest time that a request may take to arrive. */
const BODY_TIMEOUT_MS = 1_000;

const postgres = await findPostgres();
const softHsm = findSoftHsm();

/** True if a case needs a server whose keys are in a token. Where a token cannot derive, sealed keys fail in its place. */
const needsToken = ({ condition, operation }: RestCase): boolean =>
  condition === 'key_backend_without_derivation' ||
  (condition === 'key_backend_down' && operation !== 'createHdWallets');
const missing = [postgres ? '' : POSTGRES_MISSING, softHsm ? '' : SOFTHSM_MISSING].filter(Boolean).join('; ');

if (postgres === undefined || softHsm === undefined)
  test('the wallet service keeps to its contract', (context) => context.skip(missing));
else describe('the wallet service', () => onServers(postgres, softHsm));

/** The results of a run on a server, and the server's other output. */
type Shown = {
  readonly results: readonly WalletResult[];
  readonly told: string;
  readonly token: string;
};

function onServers(postgresUrl: string, library: string): void {
  let runs: readonly Shown[] = [];
  let results: readonly WalletResult[] = [];

  beforeAll(async () => {
    runs = [await runWithDatabase(postgresUrl), await runWithToken(library)];
    results = runs.flatMap((each) => each.results);
  });

  test('holds every case of every operation; none is left out', () => {
    const others = results.filter(({ outcome }) => outcome !== 'held');
    expect(
      others.map(({ case: { operation, name }, outcome, reasons }) => ({
        operation,
        name,
        outcome,
        reasons,
      })),
    ).toEqual([]);
    expect(results).toHaveLength(CASES.length);
  });

  test('tells nothing secret in its log and its metrics, at the finest level', () => {
    expect(runs.flatMap(secretsOf).length).toBeGreaterThan(10);
    for (const run of runs) {
      const secrets = secretsOf(run);
      expect(run.told).toContain('keyslot_');
      expect(secrets.filter((secret) => run.told.includes(secret))).toEqual([]);
    }
  });

  test.each(Object.entries(WALLET_CONTRACT))(
    'answers every status and every code of %s',
    (operation, { statuses }) => {
      const seen = results.filter((each) => each.case.operation === operation && each.outcome === 'held');
      for (const [status, codes] of Object.entries(statuses)) {
        const answers = seen.flatMap(({ answer }) =>
          String(answer?.status) === status ? [answer?.text ?? ''] : [],
        );
        expect([status, answers.length > 0]).toEqual([status, true]);
        expect(codes.filter((code) => !answers.some((text) => text.includes(`"code":"${code}"`)))).toEqual(
          [],
        );
      }
    },
  );
}

/** The secrets between server and client: those in answers, and tokens. */
function secretsOf({ results, token }: Shown): readonly string[] {
  const texts = results.map(({ answer }) => answer?.text ?? '');
  const members = texts.flatMap((text) => [
    ...text.matchAll(/"(?:secret_key|mnemonic|signature)":"([^"]{20,})"/g),
  ]);
  return [...new Set([token, ...members.map(([, secret]) => secret ?? '')])];
}

/** Runs the cases of a server whose store is a database of its own, those of a state that stays last. */
async function runWithDatabase(postgresUrl: string): Promise<Shown> {
  const database = await createDatabase(postgresUrl);
  await using stack = new AsyncDisposableStack();
  stack.defer(database.drop);
  const server = await startKeyslot({
    args: ['--log-level', 'trace'],
    env: {
      KEYSLOT_DATABASE_URL: database.url,
      KEYSLOT_BODY_TIMEOUT_MS: String(BODY_TIMEOUT_MS),
      KEYSLOT_HSM_MAX_MANAGED_BATCH: String(MANAGED_BATCH),
    },
  });
  stack.defer(server.stop);
  const provisioned = await provision(server, database.url);
  const cases = CASES.filter((item) => !needsToken(item));
  return await run(server, provisioned, lastingLast(cases), async (condition, request) => {
    if (condition === 'slow_body') return slowBody(server);
    if (condition === 'bounded_managed_batch') return asStarted();
    if (condition === 'broken_store') return await breakStore(database.url);
    if (condition === 'full_store') return await fillStore(database.url);
    if (condition === 'key_backend_down') return await spoilKeys(database.url);
    if (condition === 'request_under_way') return await holdRequest(server, database.url, request);
    return condition === 'signer_down' ? await stopSigner(server) : undefined;
  });
}

/** Runs the cases of a server whose keys are in a token. */
async function runWithToken(library: string): Promise<Shown> {
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-token-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { label, pin, tokens, configFile } = newToken(library, directory);
  const server = await startKeyslot({
    args: ['--log-level', 'trace'],
    env: {
      KEYSLOT_HSM_KIND: 'pkcs11',
      KEYSLOT_PKCS11_LIBRARY: library,
      KEYSLOT_PKCS11_TOKEN: label,
      KEYSLOT_PKCS11_PIN: pin,
      SOFTHSM2_CONF: configFile,
    },
  });
  stack.defer(server.stop);
  const provisioned = await provision(server);
  const cases = CASES.filter(needsToken);
  return await run(server, provisioned, lastingLast(cases), async (condition) =>
    condition === 'key_backend_down' ? await removeToken(tokens) : asStarted(),
  );
}

async function run(
  { baseUrl, stdout, stderr }: RunningKeyslot,
  { value, token }: Provisioned,
  cases: readonly RestCase[],
  enter: NonNullable<WalletRun['enter']>,
): Promise<Shown> {
  const results: WalletResult[] = [];
  for (const item of cases) {
    const values = { baseUrl, enter, value: (name: Parameters<typeof value>[0]) => value(name, item) };
    results.push(...(await runWalletContract(values, [item])));
  }
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  return { results, token, told: stdout() + stderr() + metrics };
}

/** Once the signer or the token has gone, it stays away. */
function lastingLast(cases: readonly RestCase[]): readonly RestCase[] {
  const isLasting = (item: RestCase): boolean =>
    item.condition === (needsToken(item) ? 'key_backend_down' : 'signer_down');
  return [...cases.filter((item) => !isLasting(item)), ...cases.filter(isLasting)];
}
