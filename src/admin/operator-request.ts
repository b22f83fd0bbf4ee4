import { isPlanName } from '../account/plan.ts';
import type { ListPosition } from '../base/list-cursor.ts';
import { serviceError } from '../base/service-error.ts';
import { readNewAccount, readText } from './account-request.ts';
import { readLimit, readPosition } from './list-request.ts';

/** A request about accounts, who operates the server, and requests for higher limits, checked. */
export type OperatorRequest =
  | {
      readonly kind: 'accounts.create';
      readonly account: string;
      /** Undefined: the default plan. */
      readonly plan: string | undefined;
      readonly operates: boolean;
    }
  /** Newest first, behind a position. */
  | { readonly kind: 'accounts.list'; readonly after: ListPosition | undefined; readonly limit: number }
  | { readonly kind: 'accounts.operator'; readonly account: string; readonly operates: boolean }
  /** Asks whether an account operates the server. */
  | { readonly kind: 'accounts.operator.show'; readonly account: string }
  | { readonly kind: 'limits.requests' }
  | { readonly kind: 'limits.grant'; readonly id: string }
  | { readonly kind: 'limits.refuse'; readonly id: string; readonly answer: string };

type Members = Readonly<Record<string, unknown>>;
type Kind = OperatorRequest['kind'];

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const READERS: {
  readonly [K in Kind]: (members: Members) => Omit<Extract<OperatorRequest, { kind: K }>, 'kind'>;
} = {
  'accounts.create': ({ account, plan, operates }) => ({
    account: readNewAccount(account),
    plan: plan === undefined ? undefined : readPlan(plan),
    operates: operates === true,
  }),
  'accounts.list': ({ cursor, limit }) => ({
    after: cursor === undefined ? undefined : readPosition(cursor, (id) => ID.test(id)),
    limit: readLimit(limit),
  }),
  'accounts.operator': ({ account, operates }) => ({
    account: String(account),
    operates: operates === true,
  }),
  'accounts.operator.show': ({ account }) => ({ account: String(account) }),
  'limits.requests': () => ({}),
  'limits.grant': ({ id }) => ({ id: readId(id) }),
  'limits.refuse': ({ id, reason }) => ({ id: readId(id), answer: readText(reason, 'the reason') }),
};

/** True for a request about operators, by its kind. */
export function isOperatorRequest(members: Members): members is Members & { readonly kind: Kind } {
  return typeof members.kind === 'string' && Object.hasOwn(READERS, members.kind);
}

/**
 * Checks a request about accounts and their operator.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `limitRequestNotFound` for a malformed id.
 */
export function readOperatorRequest({ kind, ...members }: { readonly kind: Kind }): OperatorRequest {
  return { kind, ...READERS[kind](members) } as OperatorRequest;
}

function readPlan(plan: unknown): string {
  if (typeof plan === 'string' && isPlanName(plan)) return plan;
  throw serviceError('invalidCommand', {
    reason: `--plan must be the name of a plan, got ${JSON.stringify(plan)}`,
  });
}

function readId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw serviceError('limitRequestNotFound', { id: String(id) });
}
