import { DEFAULT_LIMIT } from '../account/list-page.ts';
import { parseDuration } from './duration.ts';
import { serviceError } from '../base/service-error.ts';
import type { RunnableName } from './parse-command-line.ts';
import type { GivenArguments } from './read-arguments.ts';
import { readFuture, readSince } from './read-since.ts';

/** The commands that a server is given, or its store where no server runs. */
export type ServerCommandName = Exclude<
  RunnableName,
  | 'serve'
  | 'localnet'
  | 'mock'
  | 'contract'
  | 'listen'
  | 'bill fetch'
  | 'bill verify'
  | 'lab run'
  | 'lab verify'
  | 'hsm check'
  | 'doctor'
  | 'backup key'
  | 'backup create'
  | 'backup verify'
  | 'restore'
  | 'store move'
  | 'completion'
>;

/** A request of the admin protocol, before it is checked. */
export type ServerRequest = Readonly<Record<string, unknown>> & { readonly kind: string };

type Given = GivenArguments & { readonly nowMs: number };

const REQUESTS: { readonly [N in ServerCommandName]: (given: Given) => ServerRequest } = {
  nodes: () => ({ kind: 'nodes' }),
  'keys create': ({ options: { name, account }, lists: { origin: origins, cidr: cidrs } }) => ({
    ...{ kind: 'keys.create', name, account, rules: { origins, cidrs } },
  }),
  'keys list': ({ options: { account } }) => ({ kind: 'keys.list', account }),
  'keys rotate': ({ words: [id], options }) => ({
    ...{ kind: 'keys.rotate', id, overlapMs: readDuration('overlap', options) },
  }),
  'keys revoke': ({ words: [id] }) => ({ kind: 'keys.revoke', id }),
  'plans list': () => ({ kind: 'plans.list' }),
  'plans set': planRequest,
  'plans remove': ({ words: [name] }) => ({ kind: 'plans.remove', name }),
  'plans assign': ({ words: [account, plan] }) =>
    plan === undefined ? { kind: 'plans.assigned', account } : { kind: 'plans.assign', account, plan },
  usage: ({ options: { account, key: id, by, since }, nowMs }) => ({
    ...{ kind: 'usage', account, id, by, sinceMs: readSince('since', since ?? '24h', nowMs) },
  }),
  'setup-link': ({ words: [account] }) => ({ kind: 'members.setup-link', account }),
  'members list': ({ words: [account] }) => ({ kind: 'members.list', account }),
  'members reset': ({ words: [account, email] }) => ({ kind: 'members.reset', account, email }),
  'tokens create': ({ options, lists: { scope: scopes } }) => {
    const { name, account } = options;
    return { kind: 'tokens.create', name, account, scopes, expiresInMs: readDuration('expires', options) };
  },
  'tokens list': ({ options: { account } }) => ({ kind: 'tokens.list', account }),
  'tokens revoke': ({ words: [id] }) => ({ kind: 'tokens.revoke', id }),
  balance: ({ words: [account] }) => ({ kind: 'money.balance', account }),
  credit: ({ words: [account, amountUsd], options: { note } }) => ({
    ...{ kind: 'money.credit', account, amountUsd, note },
  }),
  billing: billingRequest,
  'invoices list': ({ options }) => ({
    ...{ kind: 'invoices.list', account: options.account, ...pageMembers(options) },
  }),
  'invoices show': ({ words: [number] }) => ({ kind: 'invoices.show', number }),
  'invoices credit': ({ words: [number, amountUsd], options: { reason, reference } }) => ({
    ...{ kind: 'invoices.credit', number, amountUsd, reason, reference },
  }),
  statements: ({ words: [account] }) => ({ kind: 'statements', account }),
  notices: noticesRequest,
  'wallet-limit': (given) => limitRequest('wallet-limit', 'per-minute', given),
  'wallet-use-limit': (given) => limitRequest('wallet-use-limit', 'per-second', given),
  'accounts create': ({ words: [account], options: { plan, operator: operates } }) => ({
    ...{ kind: 'accounts.create', account, plan, operates },
  }),
  'accounts list': ({ options }) => ({ kind: 'accounts.list', ...pageMembers(options) }),
  'accounts operator': operatorRequest,
  'limits requests': () => ({ kind: 'limits.requests' }),
  'limits grant': ({ words: [id] }) => ({ kind: 'limits.grant', id }),
  'limits refuse': ({ words: [id], options: { reason } }) => ({ kind: 'limits.refuse', id, reason }),
  'webhooks list': ({ words: [account] }) => ({ kind: 'webhooks.list', account }),
  'webhooks create': ({ words: [account], options, lists: { event: events, ...lists } }) => {
    const { name, url, ordered, network, commitment } = options;
    const ledger = { network, commitment, ...lists };
    return { kind: 'webhooks.create', account, name, url, events, ordered, ledger };
  },
  'webhooks set': webhookRequest,
  'webhooks rotate': ({ words: [id], options }) => ({
    ...{ kind: 'webhooks.rotate', id, overlapMs: readDuration('overlap', options) },
  }),
  'webhooks replay': ({ words: [id], options: { from } }) => ({
    ...{ kind: 'webhooks.replay', id, fromSeq: from === undefined ? undefined : readCount(String(from)) },
  }),
  'webhooks test': ({ words: [id] }) => ({ kind: 'webhooks.test', id }),
  'webhooks delete': ({ words: [id] }) => ({ kind: 'webhooks.delete', id }),
  availability: ({ words: [account] }) => ({ kind: 'availability', account }),
  'planned-work list': () => ({ kind: 'planned-work.list' }),
  'planned-work announce': workRequest,
  'planned-work cancel': ({ words: [id] }) => ({ kind: 'planned-work.cancel', id }),
  'two-factor enrol': ({ words: [account] }) => ({ kind: 'two-factor.enrol', account }),
  'two-factor remove': ({ words: [account] }) => ({ kind: 'two-factor.remove', account }),
  'two-factor unlock': ({ words: [account] }) => ({ kind: 'two-factor.unlock', account }),
  entries: (given) => ({ kind: 'entries.list', ...listMembers(given) }),
  'audit list': (given) => {
    const { action, outcome, wallet: walletId, token: tokenId } = given.options;
    return { kind: 'audit.list', ...listMembers(given), action, outcome, walletId, tokenId };
  },
  'audit verify': ({ options: { account }, lists: { 'public-key': publicKeys } }) => ({
    ...{ kind: 'audit.verify', account, publicKeys },
  }),
  'signer rotate-master': () => ({ kind: 'signer.rotate-master' }),
  'signer adopt': () => ({ kind: 'signer.adopt' }),
};

/**
 * The request that asks a server for what a command says. A setter without its value asks for what is set.
 *
 * @throws ServiceError `invalidCommand`.
 */
export function serverRequest(name: ServerCommandName, given: Given): ServerRequest {
  return REQUESTS[name](given);
}

/** The first page that may be needed. */
function listMembers({ words: [account], options, nowMs }: Given) {
  const { since, until } = options;
  const instant = (name: string, value: unknown) =>
    value === undefined ? undefined : readSince(name, value, nowMs);
  return {
    ...{ account, sinceMs: instant('since', since), untilMs: instant('until', until) },
    ...pageMembers(options),
  };
}

function pageMembers({ limit, cursor }: Given['options']) {
  return { cursor, limit: limit === undefined ? DEFAULT_LIMIT : readCount(String(limit)) };
}

/** Text that is no whole number stays as it is, to be refused with the others. */
function readCount(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function webhookRequest({ words: [id], options: { on, off } }: Given): ServerRequest {
  if ((on === true) === (off === true))
    throw serviceError('invalidCommand', { reason: 'give --on or --off' });
  return { kind: 'webhooks.set', id, isActive: on === true };
}

function workRequest({ options, nowMs }: Given): ServerRequest {
  const startMs = readFuture('from', options.from, nowMs);
  const durationMs = readDuration('for', options);
  if (durationMs === undefined)
    throw mistake('planned-work announce: missing --for DURATION, such as 90m or 2h');
  return { kind: 'planned-work.announce', startMs, endMs: startMs + durationMs, note: options.note };
}

function planRequest({ words: [name], options }: Given): ServerRequest {
  const { 'requests-per-second': rate, burst } = options;
  if (rate === undefined && burst === undefined) return { kind: 'plans.show', name };
  const requestsPerSecond = readFigure('requests-per-second', options);
  return { kind: 'plans.set', name, requestsPerSecond, burst: readFigure('burst', options) };
}

function billingRequest({ words: [account], options }: Given): ServerRequest {
  const { 'credit-limit': creditLimitUsd } = options;
  const chosen = Object.entries(BILLING_MODES).filter(([option]) => options[option] === true);
  const [[, mode] = []] = chosen;
  if (chosen.length === 0 && creditLimitUsd === undefined) return { kind: 'money.balance', account };
  const hasLimit = creditLimitUsd !== undefined;
  const isComplete = mode === 'prepaid' ? !hasLimit : mode !== 'invoiced' || hasLimit;
  if (chosen.length === 1 && isComplete) return { kind: 'billing.set', account, mode, creditLimitUsd };
  throw mistake(
    'billing: expected --by-volume, with --credit-limit USD if it has one, --invoiced with --credit-limit USD, or --prepaid',
  );
}

const BILLING_MODES = { 'by-volume': 'by_volume', invoiced: 'invoiced', prepaid: 'prepaid' } as const;

function noticesRequest({ words: [account], options, lists: { below } }: Given): ServerRequest {
  if (options.none === true && below !== undefined)
    throw mistake('notices: expected either --below USD or --none, got both');
  if (options.none !== true && below === undefined) return { kind: 'notices.show', account };
  return { kind: 'notices.set', account, belowUsd: below ?? [] };
}

function operatorRequest({ words: [account], options: { on, off } }: Given): ServerRequest {
  if (on === true && off === true)
    throw mistake('accounts operator: expected either --on or --off, got both');
  if (on === undefined && off === undefined) return { kind: 'accounts.operator.show', account };
  return { kind: 'accounts.operator', account, operates: on === true };
}

/** `requests` undefined: return to the default. */
function limitRequest(kind: string, option: string, { words: [account], options }: Given): ServerRequest {
  const figure = options[option];
  if (figure === undefined && options.default !== true) return { kind: `${kind}.show`, account };
  if (figure !== undefined && options.default === true)
    throw mistake(`${kind}: expected either --${option} N or --default, got both`);
  return { kind, account, requests: figure === undefined ? undefined : Number(figure) };
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

function readDuration(name: string, options: Given['options']): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const durationMs = parseDuration(String(text));
  if (durationMs !== undefined) return durationMs;
  throw mistake(`--${name} must be a duration such as 90s, 30m, 12h or 7d, got ${JSON.stringify(text)}`);
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
