import { METHOD_GROUPS as CHEAT_GROUPS } from '../../../../generated/localnet/groups.ts';
import { METHOD_GROUPS, type MethodGroup } from '../../../../generated/ledger/groups.ts';
import { isSubscriptionName, SUBSCRIPTIONS } from '../../../../generated/ledger/subscriptions.ts';
import { TOPICS } from '../../../../generated/stream/topics.ts';
import { compileCidrs } from '../../../core/cidr.ts';
import type { apiKeys } from '../../../store/tables.ts';

/** The shape of a key: where it may be used, for what, how often, and until when. An empty list allows everything. */
export type KeyRules = {
  /** Values of the header Origin, such as `https://app.example`. */
  readonly origins: readonly string[];
  /** Networks of clients (`10.0.0.0/8`, `2001:db8::/32`) or single addresses. */
  readonly cidrs: readonly string[];
  /** Ledger networks, as `<name>-<environment>`. */
  readonly networks: readonly string[];
  /** Names that `isMethodRule` accepts. */
  readonly methods: readonly string[];
  /** Limits of its own, in calls; null: the plan's limit alone. */
  readonly requestsPerSecond: number | null;
  readonly requestsPerDay: number | null;
  /** A chosen end; null: none. */
  readonly endsAt: Date | null;
};

export const NO_RULES: KeyRules = {
  origins: [],
  cidrs: [],
  networks: [],
  methods: [],
  requestsPerSecond: null,
  requestsPerDay: null,
  endsAt: null,
};

type Row = typeof apiKeys.$inferSelect;

/** The columns of a key's rules. */
type RuleColumns = Pick<
  Row,
  | 'allowedOrigins'
  | 'allowedCidrs'
  | 'allowedNetworks'
  | 'allowedMethods'
  | 'requestsPerSecond'
  | 'requestsPerDay'
  | 'endsAt'
>;

/** Returns the rules in the row of a key. */
export function readRules({ allowedOrigins, allowedCidrs, ...row }: RuleColumns): KeyRules {
  const { allowedNetworks, allowedMethods, requestsPerSecond, requestsPerDay, endsAt } = row;
  return {
    origins: allowedOrigins,
    cidrs: allowedCidrs,
    networks: allowedNetworks,
    methods: allowedMethods,
    requestsPerSecond,
    requestsPerDay,
    endsAt,
  };
}

/** Returns rules as columns of a key's row. */
export function toColumns({ origins, cidrs, networks, methods, ...rules }: KeyRules): RuleColumns {
  return {
    allowedOrigins: [...origins],
    allowedCidrs: [...cidrs],
    allowedNetworks: [...networks],
    allowedMethods: [...methods],
    ...rules,
  };
}

/** Returns when a key stops working: at its chosen end, or before, when it was rotated or with the token that made it; null: at neither. */
export function endOf({ expiresAt, endsAt }: Pick<Row, 'expiresAt' | 'endsAt'>): Date | null {
  if (expiresAt === null || endsAt === null) return expiresAt ?? endsAt;
  return expiresAt < endsAt ? expiresAt : endsAt;
}

/** The reason why a request may not use a key, by its name in the catalogue. */
export type RuleBreach = 'apiKeyOriginRefused' | 'apiKeyAddressRefused' | 'apiKeyNetworkRefused';

/** Origin, address and ledger network of a request, as far as they are known. */
export type RequestSource = {
  readonly origin: string | undefined;
  readonly address: string | undefined;
  readonly network?: string | undefined;
};

/** Compiled rules; undefined if there are none. A required value that is unknown is a breach. */
export type CheckSource = (source: RequestSource) => RuleBreach | undefined;

/** True for an origin as browsers send it: scheme, host and, unless it is the default, port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

/** Compiles the rules about where a key may be used. An entry that is not a CIDR allows nothing. */
export function compileRules(rules: Partial<KeyRules>): CheckSource | undefined {
  const { origins, cidrs, networks } = { ...NO_RULES, ...rules };
  if (origins.length === 0 && cidrs.length === 0 && networks.length === 0) return undefined;
  const [knownOrigins, knownNetworks] = [new Set(origins), new Set(networks)];
  const isInside = compileCidrs(cidrs);
  return ({ origin, address, network }) => {
    if (cidrs.length > 0 && !isInside(address)) return 'apiKeyAddressRefused';
    if (networks.length > 0 && !knownNetworks.has(network ?? '')) return 'apiKeyNetworkRefused';
    return origins.length > 0 && !knownOrigins.has(origin ?? '') ? 'apiKeyOriginRefused' : undefined;
  };
}

/** A limit of one key, in calls. Its members are those of a plan's limit; `id` names its counts. */
export type KeyLimit = {
  readonly id: string;
  readonly per: 'second' | 'day';
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly burst: number;
};

/** The compiled rules about the calls of a key. */
export type CallRules = {
  /** The allowed calls; undefined: all. */
  readonly methods: ReadonlySet<string> | undefined;
  /** The rules about methods, as they were written. */
  readonly allowed: string;
  readonly limits: readonly KeyLimit[];
};

/** Compiles the rules about the calls of a key; undefined if there are none. */
export function compileCallRules(keyId: string, rules: Partial<KeyRules>): CallRules | undefined {
  const { methods, requestsPerSecond, requestsPerDay } = { ...NO_RULES, ...rules };
  const limits = [
    ...(requestsPerSecond === null ? [] : [limitOf(keyId, 'second', requestsPerSecond)]),
    ...(requestsPerDay === null ? [] : [limitOf(keyId, 'day', requestsPerDay)]),
  ];
  if (methods.length === 0 && limits.length === 0) return undefined;
  return {
    methods: methods.length === 0 ? undefined : new Set(methods.flatMap(callsOf)),
    allowed: methods.join(', '),
    limits,
  };
}

const SECONDS = { second: 1, day: 86_400 } as const;

function limitOf(keyId: string, per: KeyLimit['per'], burst: number): KeyLimit {
  return { id: `${keyId}:${per}`, per, name: `key:${per}`, requestsPerSecond: burst / SECONDS[per], burst };
}

/** The name of the calls for a topic's stream, in rules and in usage. */
export function callOfTopic(topic: string): string {
  return `Subscribe.${topic}`;
}

/** The calls of each group. Whatever subscribes is one group: over WebSocket, and to topics. */
const GROUPS: Readonly<Record<MethodGroup, readonly string[]>> = {
  read: [...METHOD_GROUPS.read, ...CHEAT_GROUPS.read],
  send: [...METHOD_GROUPS.send, ...CHEAT_GROUPS.send],
  subscribe: [
    ...METHOD_GROUPS.subscribe,
    ...['ListTopics', 'GetTopicSchema'],
    ...Object.keys(TOPICS).map(callOfTopic),
  ],
};

const CALLS: ReadonlySet<string> = new Set(Object.values(GROUPS).flat());

/** True for a group (read, send, subscribe), or the name of a method, a subscription, or a topic as `Subscribe.<topic>`. */
export function isMethodRule(text: string): boolean {
  return Object.hasOwn(GROUPS, text) || CALLS.has(text);
}

/** Returns the calls that one rule allows. Whoever may subscribe may also unsubscribe. A name of an earlier version allows nothing else. */
function callsOf(rule: string): readonly string[] {
  if (Object.hasOwn(GROUPS, rule)) return GROUPS[rule as MethodGroup];
  return isSubscriptionName(rule) ? [rule, SUBSCRIPTIONS[rule].unsubscribe] : [rule];
}
