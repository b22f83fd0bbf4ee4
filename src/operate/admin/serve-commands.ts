import { randomUUID } from 'node:crypto';
import { printUsd } from '../../../runtime/micro-usd.ts';
import { ensureAccount } from '../../account/accounts/accounts.ts';
import { DEVELOPMENT } from '../../account/accounts/account-name.ts';
import { findAccount, readAccountNames } from '../../account/accounts/find-account.ts';
import { toAvailabilityView } from '../../account/api/availability-view.ts';
import { appendAudit } from '../../account/audit/append-audit.ts';
import { verifyAudit } from '../../account/audit/verify-audit.ts';
import { readBalance } from '../../account/billing/books/balance.ts';
import { credit } from '../../account/billing/books/credit.ts';
import { issueCreditNote } from '../../account/billing/invoices/issue-credit-note.ts';
import { showCreditNote } from '../../account/billing/invoices/show-credit-note.ts';
import { type ApiKey, hasApiKey, listApiKeys } from '../../account/identity/api-keys/api-keys.ts';
import { endOf } from '../../account/identity/api-keys/key-rules.ts';
import { rotateApiKey } from '../../account/identity/api-keys/rotate-api-key.ts';
import { linkTo } from '../../account/identity/members/member-links.ts';
import { resetMember } from '../../account/identity/members/reset-member.ts';
import { createSetupLink } from '../../account/identity/members/setup-links.ts';
import { assertMayHaveScopes, setOperates } from '../../account/identity/operators.ts';
import { createToken, listTokens } from '../../account/identity/tokens/access-tokens.ts';
import {
  enrolTwoFactor,
  removeTwoFactor,
  unlockTwoFactor,
} from '../../account/identity/two-factor/two-factor.ts';
import { measureMonth } from '../../account/service-level/measure-month.ts';
import { readUsage } from '../../account/usage/read-usage.ts';
import { readWalletUsage } from '../../account/usage/read-wallet-usage.ts';
import { WALLET_GROUPS } from '../../account/usage/usage-groups.ts';
import type { Clock } from '../../core/clock.ts';
import { createRequestId } from '../../core/request-id.ts';
import { serviceError } from '../../core/service-error.ts';
import { utcMonth } from '../../core/utc-month.ts';
import { type LocalRequest, type LocalRequestOf, readRequest } from './admin-request.ts';
import type { AdoptionResult } from './adopt-without-server.ts';
import type { MasterRotation } from './master-rotation.ts';
import { type OperationDeps, serveOperation } from './serve-operation.ts';
import type { ServeCommand } from './wire.ts';

/** The parts of the server that requests act on: the store, its copies in memory, and counts that are not stored yet. */
export type CommandDeps = OperationDeps & {
  /** Stores the counts that are not stored yet. */
  readonly flushUsage: () => Promise<void>;
  /** The base URL of links. @throws ServiceError `invalidCommand` if it is unknown. */
  readonly baseUrl: () => Promise<string>;
  /** The file that audit heads are appended to. */
  readonly headsFile: string;
  /** The key that the running signer signs heads with; undefined without a signer. */
  readonly headKey: () => Promise<Uint8Array | undefined>;
  /** Re-encrypts every managed key under a new master key: see `MasterRotation`. */
  readonly rotateMaster: MasterRotation['run'];
  /** Makes the store accept the signer of the data directory. @throws ServiceError where a server runs. */
  readonly adoptSigner: () => Promise<AdoptionResult>;
  /** Copies the files of an embedded store: see `copyStore`. @throws ServiceError where no server runs. */
  readonly copyStore: () => Promise<unknown>;
  /** Reads the state of each part, as `/readyz` shows it. @throws ServiceError where no server runs. */
  readonly readStatus: () => Promise<unknown>;
  /** Shows the ledger nodes. @throws ServiceError where no server runs that knows them. */
  readonly showNodes: () => unknown;
};

/**
 * Carries out requests, in the store and in memory at once: operations of the account service, and what has no form over HTTP. The latter
 * have the results that `--json` prints: member names in snake case, instants as ISO 8601. Only the result that creates a secret contains it.
 *
 * Throws ServiceError `storeUnavailable` before anything is done when the store does not answer.
 */
export function createServeCommand(deps: CommandDeps, clock: Clock): ServeCommand {
  return async (command) => {
    const request = readRequest(command);
    if ('kind' in request && request.kind === 'nodes') return deps.showNodes();
    if ('kind' in request && request.kind === 'status') return deps.readStatus();
    await deps.store.ping();
    return 'kind' in request
      ? serveLocal(deps, request, clock.nowMs())
      : serveOperation(deps, request, clock);
  };
}

async function serveLocal(deps: CommandDeps, request: LocalRequest, nowMs: number): Promise<unknown> {
  const { store } = deps;
  switch (request.kind) {
    case 'nodes':
      return deps.showNodes();
    case 'status':
      return deps.readStatus();
    case 'store.copy':
      return deps.copyStore();
    case 'signer.rotate-master':
      return deps.rotateMaster();
    case 'signer.adopt':
      return deps.adoptSigner();
    case 'keys.list': {
      const keys = await listApiKeys(store);
      const wanted = keys.filter(
        ({ account }) => request.account === undefined || account === request.account,
      );
      return { keys: wanted.map((key) => toKeyView(key, deps.plans.planOf(key.accountId).name, nowMs)) };
    }
    case 'keys.rotate': {
      const { id: keyId, overlapMs } = request;
      const { id, text, name, oldUntil } = await rotateApiKey(deps, { keyId, overlapMs }, nowMs);
      const replaces = { id: keyId, valid_until: oldUntil };
      return { id, key: text, name, created_at: new Date(nowMs), replaces };
    }
    case 'tokens.list': {
      const tokens = await listTokens(store, request.account);
      return {
        tokens: tokens.map((token) => ({
          id: token.id,
          prefix: token.prefix,
          name: token.name,
          account: token.account,
          scopes: token.scopes,
          state: stateOf(token, nowMs),
          created_at: token.createdAt,
          expires_at: token.expiresAt,
          revoked_at: token.revokedAt,
        })),
      };
    }
    case 'tokens.create': {
      const { name, account, scopes, expiresInMs } = request;
      await assertMayHaveScopes(store, account, scopes);
      const accountId = await ensureAccount(store, account, nowMs);
      const expiresAtMs = expiresInMs === undefined ? undefined : nowMs + expiresInMs;
      const { id, text } = await createToken(deps, { accountId, name, scopes, expiresAtMs }, nowMs);
      const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs);
      return { id, token: text, name, account, scopes, created_at: new Date(nowMs), expires_at };
    }
    case 'usage':
      return showUsage(deps, request);
    case 'availability':
      return showAvailability(deps, request.account, nowMs);
    case 'money.balance':
      return showBalance(deps, request.account, nowMs);
    case 'money.credit': {
      const { account, amount, note } = request;
      const accountId = await findAccount(store, account);
      await store.transaction((tx) => credit(tx, { accountId, amount, note, nowMs }));
      return { credited_usd: printUsd(amount), ...(await showBalance(deps, account, nowMs)) };
    }
    case 'invoices.credit': {
      const { number: invoiceNumber, amount, reason, reference = randomUUID() } = request;
      const wanted = { invoiceNumber, amount, reason, reference, requestId: `cmd_${randomUUID()}`, nowMs };
      const { note, isNew } = await store.transaction((tx) => issueCreditNote(tx, wanted));
      return { ...showCreditNote(note), is_new: isNew };
    }
    case 'accounts.operator': {
      const { account, operates } = request;
      const fact = { action: 'operate', outcome: 'ok', requestId: `cmd_${randomUUID()}` };
      const accountId = await findAccount(store, account);
      const { tokens } = deps;
      await setOperates(
        {
          store,
          tokens,
          record: (tx, subject) => appendAudit(tx, accountId, [{ ...fact, subject }], nowMs),
        },
        { accountId, operates },
      );
      return { account, operates };
    }
    case 'members.setup-link': {
      const { account } = request;
      // Checked before anything is created.
      const base = await deps.baseUrl();
      const accountId = await (account === DEVELOPMENT
        ? findAccount(store, account)
        : ensureAccount(store, account, nowMs));
      const made = await createSetupLink({ store }, accountId, { requestId: createRequestId(), nowMs });
      return { account, link: linkTo(base, 'setup', made.token), expires_at: made.expiresAt };
    }
    case 'members.reset': {
      const { account, email } = request;
      const base = await deps.baseUrl();
      const accountId = await findAccount(store, account);
      const made = await resetMember(
        { store },
        { accountId, email },
        { requestId: createRequestId(), nowMs },
      );
      return { account, email, link: linkTo(base, 'reset', made.token), expires_at: made.expiresAt };
    }
    case 'two-factor.enrol': {
      const { account } = request;
      const accountId = await findAccount(store, account);
      const installationKey = await deps.installationKey();
      const shown = await enrolTwoFactor({ store, installationKey }, { accountId, account }, nowMs);
      return { account, ...shown };
    }
    case 'two-factor.remove':
      await removeTwoFactor(store, await findAccount(store, request.account));
      return { account: request.account, removed: true };
    case 'two-factor.unlock':
      await unlockTwoFactor(store, await findAccount(store, request.account));
      return { account: request.account, unlocked: true };
    case 'audit.verify':
      return verify(deps, request);
  }
}

function toKeyView(key: ApiKey, plan: string, nowMs: number) {
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    account: key.account,
    plan,
    state: stateOf({ ...key, expiresAt: endOf(key) }, nowMs),
    created_at: key.createdAt,
    expires_at: endOf(key),
    revoked_at: key.revokedAt,
    origins: key.allowedOrigins,
    cidrs: key.allowedCidrs,
    networks: key.allowedNetworks,
    methods: key.allowedMethods,
    requests_per_second: key.requestsPerSecond,
    requests_per_day: key.requestsPerDay,
  };
}

/** The state of a key or a token: `valid` also while a rotated key still works. */
function stateOf(
  { revokedAt, expiresAt }: { readonly revokedAt: Date | null; readonly expiresAt: Date | null },
  nowMs: number,
): 'valid' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'expired' : 'valid';
}

const MINUTE_MS = 60_000;

/**
 * Sums up the usage, including counts that are not stored yet. That of wallets is null when filtered by network or API key, because wallet
 * operations belong to neither.
 *
 * @throws ServiceError `accountNotFound`, `keyNotFound`: a mistyped name is not an empty answer.
 */
async function showUsage(
  { store, flushUsage }: CommandDeps,
  { sinceMs, by, account, id: keyId }: LocalRequestOf<'usage'>,
): Promise<unknown> {
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  if (keyId !== undefined && !(await hasApiKey(store, keyId)))
    throw serviceError('keyNotFound', { id: keyId });
  await flushUsage();
  const sums = await readUsage(store, { sinceMs, by, accountId, keyId });
  const rows = sums.map(({ group, key, callerErrors, ...counts }) => ({
    [by]: group,
    ...key,
    ...counts,
    caller_errors: callerErrors,
  }));
  const hasWallets = by !== 'network' && keyId === undefined;
  return {
    since: new Date(Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS),
    by,
    account: account ?? null,
    key: keyId ?? null,
    rows,
    wallets: hasWallets ? await showWallets(store, { sinceMs, by: WALLET_GROUPS[by], accountId }) : null,
  };
}

async function showWallets(store: CommandDeps['store'], query: Parameters<typeof readWalletUsage>[1]) {
  const sums = await readWalletUsage(store, query);
  const rows = sums.map(({ group, token, charged, ...counts }) => ({
    [query.by]: group,
    ...token,
    ...counts,
    ...(charged && { units: Number(charged.units), cost_usd: printUsd(charged.cost) }),
  }));
  return { by: query.by, rows };
}

async function showAvailability({ store }: CommandDeps, account: string | undefined, nowMs: number) {
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  const owner = accountId === undefined ? {} : { accountId };
  const measured = await measureMonth(store.db, { ...owner, month: utcMonth(nowMs), nowMs });
  const shown = await toAvailabilityView(store, { accountId, measured, seesMoney: true, nowMs });
  return { account: account ?? null, ...shown };
}

/** Returns the billing mode and the balance of an account. Amounts are exact decimal text in USD. */
async function showBalance({ store }: CommandDeps, account: string, nowMs: number) {
  const accountId = await findAccount(store, account);
  const { billing, mode, operations, ...amounts } = await readBalance(store, accountId, nowMs);
  const counts = Object.entries(operations).map(([operation, units]) => [operation, Number(units)]);
  return {
    account,
    billing,
    mode,
    granted_credit_limit_usd: printUsd(amounts.grantedCreditLimit),
    available_usd: printUsd(amounts.available),
    balance_usd: printUsd(amounts.balance),
    credit_limit_usd: printUsd(amounts.creditLimit),
    reserved_usd: printUsd(amounts.reserved),
    charged_usd: printUsd(amounts.charged),
    charged_this_month_usd: printUsd(amounts.monthCharged),
    operations_this_month: Object.fromEntries(counts),
  };
}

async function verify(
  { store, headsFile, headKey }: CommandDeps,
  { account, publicKeys }: LocalRequestOf<'audit.verify'>,
): Promise<unknown> {
  const names = await readAccountNames(store);
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  const own = publicKeys.length > 0 ? undefined : await headKey();
  const trustedKeys = own === undefined ? publicKeys : [own];
  const verdict = await verifyAudit({ store, headsFile, trustedKeys }, accountId);
  return {
    is_sound: verdict.isSound,
    signatures_checked: trustedKeys.length > 0,
    public_keys: trustedKeys.map((key) => Buffer.from(key).toString('hex')),
    accounts: verdict.accounts.map(({ accountId: id, records, signedUpTo, problems }) => ({
      account: names.get(id) ?? null,
      account_id: id,
      records,
      signed_up_to: signedUpTo,
      problems: problems.map(({ kind, at }) => ({ kind: inSnakeCase(kind), at })),
    })),
    damaged_lines: verdict.damagedLines,
  };
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
