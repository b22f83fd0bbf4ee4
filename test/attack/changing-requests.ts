import type { OperationId } from '../../generated/account/operations.ts';
import type { SessionHolder } from '../../src/account/identity/members/sessions.ts';
import type { Store } from '../../src/store/open-store.ts';
import { inOctober } from '../account/billing/invoices/october.ts';
import { newEmail, PASSWORD } from '../account/identity/members/member-world.ts';

/** The id and body of a request of an operation. */
export type Asked = { readonly id?: string | undefined; readonly body?: unknown };
export type Call = (operation: OperationId, asked?: Asked) => Promise<Readonly<Record<string, string>>>;

/** An owner who will lose the right to act, in a fresh session. */
type Actor = {
  readonly memberId: string;
  readonly session: SessionHolder;
  /** First code of a second factor that was begun. */
  readonly draft: string;
  /** A code of the second factor. */
  readonly confirmation: string;
};

/** An account that operates the server, as another owner calls its operations, and a customer. */
type World = {
  readonly store: Store;
  readonly nowMs: number;
  readonly call: Call;
  readonly customer: string;
  readonly newActor: () => Promise<Actor>;
  /** Makes a login a member of another account. @returns its id. */
  readonly joinAnother: (session: SessionHolder) => Promise<string>;
};

/** The URL has no address. */
export const HOOK = { name: 'hook', url: 'https://keyslot.invalid/', events: [] };
const PLAN = { name: 'gold', requests_per_second: 500, burst: 2_000 };
const works = ({ nowMs }: World) => {
  const startsMs = nowMs - (nowMs % 60_000) + 3_600_000;
  const [starts_at, ends_at] = [new Date(startsMs), new Date(startsMs + 60_000)].map((at) =>
    at.toISOString(),
  );
  return { body: { starts_at, ends_at, note: 'disks' } };
};

const limitRequest = async (call: Call): Promise<Asked> => {
  const body = { limit: 'plan', wanted: 'production', reason: 'a sale' };
  return { id: (await call('requestLimit', { body })).limit_request_id ?? '' };
};
export const key = async ({ call }: World): Promise<Asked> => ({
  id: (await call('createKey', { body: { name: 'k' } })).key_id ?? '',
  body: { overlap_seconds: 0 },
});
export const webhook = async ({ call }: World): Promise<Asked> => ({
  id: (await call('createWebhook', { body: HOOK })).webhook_id ?? '',
});

/** Returns what a request asks, once what it needs is there. */
export type Prepare = (world: World, actor: Actor) => Asked | Promise<Asked>;

/** A request of each operation that changes something, which would be served. */
export const REQUESTS: Partial<Record<OperationId, Prepare>> = {
  renewBackupCodes: () => ({}),
  changeBillingSettings: () => ({ body: { notify_below_usd: ['5'] } }),
  retryDelivery: async (world) => {
    return { id: (await world.call('testWebhook', await webhook(world))).delivery_id ?? '' };
  },
  createInvitation: () => ({ body: { email: newEmail(), role: 'owner' } }),
  withdrawInvitation: async ({ call }) => {
    const made = await call('createInvitation', { body: { email: newEmail(), role: 'viewer' } });
    return { id: made.invitation_id ?? '' };
  },
  createKey: () => ({ body: { name: 'k' } }),
  revokeKey: key,
  rotateKey: key,
  updateKey: async (world) => ({ ...(await key(world)), body: { allowed_methods: ['read'] } }),
  requestLimit: () => ({ body: { limit: 'plan', wanted: 'production', reason: 'a sale' } }),
  withdrawLimitRequest: ({ call }) => limitRequest(call),
  removeMember: async ({ newActor }) => ({ id: (await newActor()).memberId }),
  changeRole: async ({ newActor }) => ({ id: (await newActor()).memberId, body: { role: 'viewer' } }),
  leaveAccount: () => ({}),
  createAccount: () => ({ body: { name: `made-${newEmail().split('@')[0]}` } }),
  setBilling: ({ customer }) => ({ id: customer, body: { mode: 'invoiced', credit_limit_usd: '5' } }),
  creditAccount: ({ customer }) => ({ id: customer, body: { amount_usd: '5', reference: newEmail() } }),
  setAccountLimits: ({ customer }) => ({ id: customer, body: { limit: 'wallet_use', requests: 9 } }),
  bookPayment: ({ customer }) => ({ id: customer, body: { amount_usd: '5', reference: newEmail() } }),
  setAccountPlan: ({ customer }) => ({ id: customer, body: { plan: 'production' } }),
  recordParams: ({ customer }) => ({ id: customer, body: { record: true } }),
  createAccountSetupLink: ({ customer }) => ({ id: customer }),
  issueCreditNote: async ({ store, call }) => {
    const { invoiced, charged, close } = inOctober(() => store);
    await charged(await invoiced(), 'wallet_creation', 10_000);
    await close();
    const { invoices } = (await call('listAllInvoices', { query: { limit: 1 } } as Asked)) as unknown as {
      readonly invoices: readonly { readonly number: string }[];
    };
    return {
      id: invoices[0]?.number ?? '',
      body: { amount_usd: '1', reason: 'kindness', reference: newEmail() },
    };
  },
  grantLimitRequest: ({ call }) => limitRequest(call),
  refuseLimitRequest: async ({ call }) => ({ ...(await limitRequest(call)), body: { reason: 'no' } }),
  announceWork: works,
  cancelWork: async (world) => ({ id: (await world.call('announceWork', works(world))).work_id ?? '' }),
  putPlan: () => ({ body: PLAN }),
  deletePlan: async ({ call }) => ({ id: (await call('putPlan', { body: PLAN })).name ?? '' }),
  changePassword: () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}, again` } }),
  beginSecondFactor: () => ({ body: { password: PASSWORD } }),
  enrolSecondFactor: (_world, { draft }) => ({ body: { code: draft } }),
  signOut: () => ({}),
  switchAccount: async ({ joinAnother }, { session }) => ({
    body: { account_id: await joinAnother(session) },
  }),
  confirmSecondFactor: (_world, { confirmation }) => ({ body: { code: confirmation } }),
  createCredentials: () => ({}),
  endOtherSessions: () => ({}),
  endSession: (_world, { session }) => ({ id: session.sessionId }),
  createToken: () => ({ body: { name: 't', scopes: ['wallets:read'] } }),
  revokeToken: async ({ call }) => {
    const made = await call('createToken', { body: { name: 't', scopes: ['wallets:read'] } });
    return { id: made.token_id ?? '' };
  },
  createWebhook: () => ({ body: HOOK }),
  deleteWebhook: webhook,
  updateWebhook: async (world) => ({ ...(await webhook(world)), body: { name: 'other' } }),
  replayWebhook: async (world) => ({ ...(await webhook(world)), body: { from_seq: 1 } }),
  rotateWebhookSecret: async (world) => ({ ...(await webhook(world)), body: { overlap_seconds: 0 } }),
  testWebhook: webhook,
};
