import { beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT_CONTRACT } from '../../../../generated/contract/account/contract.ts';
import type { RestCaseRequest } from '../../../../runtime/rest-case.ts';
import {
  runWalletContract,
  type WalletResult,
} from '../../../../src/devkit/contract/wallets/run-contract.ts';
import { startKeyslot } from '../../../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../../support/postgres.ts';
import { slowBody } from '../../../wallets/live/conditions.ts';
import { startSmtpServer } from '../../../support/smtp-server.ts';
import { fillDisk, holdRequests, loseTables, withoutMail } from './conditions.ts';
import { provision } from './provision.ts';

const CASES = Object.values(ACCOUNT_CONTRACT).flatMap(({ cases }) => cases);
const DEADLINE_MS = 1_200_000;
/** The longest time that a request may take to arrive. */
const BODY_TIMEOUT_MS = 1_000;

type Shown = { readonly results: readonly WalletResult[]; readonly output: string };

const postgres = await findPostgres();

if (postgres === undefined)
  test('the account service keeps to its contract', (context) => context.skip(POSTGRES_MISSING));
else describe('the account service', () => onServer(postgres));

function onServer(postgresUrl: string): void {
  let shown: Shown = { results: [], output: '' };

  beforeAll(async () => {
    shown = await runContract(postgresUrl);
  }, DEADLINE_MS);

  test('holds every case of every operation; none is left out', () => {
    const others = shown.results.filter(({ outcome }) => outcome !== 'held');
    const texts = others.map(({ case: { operation, name }, outcome, reasons }) =>
      [operation, name, outcome, ...reasons].join(': '),
    );
    expect(texts).toEqual([]);
    expect(shown.results).toHaveLength(CASES.length);
  });

  test('logs no secret, at the finest level', () => {
    const secrets = shown.results.flatMap(({ answer }) =>
      [...(answer?.text ?? '').matchAll(/"(?:api_key|access_token|link|secret|otpauth_uri)":"([^"]+)"/g)].map(
        ([, text = '']) => text,
      ),
    );
    expect(secrets.length).toBeGreaterThan(2);
    expect(secrets.filter((secret) => shown.output.includes(secret))).toEqual([]);
  });

  test.each(Object.entries(ACCOUNT_CONTRACT))(
    'answers every status and every code of %s',
    (name, { statuses }) => {
      const seen = shown.results.filter((each) => each.case.operation === name && each.outcome === 'held');
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

/** Runs every case on a server whose store is a database of its own. */
async function runContract(postgresUrl: string): Promise<Shown> {
  const database = await createDatabase(postgresUrl);
  await using stack = new AsyncDisposableStack();
  stack.defer(database.drop);
  const smtp = stack.use(await startSmtpServer());
  const mail = {
    KEYSLOT_MAIL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    KEYSLOT_MAIL_FROM: 'keyslot@example.com',
  };
  const server = await startKeyslot({
    args: ['--log-level', 'trace'],
    env: { KEYSLOT_DATABASE_URL: database.url, KEYSLOT_BODY_TIMEOUT_MS: String(BODY_TIMEOUT_MS), ...mail },
  });
  stack.defer(server.stop);
  const { value } = stack.use(await provision(server, database.url));
  const results: WalletResult[] = [];
  for (const item of CASES) {
    const run = {
      baseUrl: server.baseUrl,
      value: (name: Parameters<typeof value>[0]) => value(name, item),
      enter: async (condition: string, { token }: RestCaseRequest) => {
        if (condition === 'slow_body') return slowBody(server);
        if (condition === 'no_mail') return withoutMail();
        if (condition === 'many_requests') return await holdRequests(server, database.url, token !== 'none');
        if (condition === 'broken_store') return await loseTables(database.url);
        return condition === 'full_store' ? await fillDisk(database.url) : undefined;
      },
    };
    results.push(...(await runWalletContract(run, [item])));
  }
  return { results, output: server.stdout() + server.stderr() };
}
