import { isMethodRule, isOrigin } from '../../account/identity/api-keys/key-rules.ts';
import { isPlanName } from '../../account/plans/plan.ts';
import type { ApiKey, ListedPlan, PlanFigures, UpdateKeyRequest } from '../../../generated/account/types.ts';
import type { FieldProblem } from '../../../runtime/field-problem.ts';
import { isPrintable } from '../../../runtime/printable.ts';
import { isCidr } from '../../core/cidr.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { mistake, readNewAccount } from '../../operate/admin/admin-request.ts';
import { planFault } from '../../server/access/weigh.ts';
import { type Columns, tableOf } from '../text-table.ts';
import { type Action, type Given, local, operation, readDuration, readFuture, readSince } from './action.ts';
import { describeUsage } from './usage.ts';

/** The commands about API keys, plans and usage. */
export const KEY_ACTIONS = {
  'keys create': createKey,
  'keys update': updateKey,
  'keys list': ({ options: { account } }: Given) =>
    local({ kind: 'keys.list', account }, ({ keys }: { readonly keys: readonly ListedKey[] }) =>
      keys.length === 0 ? 'No API keys.\n' : keyTable(keys),
    ),
  'keys rotate': ({ words: [id], options }: Given) =>
    local(
      { kind: 'keys.rotate', id, overlapMs: readDuration('overlap', options) },
      ({ id: newId, key, name, replaces }: RotatedKey) =>
        `Created API key ${newId} (${name}) in place of ${replaces.id}, which is valid until ${replaces.valid_until}. Copy it now; it is not shown again:\n\n  ${key}\n\n`,
    ),
  'keys revoke': ({ words: [id = ''] }: Given) =>
    operation(
      { operation: 'revokeKey', id },
      ({ revoked_at }) => ({ id, revoked_at }),
      ({ revoked_at: revokedAt }) => `API key ${id} was revoked at ${revokedAt}.\n`,
    ),
  'plans list': () =>
    operation(
      { operation: 'listPlans' },
      (answer) => answer,
      ({ plans }) => tableOf(PLAN_COLUMNS, plans),
    ),
  'plans set': setPlan,
  'plans remove': ({ words: [word] }: Given) => {
    const name = readPlanName(word);
    return operation(
      { operation: 'deletePlan', id: name },
      ({ now = null }) => ({ name, now }),
      ({ now }) =>
        now === null
          ? `Removed the plan ${name}.\n`
          : `The plan ${name} has the figures of the specification again: ${figures(now)} for each key.\n`,
    );
  },
  'plans assign': ({ words: [account = '', word] }: Given) => {
    const describe = ({ plan }: { readonly plan: PlanFigures }) =>
      `The account ${account} has the plan ${plan.name}: ${figures(plan)} for each key.\n`;
    if (word === undefined)
      return operation({ operation: 'readAccount', account }, ({ plan }) => ({ account, plan }), describe);
    const body = { plan: readPlanName(word) };
    const request = { operation: 'setAccountPlan', account, body } as const;
    return operation(request, ({ plan }) => ({ account, plan }), describe);
  },
  usage: ({ options: { account, key: id, by, since }, nowMs }: Given) =>
    local(
      { kind: 'usage', account, id, by, sinceMs: readSince('since', since ?? '24h', nowMs) },
      describeUsage,
    ),
} satisfies Record<string, (given: Given) => Action>;

type Row = Readonly<Record<string, string | null>>;

type ListedKey = Row & {
  readonly [M in 'origins' | 'cidrs' | 'networks' | 'methods']: readonly string[];
} & { readonly [M in 'requests_per_second' | 'requests_per_day']: number | null };

type RotatedKey = Row & { readonly replaces: Row };

/** The account is created first, and its plan is read: nothing can fail after the answer with the secret. */
function createKey(given: Given): Action {
  const { options } = given;
  const { name = 'unnamed' } = options;
  if (!isPrintable(name, 100)) throw mistake('the name of a key must have 1 to 100 printable characters');
  const account = readNewAccount(options.account ?? 'default');
  const body = { name, ...readRules(given) };
  return {
    ...operation(
      { operation: 'readAccount', account, isNew: true },
      async ({ plan }, ask) => {
        const made = await ask({ operation: 'createKey', account, body });
        const rules = showRules(made);
        return {
          ...{ id: made.key_id, key: made.api_key, name, account, plan: plan.name },
          ...{ created_at: made.created_at, ...rules },
        };
      },
      ({ id, key, plan }) =>
        `Created API key ${id} (${name}, account ${account}, plan ${plan}). Copy it now; it is not shown again:\n\n  ${key}\n\n`,
    ),
    toMistake: toRuleMistake,
  };
}

function updateKey(given: Given): Action {
  const {
    words: [id = ''],
    options,
  } = given;
  const rules = readRules(given);
  if (Object.keys(rules).length === 0) throw mistake('expected an option that says what to change');
  const isDryRun = options['dry-run'] === true;
  return {
    ...operation(
      { operation: 'updateKey', id, body: { ...rules, dry_run: isDryRun } },
      ({ changes, ...key }) => ({ id, name: key.name, ...showRules(key), changes, is_saved: !isDryRun }),
      ({ name, changes }) => {
        if (changes.length === 0) return `API key ${id} (${name}) is like that already.\n`;
        const rows = changes.map(({ member, before, after }) => ({
          option: Object.entries(OPTIONS).find(([, named]) => named === member)?.[0] ?? member,
          before,
          after,
        }));
        const head = isDryRun ? 'This would change' : 'Changed';
        return `${head} API key ${id} (${name}):\n\n${tableOf(CHANGE_COLUMNS, rows)}`;
      },
    ),
    toMistake: toRuleMistake,
  };
}

const CHANGE_COLUMNS: Columns<{ readonly option: string; readonly before: string; readonly after: string }> =
  {
    RESTRICTION: 'option',
    BEFORE: 'before',
    AFTER: 'after',
  };

/** The options for restrictions, by the members of the account service. */
const OPTIONS = {
  '--origin': 'allowed_origins',
  '--cidr': 'allowed_cidrs',
  '--network': 'allowed_networks',
  '--methods': 'allowed_methods',
  '--per-second': 'requests_per_second',
  '--per-day': 'requests_per_day',
  '--expires': 'expires_at',
} as const;

/** Reads the restrictions that options name; a list of the word `any` lifts one. */
function readRules({ options, lists, nowMs }: Given): Omit<UpdateKeyRequest, 'dry_run'> {
  const { methods, expires, 'per-second': perSecond, 'per-day': perDay } = options;
  return {
    ...(lists.origin && {
      allowed_origins: readList(
        lists.origin,
        isOrigin,
        'an origin must be such as https://app.example, without a path or slash at the end',
      ),
    }),
    ...(lists.cidr && {
      allowed_cidrs: readList(lists.cidr, isCidr, 'a CIDR must be such as 10.0.0.0/8 or 2001:db8::/32'),
    }),
    // The server knows its networks.
    ...(lists.network && { allowed_networks: readList(lists.network, () => true, 'a network') }),
    ...(methods !== undefined && {
      allowed_methods: readList(
        String(methods).split(','),
        isMethodRule,
        'a method must be read, send, subscribe, or the name of a method, such as getBalance',
      ),
    }),
    ...(perSecond !== undefined && { requests_per_second: readFigure('per-second', options) }),
    ...(perDay !== undefined && { requests_per_day: readFigure('per-day', options) }),
    ...(expires !== undefined && {
      expires_at:
        expires === 'never' ? expires : new Date(readFuture('expires', expires, nowMs)).toISOString(),
    }),
  };
}

const MAX_RULES = 100;

function readList(texts: readonly string[], isGood: (text: string) => boolean, rule: string): string[] {
  if (texts.length === 1 && texts[0] === 'any') return [];
  if (texts.length > MAX_RULES) throw mistake(`expected a list of at most ${MAX_RULES}: ${rule}`);
  const bad = texts.find((text) => !isGood(text));
  if (bad !== undefined) throw mistake(`${JSON.stringify(bad)}: ${rule}`);
  return [...texts];
}

/** Returns the restrictions of a key as results show them. */
function showRules(key: Omit<ApiKey, 'state' | 'prefix'>) {
  return {
    origins: key.allowed_origins,
    cidrs: key.allowed_cidrs,
    networks: key.allowed_networks,
    methods: key.allowed_methods,
    requests_per_second: key.requests_per_second ?? null,
    requests_per_day: key.requests_per_day ?? null,
    expires_at: key.expires_at ?? null,
  };
}

/** Names the option of a restriction that the account service refuses. */
function toRuleMistake(error: ServiceError): Error {
  const [fault] = (error.context.errors ?? []) as readonly FieldProblem[];
  if (fault === undefined) return error;
  const [, member] = fault.pointer.split('/');
  const option = Object.entries(OPTIONS).find(([, named]) => named === member)?.[0];
  const value = fault.value === undefined ? '' : `, got ${String(fault.value)}`;
  return mistake(`${option ?? member} ${fault.detail}${value}`);
}

const KEY_COLUMNS: Columns<ListedKey> = {
  ID: 'id',
  PREFIX: 'prefix',
  ACCOUNT: 'account',
  PLAN: 'plan',
  NAME: 'name',
  CREATED: 'created_at',
  STATE: describeState,
};

/** The columns ALLOWED FROM and ALLOWED appear if a key is limited to places, or in its calls. */
function keyTable(keys: readonly ListedKey[]): string {
  const placesOf = ({ origins, cidrs }: ListedKey): string => [...origins, ...cidrs].join(' ');
  const callsOf = ({ networks, methods, ...key }: ListedKey): string =>
    [
      ...[...networks, ...methods],
      ...(key.requests_per_second === null ? [] : [`${key.requests_per_second}/s`]),
      ...(key.requests_per_day === null ? [] : [`${key.requests_per_day}/day`]),
    ].join(' ');
  const has = (textOf: (key: ListedKey) => string) => keys.some((key) => textOf(key) !== '');
  const columns = {
    ...(has(placesOf) && { 'ALLOWED FROM': placesOf }),
    ...(has(callsOf) && { ALLOWED: callsOf }),
  };
  return tableOf({ ...KEY_COLUMNS, ...columns }, keys);
}

/** The state of a key or token with its instant: `valid until …`, `revoked since …`. */
export function describeState({ state, expires_at: expiresAt, revoked_at: revokedAt }: Row): string {
  switch (state) {
    case 'valid':
      return expiresAt === null ? 'valid' : `valid until ${expiresAt}`;
    case 'revoked':
      return `revoked since ${revokedAt}`;
    case 'expired':
      return `expired since ${expiresAt}`;
    default:
      return String(state);
  }
}

/** Without figures the command shows the plan. */
function setPlan({ words: [word], options }: Given): Action {
  const { 'requests-per-second': rate, burst } = options;
  if (rate === undefined && burst === undefined) {
    const name = readPlanName(word);
    return operation({ operation: 'listPlans' }, ({ plans }) => findPlan(plans, name), describePlan);
  }
  const wanted = {
    requestsPerSecond: readFigure('requests-per-second', options),
    burst: readFigure('burst', options),
  };
  const fault = planFault(wanted);
  if (fault !== undefined) throw mistake(fault);
  const name = readPlanName(word);
  const body = { name, requests_per_second: wanted.requestsPerSecond, burst: wanted.burst };
  return operation({ operation: 'putPlan', body }, (plan) => plan, describePlan);
}

function readFigure(name: string, options: Given['options']): number {
  const text = options[name];
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw mistake(
    text === undefined
      ? `plans set: missing --${name} N; a plan needs --requests-per-second N and --burst N`
      : `--${name} must be a whole number, got ${JSON.stringify(text)}`,
  );
}

function readPlanName(name: string | undefined): string {
  if (name !== undefined && isPlanName(name)) return name;
  throw mistake(
    `the name of a plan must have 1 to 63 characters (a-z, 0-9, dash, underscore) and begin with a letter or digit, got ${JSON.stringify(name)}`,
  );
}

function findPlan(plans: readonly ListedPlan[], wanted: string): PlanFigures {
  const found = plans.find(({ name }) => name === wanted);
  if (found === undefined) {
    const known = plans.map(({ name }) => name).join(', ');
    throw serviceError('planNotFound', { name: wanted, known });
  }
  const { name, requests_per_second, burst, source } = found;
  return { name, requests_per_second, burst, source };
}

const PLAN_COLUMNS: Columns<ListedPlan> = {
  PLAN: 'name',
  '>REQUESTS/S': 'requests_per_second',
  '>BURST': 'burst',
  '>ACCOUNTS': 'accounts',
  'SET BY': ({ source, is_default: isDefault }) => `${SOURCES[source]}${isDefault ? ' (default)' : ''}`,
};
const SOURCES = { spec: 'specification', store: 'keyslot plans set' } as const;

function describePlan(plan: PlanFigures): string {
  return `The plan ${plan.name} allows ${figures(plan)} for each key (set by: ${SOURCES[plan.source]}).\n`;
}

function figures({ requests_per_second: rate, burst }: PlanFigures): string {
  return `${rate} requests per second with bursts of ${burst}`;
}
