import { PROTOCOLS } from '../../core/request-id.ts';
import { USAGE_GROUPS } from '../../account/usage/usage-groups.ts';
import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { ACCOUNT, LIST_OPTIONS, PLAN, OF_ACCOUNT, SERVER_OPTIONS } from './options.ts';

/** The restrictions of an API key. */
const RULES = [
  {
    name: 'methods',
    value: 'LIST',
    summary: 'Accept only these methods: groups (read, send, subscribe) and names, with commas; any: all',
  },
  { name: 'per-second', value: 'N', summary: 'Accept N calls a second, below the plan; 0: as the plan' },
  { name: 'per-day', value: 'N', summary: 'Accept N calls in 24 hours; 0: as the plan' },
  {
    name: 'expires',
    value: 'TIME',
    summary: 'End date, such as 2027-01-01, or a duration from now, such as 90d; never: none',
  },
  {
    name: 'network',
    value: 'NETWORK',
    summary: 'Accept only requests to this ledger network, such as solana-devnet; any: all',
    isRepeatable: true,
  },
  {
    name: 'origin',
    value: 'ORIGIN',
    summary: 'Accept only requests with this Origin header, such as https://app.example; any: all',
    isRepeatable: true,
  },
  {
    name: 'cidr',
    value: 'CIDR',
    summary: 'Accept only requests from this network, such as 10.0.0.0/8; any: all',
    isRepeatable: true,
  },
] as const satisfies readonly OptionSpec[];

/** API keys, plans and usage. */
export const KEY_COMMANDS = [
  {
    name: 'keys create',
    group: 'API keys, plans and usage',
    summary: 'Create an API key (it is shown only once)',
    args: [],
    options: [
      { name: 'name', value: 'TEXT', summary: 'What the key is for', fallback: 'unnamed' },
      {
        name: 'account',
        value: 'NAME',
        summary: 'Account that owns the key; created if it does not exist',
        fallback: 'default',
      },
      ...RULES,
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot keys create --name web --account acme',
      'keyslot keys create --origin https://app.example --cidr 10.0.0.0/8',
      'keyslot keys create --methods read,sendTransaction --per-second 5 --per-day 1000 --expires 90d',
    ],
  },
  {
    name: 'keys list',
    group: 'API keys, plans and usage',
    summary: 'List API keys (secrets are never shown)',
    args: [],
    options: [OF_ACCOUNT, ...SERVER_OPTIONS],
    examples: ['keyslot keys list', 'keyslot keys list --account acme --json'],
  },
  {
    name: 'keys update',
    group: 'API keys, plans and usage',
    summary: 'Change what an API key may be used for',
    details: [
      'What is not named stays as it is. The command shows the differences; with --dry-run it changes nothing.',
      'Open WebSocket connections and streams that the key no longer allows are closed.',
    ],
    args: [{ name: 'ID', summary: 'Id of the key, as keyslot keys list shows it' }],
    options: [
      ...RULES,
      { name: 'dry-run', summary: 'Show what would change, and change nothing' },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot keys update 4f8b1d0e-0000-4000-8000-000000000000 --methods read --per-day 500 --dry-run',
      'keyslot keys update 4f8b1d0e-0000-4000-8000-000000000000 --methods any --expires never',
    ],
  },
  {
    name: 'keys rotate',
    group: 'API keys, plans and usage',
    summary: 'Replace an API key with a new one (it is shown only once)',
    details: ['The old key stays valid for the overlap. The new key takes over its restrictions.'],
    args: [{ name: 'ID', summary: 'Id of the key, as keyslot keys list shows it' }],
    options: [
      {
        name: 'overlap',
        value: 'DURATION',
        summary: 'How long the old key stays valid: 0s to 30d',
        fallback: '24h',
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot keys rotate 4f8b1d0e-0000-4000-8000-000000000000 --overlap 1h'],
  },
  {
    name: 'keys revoke',
    group: 'API keys, plans and usage',
    summary: 'Revoke an API key, immediately and permanently',
    args: [{ name: 'ID', summary: 'Id of the key, as keyslot keys list shows it' }],
    options: SERVER_OPTIONS,
    examples: ['keyslot keys revoke 4f8b1d0e-0000-4000-8000-000000000000'],
  },
  {
    name: 'plans list',
    group: 'API keys, plans and usage',
    summary: 'List the plans and the number of accounts on each',
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot plans list'],
  },
  {
    name: 'plans set',
    group: 'API keys, plans and usage',
    summary: 'Set or show a plan',
    details: [
      'With both figures it creates or changes the plan; without them it shows the plan.',
      'A plan limits each API key of an account. Calls count by their weight, 1 to 20. Changes apply from the next request on.',
    ],
    args: [PLAN],
    options: [
      { name: 'requests-per-second', value: 'N', summary: 'Weight of calls per second, on average' },
      { name: 'burst', value: 'N', summary: 'Weight of calls at once' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot plans set gold --requests-per-second 500 --burst 2000', 'keyslot plans set gold'],
  },
  {
    name: 'plans remove',
    group: 'API keys, plans and usage',
    summary: 'Remove a plan, or restore the figures of the specification',
    args: [PLAN],
    options: SERVER_OPTIONS,
    examples: ['keyslot plans remove gold'],
  },
  {
    name: 'plans assign',
    group: 'API keys, plans and usage',
    summary: 'Set or show the plan of an account',
    args: [ACCOUNT, { ...PLAN, name: 'PLAN', isOptional: true }],
    options: SERVER_OPTIONS,
    examples: ['keyslot plans assign acme gold', 'keyslot plans assign acme'],
  },
  {
    name: 'usage',
    group: 'API keys, plans and usage',
    summary: 'Show the number of calls, errors, pushed messages and wallet operations',
    details: [
      'A subscription and a stream count as one call each. The messages that they push are counted separately and have no weight; grouped by method, notifications appear under their subscribe call, and messages of a topic as Subscribe.<topic>. Wallet operations come from the audit log and the books. They are grouped by token where calls are grouped by key, by operation where calls are grouped by method, and by time; they belong to no network and no API key. Their cost is not known by token, because the books do not contain tokens; a free operation has no units.',
    ],
    args: [],
    options: [
      OF_ACCOUNT,
      { name: 'key', value: 'ID', summary: 'Only calls of this API key' },
      {
        name: 'since',
        value: 'TIME',
        summary: 'Start: 30m, 24h or 7d ago, or an instant such as 2025-01-31T12:00Z',
        fallback: '24h',
      },
      {
        name: 'by',
        value: 'GROUP',
        summary: `Group by ${USAGE_GROUPS.slice(0, -1).join(', ')} or ${USAGE_GROUPS.at(-1)}`,
        fallback: 'key',
        values: USAGE_GROUPS,
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot usage', 'keyslot usage --account acme --since 7d --by method'],
  },
  {
    name: 'requests',
    group: 'API keys, plans and usage',
    summary: 'List single requests of an account, newest first, or follow them',
    details: [
      'A few requests a second are kept, and as many that fail, for some days: the settings request_log.* say how many. What is kept is the time, method, caller, outcome, duration, bytes, node and the id that the answer carries, but no params and no results. See keyslot accounts params for an exception.',
    ],
    args: [ACCOUNT],
    options: [
      {
        name: 'follow',
        summary: 'Print requests as they come, until Ctrl-C; with --json one line of JSON each',
      },
      { name: 'id', value: 'ID', summary: 'Only this request: the id in x-request-id of its answer' },
      { name: 'protocol', value: 'NAME', summary: `Only ${PROTOCOLS.join(', ')}`, values: PROTOCOLS },
      { name: 'network', value: 'NAME', summary: 'Only calls to this network, such as solana-mainnet' },
      { name: 'method', value: 'NAME', summary: 'Only this method or operation' },
      { name: 'caller', value: 'ID', summary: 'Only this API key, access token or member' },
      { name: 'ok', summary: 'Only requests that succeeded' },
      { name: 'failed', summary: 'Only requests that failed' },
      { name: 'status', value: 'N', summary: 'Only this HTTP status' },
      { name: 'error', value: 'CODE', summary: 'Only this error, such as rate_limited' },
      { name: 'node', value: 'NAME', summary: 'Only requests that this ledger node answered' },
      { name: 'slower-than', value: 'MS', summary: 'Only requests that took this many milliseconds or more' },
      { name: 'larger-than', value: 'BYTES', summary: 'Only answers with this many bytes or more' },
      ...LIST_OPTIONS,
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot requests acme --failed --since 1h',
      'keyslot requests acme --follow --method sendTransaction',
      'keyslot requests acme --id req_AJ3vENdgzCgJ5k5ffBdr8x --json',
    ],
  },
] as const satisfies readonly CommandSpec[];
