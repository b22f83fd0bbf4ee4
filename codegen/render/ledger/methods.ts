import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import { HEADER, docComment, literal, memberName, quote } from '../../text.ts';

/** ledger/methods.ts: the gateway's facts about each method, as a table. */
export const renderMethods = ({ methods }: LedgerModel): Files => ({
  'ledger/methods.ts': `${HEADER}import type { ErrorName } from '../errors.ts';

export type MethodName =
${methods.map((method) => `  | ${quote(method.name)}\n`).join('')};

/** Methods that a ledger node answers. */
export type ServedUpstream = Exclude<MethodName, ServedByGateway>;

/** Methods that the gateway answers itself. */
export type ServedByGateway = ${union(methods.filter((method) => method.served === 'gateway'))};

/** Methods whose calls src/gateway/ledger/methods/<method>.ts checks, beyond what the spec can say. */
export type GuardedMethod = ${union(methods.filter((method) => method.guard))};

export type MethodInfo = {
  readonly name: MethodName;
  readonly tags: readonly string[];
  /** Given by the interface, or chosen by us. */
  readonly origin: 'given' | 'chosen';
  /** Weight of one call in the account's budget. */
  readonly cost: number;
  /** The time that an answer holds: none, a slot's time, for ever, or for ever once it is finalized and not null. */
  readonly cache: 'none' | 'slot' | 'immutable' | 'final';
  /** \`safe\`: a call that may have reached a node can be sent again. */
  readonly retry: 'safe' | 'never';
  readonly served: 'upstream' | 'gateway';
  readonly guard: boolean;
  /** Networks where the call is refused, with the error it answers. */
  readonly refusedIn: Readonly<Record<string, ErrorName>>;
  readonly minParams: number;
  readonly maxParams: number;
};

// biome-ignore format: one row per method
export const METHODS: { readonly [M in MethodName]: MethodInfo } = {
${methods.map((method) => `${docComment(method.summary)}${memberName(method.name)}: ${literal(info(method))},\n`).join('')}};

const NAMES: ReadonlySet<string> = new Set(Object.keys(METHODS));

/** True if the text is the name of a method; names are case-sensitive. */
export const isMethodName = (text: string): text is MethodName => NAMES.has(text);
`,
});

const info = (method: Method) => ({
  name: method.name,
  tags: [method.tag],
  origin: method.origin,
  cost: method.cost,
  cache: method.cache,
  retry: method.retry,
  served: method.served,
  guard: method.guard,
  refusedIn: method.refusedIn,
  minParams: method.minParams,
  maxParams: method.params.length,
});

const union = (methods: readonly Method[]): string =>
  methods.map((method) => quote(method.name)).join(' | ') || 'never';
