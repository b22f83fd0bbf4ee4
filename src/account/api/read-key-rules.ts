import type { UpdateKeyRequest } from '../../../generated/account/types.ts';
import type { FieldProblem } from '../../../runtime/field-problem.ts';
import { isCidr } from '../../core/cidr.ts';
import { serviceError } from '../../core/service-error.ts';
import { isMethodRule, isOrigin, type KeyRules } from '../identity/api-keys/key-rules.ts';
import type { OperationContext } from './account-context.ts';
import { readInstant } from './read-span.ts';

const SECONDS_OF_DAY = 86_400;

/**
 * Reads the rules that a body sets for a key of the caller's account.
 *
 * @throws ServiceError `bodyInvalid` with each rule that cannot be, and why.
 */
export function readKeyRules(
  { caller, clock, plans, webhooks }: OperationContext,
  body: Omit<UpdateKeyRequest, 'dry_run'>,
): Partial<KeyRules> {
  const { allowed_origins: origins, allowed_cidrs: cidrs, allowed_networks: networks } = body;
  const { allowed_methods: methods, requests_per_second: perSecond, requests_per_day: perDay } = body;
  const plan = plans.planOf(caller.accountId);
  const atMost = (member: string, value: number | undefined, limit: number): readonly FieldProblem[] =>
    value === undefined || value <= limit
      ? []
      : [
          {
            pointer: `/${member}`,
            detail: `must be at most ${limit}, as the plan ${plan.name} allows`,
            limit,
            value,
          },
        ];
  const known = networks === undefined || networks.length === 0 ? [] : webhooks.ledgers.networks;
  const end = body.expires_at === undefined ? undefined : readEnd(body.expires_at, clock.nowMs());
  const errors = [
    ...invalidItems('allowed_origins', origins, isOrigin, 'must be an origin, such as https://app.example'),
    ...invalidItems('allowed_cidrs', cidrs, isCidr, 'must be an address or a network, such as 10.0.0.0/8'),
    ...invalidItems(
      'allowed_networks',
      networks,
      (network) => known.includes(network),
      `must be one of ${known.join(', ')}`,
    ),
    ...invalidItems(
      'allowed_methods',
      methods,
      isMethodRule,
      'must be read, send, subscribe, or the name of a method, such as getBalance',
    ),
    ...atMost('requests_per_second', perSecond, plan.requestsPerSecond),
    ...atMost('requests_per_day', perDay, plan.requestsPerSecond * SECONDS_OF_DAY),
    ...(typeof end === 'string' ? [{ pointer: '/expires_at', detail: end }] : []),
  ];
  if (errors.length > 0) throw serviceError('bodyInvalid', { errors });
  return {
    ...(origins && { origins: distinct(origins) }),
    ...(cidrs && { cidrs: distinct(cidrs) }),
    ...(networks && { networks: distinct(networks) }),
    ...(methods && { methods: distinct(methods) }),
    ...(perSecond !== undefined && { requestsPerSecond: perSecond || null }),
    ...(perDay !== undefined && { requestsPerDay: perDay || null }),
    ...(end !== undefined && typeof end !== 'string' && { endsAt: end }),
  };
}

/** RFC 3339 in UTC. */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** Returns the end that a text names, null for none, or what is wrong with it. */
function readEnd(text: string, nowMs: number): Date | null | string {
  if (text === 'never') return null;
  const end = UTC.test(text) ? readInstant(text) : undefined;
  if (end === undefined) return 'must be never, or a date and time such as 2027-01-01T00:00:00.000Z';
  return end.getTime() > nowMs ? end : 'must be in the future';
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function invalidItems(
  member: string,
  texts: readonly string[] = [],
  fits: (text: string) => boolean,
  detail: string,
): readonly FieldProblem[] {
  return texts.flatMap((text, index) => (fits(text) ? [] : [{ pointer: `/${member}/${index}`, detail }]));
}
