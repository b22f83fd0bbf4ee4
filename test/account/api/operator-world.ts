import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { expect, onTestFinished } from 'vitest';
import { ACCOUNT_HANDLERS } from '../../../generated/account/account-handlers.ts';
import { RecordedParams } from '../../../src/account/requests/recorded-params.ts';
import { createWalletStanding } from '../../../src/account/plans/wallet-standing.ts';
import { createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';
import type { AccountAnswers, AccountHandler, AccountRequest } from '../../../generated/account/handlers.ts';
import { type OperationId, OPERATIONS } from '../../../generated/account/operations.ts';
import { type Actor, withActingStore } from '../../../src/account/setup/acting-store.ts';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { Keyring } from '../../../src/account/identity/api-keys/keyring.ts';
import { createMemberDeps, type MemberDeps } from '../../../src/account/identity/members/member-deps.ts';
import { openSessionCredentials } from '../../../src/account/identity/members/session-credentials.ts';
import type { SessionHolder } from '../../../src/account/identity/members/sessions.ts';
import { setOperates } from '../../../src/account/identity/operators.ts';
import { loadPlanBook } from '../../../src/account/plans/plans.ts';
import { type Scope, SCOPES } from '../../../src/account/identity/tokens/scopes.ts';
import { createToken } from '../../../src/account/identity/tokens/access-tokens.ts';
import { TokenRing } from '../../../src/account/identity/tokens/token-ring.ts';
import { CreateLimitBook } from '../../../src/account/plans/wallet-create-limit.ts';
import { UseLimitBook } from '../../../src/account/plans/wallet-use-limit.ts';
import type { AccountContext, AccountDeps } from '../../../src/account/api/account-context.ts';
import type { WatchedNetwork } from '../../../src/account/api/service-deps.ts';
import { measureMonth } from '../../../src/account/service-level/measure-month.ts';
import { rememberMonths } from '../../../src/account/service-level/remember-months.ts';
import { planFault } from '../../../src/server/access/weigh.ts';
import type { Store } from '../../../src/store/open-store.ts';
import type { NodeVersionStatus } from '../../../src/gateway/nodes/network/node-watch.ts';
import type { NodeStatus } from '../../../src/gateway/nodes/pool/node-status.ts';
import { allowAddresses } from '../../../src/account/webhooks/allowed-addresses.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { newInstallationKey } from '../test-installation-key.ts';
import { createPayLater } from '../../wallets/pay-later.ts';

const WELL: Omit<NodeStatus, keyof NodeVersionStatus> = {
  roles: ['read', 'send'],
  weight: 2,
  standing: 'degraded',
  reasons: ['behind by 3 slots, 1.2 s'],
  isStale: false,
  slot: 14,
  lagSlots: 3,
  lagMs: null,
  firstSlot: 2,
};

/** A network and its nodes. */
const NETWORK: WatchedNetwork = {
  name: 'solana',
  environment: 'localnet',
  label: 'solana-localnet',
  rpcPath: '/solana-localnet',
  probe: () => Promise.resolve('ready'),
  statuses: () => [
    { name: 'node-1', version: '4.4.0', featureSet: 7, isOrdered: true, isReachable: true, ...WELL },
    { name: 'node-2', version: null, featureSet: null, isOrdered: false, isReachable: false, ...WELL },
  ],
  consensus: () => ({ kind: 'alpenglow', slot: 9 }),
  pace: () => ({ slotMs: 399.6, source: 'notifications' }),
  newestSlot: () => 17,
  drift: {
    snapshot: () => [
      { node: 'node-1', kind: 'member', name: 'getSlot.result.new', count: 2, firstSeenMs: NOW_MS },
    ],
    unknownMethods: () => [{ name: 'getBalence', count: 3, firstSeenMs: NOW_MS }],
  },
};

type Sender = Actor extends infer One ? (One extends Actor ? Omit<One, 'nowMs'> : never) : never;

/** A request of an operation: what its handler reads. */
type Asked<O extends OperationId> = Partial<Pick<AccountRequest<O>, 'id' | 'body' | 'query'>>;

/** A store with an account that operates the server and a customer, and the operations as each of them calls them. */
export async function openOperatorWorld(
  store: Store,
  {
    members: given,
    bounds = { max_keys: 100, max_tokens: 100 },
    onEnd = onTestFinished,
  }: {
    readonly members?: MemberDeps;
    readonly bounds?: AccountDeps['bounds'];
    readonly onEnd?: (close: () => Promise<void>) => void;
  } = {},
) {
  const rings = { keyring: new Keyring(), tokens: new TokenRing() };
  let nowMs = NOW_MS;
  const clock = { nowMs: () => nowMs };
  const log = pino({ level: 'silent' });
  const credentials = await openSessionCredentials({ store, ownId: randomUUID(), ...rings, clock, log });
  onEnd(credentials.close);
  const installationKey = given?.installationKey ?? (await newInstallationKey());
  const members = given ?? createMemberDeps({ store, installationKey });
  const ledgers = { networks: ['solana-localnet'], startOf: () => Promise.resolve(undefined) };
  const allowedFor = () => Promise.resolve(allowAddresses([], false));
  const webhooks = { installationKey: async () => installationKey, allowedFor, ledgers };
  const [plans, limits, useLimits] = [await loadPlanBook(store), new CreateLimitBook(), new UseLimitBook()];
  const counted = { rateLimit: createMemoryRateLimit(), useRateLimit: createMemoryRateLimit() };
  const deps: AccountDeps = {
    store,
    ...rings,
    clock,
    members,
    credentials,
    mail: undefined,
    networks: [],
    webhooks,
    bounds,
    plans,
    limits,
    useLimits,
    planFault,
    watchedNetworks: [NETWORK],
    flushUsage: () => Promise.resolve(),
    flushRequests: () => Promise.resolve(),
    recordedParams: new RecordedParams(),
    flushCalls: () => Promise.resolve(),
    grpcUrlOf: () => undefined,
    measureMonth: rememberMonths((query) => measureMonth(store.db, query)),
    payLater: createPayLater(store, clock),
    refusals: { note: () => undefined },
    walletStanding: createWalletStanding({ ...counted, limits, useLimits, planOf: plans.planOf }),
  };
  const [operator, customer] = [await newCustomer(store), await newCustomer(store)];
  await setOperates(deps, { accountId: operator, operates: true });
  const wanted = { accountId: operator, name: 'ops', scopes: SCOPES, expiresAtMs: undefined };
  const { id: operatorToken } = await createToken(deps, wanted, NOW_MS);
  const { id: customerToken } = await createToken(
    deps,
    { ...wanted, accountId: customer, scopes: ['account:read'] },
    NOW_MS,
  );
  const callAs =
    (actor: Sender, scopes: readonly Scope[] = SCOPES) =>
    async <O extends OperationId>(
      operation: O,
      asked: Asked<O> = {},
    ): Promise<Extract<AccountAnswers[O], { readonly kind: 'json' }>['body']> => {
      const requestId = `req_${operation}`;
      const named =
        actor.kind === 'session' ? { memberId: actor.session.memberId } : { tokenId: actor.tokenId };
      const request = { id: '', form: 'json', body: undefined, query: undefined, ...asked };
      const handle = ACCOUNT_HANDLERS[operation] as unknown as AccountHandler<AccountContext, O>;
      const context: AccountContext = {
        ...withActingStore(deps, { ...actor, nowMs: NOW_MS }, OPERATIONS[operation].scopes),
        caller: { accountId: actor.accountId, ...named, scopes: new Set(scopes), requestId },
        session: actor.kind === 'session' ? actor.session : undefined,
        request: { requestId, nowMs: NOW_MS },
        baseUrl: 'https://keyslot.example',
        keepSession: () => undefined,
      };
      const answer = await handle(context, {
        ...request,
        twoFactorCode: undefined,
      } as AccountRequest<O>);
      if (answer.kind !== 'json') throw new Error(`${operation} is not answered as JSON`);
      return answer.body as Extract<AccountAnswers[O], { readonly kind: 'json' }>['body'];
    };
  const byToken = (accountId: string, tokenId: string): Sender => ({ kind: 'token', accountId, tokenId });
  /** The records of an account, newest first, as far as they tell what was done. */
  const recordsOf = async (accountId: string) => {
    const { records } = await listAudit(store, accountId, { limit: 100 });
    return records.map(({ action, outcome, tokenId, subject, requestId }) => ({
      action,
      outcome,
      tokenId,
      subject,
      requestId,
    }));
  };
  return {
    deps,
    operator,
    customer,
    operatorToken,
    recordsOf,
    asOperator: callAs(byToken(operator, operatorToken)),
    asCustomer: callAs(byToken(customer, customerToken)),
    /** By a token of an account, with every scope unless told otherwise. */
    asToken: (accountId: string, tokenId: string, scopes?: readonly Scope[]) =>
      callAs(byToken(accountId, tokenId), scopes),
    /** As a member, by a session as it was found. */
    asMember: (session: SessionHolder) => callAs({ kind: 'session', accountId: session.accountId, session }),
    /** As the customer, without the right to see money. */
    asViewer: callAs(byToken(customer, customerToken), ['account:read']),
    /** Sets the clock, which stands still. */
    setNow: (next: number) => {
      nowMs = next;
    },
    /** Holds that an operation on the customer is the newest record of both, with the same request. */
    expectRecorded: async (operation: OperationId, subject: string, customerAction: string) => {
      const requestId = `req_${operation}`;
      const [own] = await recordsOf(operator);
      expect(own).toEqual({
        action: operation.toLowerCase(),
        outcome: 'ok',
        tokenId: operatorToken,
        subject,
        requestId,
      });
      const [theirs] = await recordsOf(customer);
      expect(theirs).toEqual({ action: customerAction, outcome: 'ok', tokenId: null, subject, requestId });
    },
  };
}
