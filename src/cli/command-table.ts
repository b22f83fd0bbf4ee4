// The table of commands: help, parsing and completion come from it. Where a new command is run, the compiler says.
import { AUDIT_ACTIONS } from '../../generated/account/events.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../account/list-page.ts';
import { SCOPES } from '../account/tokens/scopes.ts';
import { USAGE_GROUPS } from '../account/usage-group.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command-spec.ts';
import { LOCALNET_SETTING_OPTIONS, SETTING_OPTIONS } from './setting-options.ts';

/** The shells that `keyslot completion` writes for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

const ACCOUNT: ArgumentSpec = {
  name: 'ACCOUNT',
  summary: 'Name of the account; the development account is called development',
};
const EMAIL: ArgumentSpec = { name: 'EMAIL', summary: 'Email that the member signs in with' };
const WEBHOOK: ArgumentSpec = { name: 'ID', summary: 'Id of the webhook, as keyslot webhooks list shows it' };
const PLAN: ArgumentSpec = { name: 'NAME', summary: 'Name of the plan, as keyslot plans list shows it' };
const OF_ACCOUNT: OptionSpec = { name: 'account', value: 'NAME', summary: 'Only those of this account' };

/** The options that choose the server a command acts on, and the form of its output. */
const SERVER_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'config',
    value: 'FILE',
    summary: 'Configuration file of the server, as given to keyslot serve',
    path: 'file',
  },
  {
    name: 'data-dir',
    value: 'DIR',
    summary: 'Data directory of the server, in place of KEYSLOT_DATA_DIR',
    fallback: '.keyslot',
    path: 'directory',
  },
  { name: 'json', summary: 'Print the result as one line of JSON' },
];

/** The options of a list. */
const LIST_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'since',
    value: 'TIME',
    summary: 'Start: 30m, 24h or 7d ago, or an instant such as 2025-01-31T12:00Z',
  },
  { name: 'until', value: 'TIME', summary: 'End, which is not included itself; given as --since' },
  {
    name: 'limit',
    value: 'N',
    summary: `Most entries to print: 1 to ${MAX_LIMIT}`,
    fallback: `${DEFAULT_LIMIT}, with --jsonl all`,
  },
  { name: 'cursor', value: 'CURSOR', summary: 'Go on behind a page: its next_cursor' },
  { name: 'jsonl', summary: 'Print each entry as one line of JSON' },
];

const READY_JSON: OptionSpec = {
  name: 'json',
  summary: 'Print the addresses as one line of JSON when ready',
};
const HOST: OptionSpec = {
  name: 'host',
  value: 'ADDRESS',
  summary: 'Address to listen on',
  fallback: '127.0.0.1',
};

/** Every command, in the order in which help lists them. */
export const COMMANDS = [
  {
    name: 'serve',
    group: 'Servers',
    summary: 'Start the server',
    details: [
      'Runs until SIGTERM or SIGINT. Without a configured ledger node it starts an embedded ledger.',
      'Without --config it also makes a development account and writes its API key, access token and password to dev.json of the data directory.',
    ],
    args: [],
    options: [
      { name: 'config', value: 'FILE', summary: 'Settings as YAML or JSON', path: 'file' },
      READY_JSON,
      ...SETTING_OPTIONS,
    ],
    examples: [
      'keyslot serve',
      'keyslot serve --config keyslot.yaml',
      'keyslot serve --upstream-url https://node.example --http-port 9000',
    ],
  },
  {
    name: 'localnet',
    group: 'Servers',
    summary: 'Start the embedded ledger alone, without API keys',
    details: [
      'Runs until SIGTERM or SIGINT and keeps nothing afterwards. WebSocket is served on the same port and on the next one.',
    ],
    args: [],
    options: [
      { name: 'rpc-port', value: 'N', summary: 'Port of JSON-RPC; 0 takes any free port', fallback: '8899' },
      HOST,
      ...LOCALNET_SETTING_OPTIONS,
      READY_JSON,
    ],
    examples: ['keyslot localnet', 'keyslot localnet --rpc-port 0 --slot-ms 400 --json'],
  },
  {
    name: 'mock',
    group: 'Servers',
    summary: 'Start mocks that answer from the examples of the specification',
    details: [
      'The mock of the wallet service and the account service needs @stoplight/prism-cli, which a checkout has.',
    ],
    args: [],
    options: [
      { name: 'port', value: 'N', summary: 'Port of the ledger; 0 takes any free port', fallback: '8899' },
      {
        name: 'wallets-port',
        value: 'N',
        summary: 'Port of the wallet service and the account service',
        fallback: "the ledger's port + 1",
      },
      { name: 'grpc-port', value: 'N', summary: 'Port of the stream service', fallback: '50051' },
      HOST,
      READY_JSON,
    ],
    examples: ['keyslot mock', 'keyslot mock --port 9000 --json'],
  },
  {
    name: 'contract',
    group: 'Servers',
    summary: 'Check that a server or a ledger node conforms to the specification',
    details: [
      'Only reads, unless --allow-writes is given. The exit code is 0 when nothing differs and no requested method is missing, 1 when something does, and 2 when the server cannot be checked or its rate limit leaves cases out.',
      'Secrets can be given in KEYSLOT_CONTRACT_APIKEY, KEYSLOT_CONTRACT_TOKEN, KEYSLOT_CONTRACT_TOTP and KEYSLOT_CONTRACT_SESSION instead, where other users of the machine cannot list them.',
    ],
    args: [],
    options: [
      {
        name: 'url',
        value: 'URL',
        summary: 'JSON-RPC address of the server (required unless --grpc is given)',
      },
      { name: 'apikey', value: 'KEY', summary: 'API key, sent as the query parameter apikey' },
      { name: 'ws', summary: 'Check subscriptions too, over WebSocket at the same address' },
      { name: 'ws-url', value: 'URL', summary: 'Check subscriptions at this WebSocket address' },
      {
        name: 'grpc',
        value: 'URL',
        summary: 'Check the topic streams at this address; without --url, only them',
      },
      {
        name: 'token',
        value: 'TOKEN',
        summary:
          'Access token: check the wallet service too, and the account service if the token may read it; without --apikey, only them',
      },
      {
        name: 'totp',
        value: 'SECRET',
        summary: "Second factor of the token's account, in base32: check the destruction of wallets too",
      },
      {
        name: 'session',
        value: 'SESSION',
        summary: 'Session of a member, the value of its cookie: check what only members may do too',
      },
      { name: 'account', summary: 'Check the account service even if the token may not read it' },
      {
        name: 'allow-writes',
        summary:
          "Request airdrops, send transactions, create wallets with the token's money, and create and revoke API keys and access tokens",
      },
      { name: 'rate', value: 'N', summary: 'Most calls per second', fallback: 'no limit' },
      { name: 'json', summary: 'Print the report as JSON' },
      { name: 'junit', value: 'FILE', summary: 'Write the report to a file as JUnit XML too', path: 'file' },
    ],
    examples: [
      'keyslot contract --url http://127.0.0.1:8899',
      'keyslot contract --url https://node.example --ws --rate 10 --junit report.xml',
    ],
  },
  {
    name: 'nodes',
    group: 'Servers',
    summary: 'Show the ledger nodes of the running server, their versions and slot lengths',
    details: ['It also lists methods and fields that the nodes have and the specification does not.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot nodes', 'keyslot nodes --json'],
  },
  {
    name: 'accounts create',
    group: 'Accounts',
    summary: 'Create an account without keys and tokens',
    args: [{ name: 'NAME', summary: 'Name of the account' }],
    options: [
      { name: 'plan', value: 'PLAN', summary: 'Its plan', fallback: 'the default plan' },
      { name: 'operator', summary: 'The account operates this server' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot accounts create acme --plan production', 'keyslot accounts create staff --operator'],
  },
  {
    name: 'accounts operator',
    group: 'Accounts',
    summary: 'Set or show whether an account operates this server',
    details: [
      'Only tokens of an account that operates the server can have the scopes operator:read, operator:manage and operator:payments; they count only while it does. Without options it shows whether it does.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'on', summary: 'The account operates this server' },
      { name: 'off', summary: 'The account does not; the scopes of an operator count no longer' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot accounts operator staff --on', 'keyslot accounts operator staff'],
  },
  {
    name: 'limits requests',
    group: 'Accounts',
    summary: 'List the open requests of accounts for higher limits, newest first',
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot limits requests'],
  },
  {
    name: 'limits grant',
    group: 'Accounts',
    summary: 'Grant a request for a higher limit, and set the limit',
    args: [{ name: 'ID', summary: 'Id of the request, as keyslot limits requests shows it' }],
    options: SERVER_OPTIONS,
    examples: ['keyslot limits grant 4f8b1d0e-0000-4000-8000-000000000000'],
  },
  {
    name: 'limits refuse',
    group: 'Accounts',
    summary: 'Refuse a request for a higher limit',
    args: [{ name: 'ID', summary: 'Id of the request, as keyslot limits requests shows it' }],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'Why, for the account to read (required)' },
      ...SERVER_OPTIONS,
    ],
    examples: ["keyslot limits refuse 4f8b1d0e-0000-4000-8000-000000000000 --reason 'ask again in May'"],
  },
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
      {
        name: 'origin',
        value: 'ORIGIN',
        summary: 'Accept only requests with this Origin header, such as https://app.example',
        isRepeatable: true,
      },
      {
        name: 'cidr',
        value: 'CIDR',
        summary: 'Accept only requests from this network, such as 10.0.0.0/8',
        isRepeatable: true,
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot keys create --name web --account acme',
      'keyslot keys create --origin https://app.example --cidr 10.0.0.0/8',
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
    name: 'keys rotate',
    group: 'API keys, plans and usage',
    summary: 'Replace an API key with a new one (it is shown only once)',
    details: ['The old key stays valid for the overlap. The new key takes over its origins and networks.'],
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
      'A subscription and a stream count as a call each. Messages that they push are counted apart and weigh nothing: by method, notifications as those of the subscribe call, messages of a topic as Subscribe.<topic>. Wallet operations come from the audit log and the books: by token where calls are by key, by operation where they are by method, and by time. They belong to no network and no API key. What they cost is not known by token, because the books do not hold it; a free operation has no units.',
    ],
    args: [],
    options: [
      OF_ACCOUNT,
      { name: 'key', value: 'ID', summary: 'Only those of this API key' },
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
    name: 'setup-link',
    group: 'Members and sign-in',
    summary: 'Create a link that makes an owner of an account (it is shown only once)',
    details: [
      'The link works once, for 24 hours, and replaces the one before it. The account is created if it does not exist.',
      'It names the running server, or the setting http.public_url.',
    ],
    args: [ACCOUNT],
    options: [
      {
        name: 'file',
        value: 'FILE',
        summary: 'Write the link to this new file too, which only its owner can read',
        path: 'file',
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot setup-link acme', 'keyslot setup-link acme --file link.txt'],
  },
  {
    name: 'members list',
    group: 'Members and sign-in',
    summary: 'List the members of an account',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot members list acme', 'keyslot members list acme --json'],
  },
  {
    name: 'members reset',
    group: 'Members and sign-in',
    summary: 'Close the login of a member, and create a link that sets a new password',
    details: [
      'For a member who lost password or second factor: both are gone, with the backup codes and the sessions, in every account. The link works once, for 24 hours, and is shown only once.',
    ],
    args: [ACCOUNT, EMAIL],
    options: SERVER_OPTIONS,
    examples: ['keyslot members reset acme ann@example.com'],
  },
  {
    name: 'tokens create',
    group: 'Wallet service',
    summary: 'Create an access token (it is shown only once)',
    args: [],
    options: [
      {
        name: 'scope',
        value: 'SCOPE',
        summary: `Operations that the token allows (at least one is required): ${SCOPES.join(', ')}`,
        isRepeatable: true,
        values: SCOPES,
      },
      { name: 'name', value: 'TEXT', summary: 'What the token is for', fallback: 'unnamed' },
      {
        name: 'account',
        value: 'NAME',
        summary: 'Account that owns the token; created if it does not exist',
        fallback: 'default',
      },
      {
        name: 'expires',
        value: 'DURATION',
        summary: 'How long the token is valid, such as 12h or 90d',
        fallback: 'no expiry',
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot tokens create --account acme --scope wallets:create --scope wallets:read --expires 90d',
    ],
  },
  {
    name: 'tokens list',
    group: 'Wallet service',
    summary: 'List access tokens (secrets are never shown)',
    args: [],
    options: [OF_ACCOUNT, ...SERVER_OPTIONS],
    examples: ['keyslot tokens list --account acme'],
  },
  {
    name: 'tokens revoke',
    group: 'Wallet service',
    summary: 'Revoke an access token, immediately and permanently',
    args: [{ name: 'ID', summary: 'Id of the token, as keyslot tokens list shows it' }],
    options: SERVER_OPTIONS,
    examples: ['keyslot tokens revoke 4f8b1d0e-0000-4000-8000-000000000000'],
  },
  {
    name: 'balance',
    group: 'Wallet service',
    summary: 'Show what an account can spend, what is reserved and what was charged',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot balance acme'],
  },
  {
    name: 'credit',
    group: 'Wallet service',
    summary: 'Add money to the balance of an account',
    args: [
      ACCOUNT,
      { name: 'AMOUNT_USD', summary: 'Amount in USD, such as 25 or 0.50; -25 takes credit back' },
    ],
    options: [{ name: 'note', value: 'TEXT', summary: 'Note to keep with the booking' }, ...SERVER_OPTIONS],
    examples: ["keyslot credit acme 25 --note 'invoice 7'", 'keyslot credit acme -0.50'],
  },
  {
    name: 'entries',
    group: 'Wallet service',
    summary: 'List the entries of the books of an account, newest first',
    details: [
      'An entry is a credit, a test_credit, a reserve, a charge or a refund. AMOUNT is the change of the balance, BALANCE what it was then; it is empty where the balance did not change. The books hold no request ids.',
    ],
    args: [ACCOUNT],
    options: [...LIST_OPTIONS, ...SERVER_OPTIONS],
    examples: [
      'keyslot entries acme',
      'keyslot entries acme --since 2025-01-01 --until 2025-02-01 --jsonl > january.jsonl',
    ],
  },
  {
    name: 'billing',
    group: 'Wallet service',
    summary: 'Set or show how an account pays',
    details: ['Without options it shows how the account pays, with its balance and credit limit.'],
    args: [ACCOUNT],
    options: [
      { name: 'prepaid', summary: 'The account pays from its balance' },
      { name: 'invoiced', summary: 'The account pays later, within --credit-limit' },
      {
        name: 'credit-limit',
        value: 'USD',
        summary: 'How far below 0 the balance may go (with --invoiced)',
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot billing acme --invoiced --credit-limit 5000',
      'keyslot billing acme --prepaid',
      'keyslot billing acme',
    ],
  },
  {
    name: 'wallet-limit',
    group: 'Wallet service',
    summary: 'Set or show how often an account may call the wallet create endpoints',
    details: ['Without options it shows the limit.'],
    args: [ACCOUNT],
    options: [
      { name: 'per-minute', value: 'N', summary: 'Calls per minute: 1 to 1000000' },
      { name: 'default', summary: 'Return to the limit of the specification' },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot wallet-limit acme --per-minute 5000',
      'keyslot wallet-limit acme --default',
      'keyslot wallet-limit acme',
    ],
  },
  {
    name: 'wallet-use-limit',
    group: 'Wallet service',
    summary: 'Set or show how often an account may fetch, sign with and destroy wallets',
    details: ['Without options it shows the limit.'],
    args: [ACCOUNT],
    options: [
      { name: 'per-second', value: 'N', summary: 'Calls per second: 1 to 1000000' },
      { name: 'default', summary: "Return to the limit of the account's plan" },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot wallet-use-limit acme --per-second 500',
      'keyslot wallet-use-limit acme --default',
      'keyslot wallet-use-limit acme',
    ],
  },
  {
    name: 'two-factor enrol',
    group: 'Wallet service',
    summary: 'Add a second factor to an account (its secret is shown only once)',
    details: ['Without a second factor an account cannot destroy wallets.'],
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot two-factor enrol acme'],
  },
  {
    name: 'two-factor remove',
    group: 'Wallet service',
    summary: 'Remove the second factor of an account',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot two-factor remove acme'],
  },
  {
    name: 'two-factor unlock',
    group: 'Wallet service',
    summary: 'Unlock the second factor of an account after wrong codes',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot two-factor unlock acme'],
  },
  {
    name: 'audit list',
    group: 'Wallet service',
    summary: 'List the records of the audit log of an account, newest first',
    details: [
      'With --json and --jsonl each record has its hash and the previous one. With --since or --until records are in the order of time, otherwise in that of the chain.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'action', value: 'ACTION', summary: `Only ${AUDIT_ACTIONS.join(', ')}`, values: AUDIT_ACTIONS },
      {
        name: 'outcome',
        value: 'OUTCOME',
        summary: 'Only ok, replayed, interrupted, or the code of an error such as scope_missing',
      },
      { name: 'wallet', value: 'ID', summary: 'Only those of this wallet' },
      { name: 'token', value: 'ID', summary: 'Only those of this access token' },
      ...LIST_OPTIONS,
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot audit list acme --action destroy --since 7d',
      'keyslot audit list acme --jsonl > audit.jsonl',
    ],
  },
  {
    name: 'audit verify',
    group: 'Wallet service',
    summary: 'Check the audit log for changes, gaps and forged signatures',
    details: ['The exit code is 1 when the log is not intact.'],
    args: [],
    options: [
      { name: 'account', value: 'NAME', summary: 'Only the records of this account' },
      {
        name: 'public-key',
        value: 'HEX',
        summary: 'Key that the heads were signed with',
        fallback: "the running server's key",
        isRepeatable: true,
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot audit verify', 'keyslot audit verify --account acme --json'],
  },
  {
    name: 'webhooks list',
    group: 'Wallet service',
    summary: 'List the webhooks of an account, newest first',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot webhooks list acme'],
  },
  {
    name: 'webhooks create',
    group: 'Wallet service',
    summary: 'Create a webhook, which sends the events of an account to a URL',
    details: [
      'Prints the secret that signs events, once. Private addresses need the setting webhooks.allowed_targets.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'name', value: 'NAME', summary: 'Name, for people (required)' },
      { name: 'url', value: 'URL', summary: 'Where events are sent (required)' },
      {
        name: 'event',
        value: 'TYPE',
        summary: 'Only events of this type, such as wallet.sign or wallet.*',
        isRepeatable: true,
      },
      { name: 'ordered', summary: 'Deliver events of one wallet in order' },
      {
        name: 'address',
        value: 'ADDRESS',
        summary: 'Events of the ledger too: transactions that name this address, and changes of its balance',
        isRepeatable: true,
      },
      {
        name: 'program',
        value: 'ADDRESS',
        summary: 'Events of the ledger too: transactions that name this program',
        isRepeatable: true,
      },
      {
        name: 'signature',
        value: 'SIGNATURE',
        summary: 'Events of the ledger too: what became of this transaction',
        isRepeatable: true,
      },
      {
        name: 'network',
        value: 'NETWORK',
        summary: 'The ledger, such as solana-localnet',
        fallback: 'the first network of the server',
      },
      {
        name: 'commitment',
        value: 'COMMITMENT',
        summary: 'How sure a block must be before its events are sent',
        fallback: 'confirmed',
        values: ['confirmed', 'finalized'],
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot webhooks create acme --name billing --url https://hooks.example.com/in',
      'keyslot webhooks create acme --name in --url https://hooks.example.com/in --address "$ADDRESS"',
    ],
  },
  {
    name: 'webhooks set',
    group: 'Wallet service',
    summary: 'Turn a webhook on or off',
    details: ['Turned on, it goes on where it stopped, and what waits is tried at once.'],
    args: [WEBHOOK],
    options: [
      { name: 'on', summary: 'Send events' },
      { name: 'off', summary: 'Send none' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot webhooks set 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56 --on'],
  },
  {
    name: 'webhooks rotate',
    group: 'Wallet service',
    summary: 'Replace the secret of a webhook',
    args: [WEBHOOK],
    options: [
      { name: 'overlap', value: 'TIME', summary: 'How long the old secret signs too', fallback: '24h' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot webhooks rotate 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56 --overlap 1h'],
  },
  {
    name: 'webhooks replay',
    group: 'Wallet service',
    summary: 'Send events again from a record of the audit log on',
    args: [WEBHOOK],
    options: [{ name: 'from', value: 'SEQ', summary: 'The first record (required)' }, ...SERVER_OPTIONS],
    examples: ['keyslot webhooks replay 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56 --from 1'],
  },
  {
    name: 'webhooks test',
    group: 'Wallet service',
    summary: 'Send a test event to a webhook',
    args: [WEBHOOK],
    options: SERVER_OPTIONS,
    examples: ['keyslot webhooks test 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56'],
  },
  {
    name: 'webhooks delete',
    group: 'Wallet service',
    summary: 'Delete a webhook and its deliveries',
    args: [WEBHOOK],
    options: SERVER_OPTIONS,
    examples: ['keyslot webhooks delete 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56'],
  },
  {
    name: 'listen',
    group: 'Wallet service',
    summary: 'Print the events of an account as they happen, or forward them',
    details: [
      'Events are what webhooks deliver. Forwarded ones are signed as Standard Webhooks 1.0 says, with a secret that is printed at the start; none is sent again.',
      'The access token needs the scope audit:read. It can be given in KEYSLOT_TOKEN instead, where other users of the machine cannot list it.',
    ],
    args: [],
    options: [
      {
        name: 'url',
        value: 'URL',
        summary: 'Base URL of the server',
        fallback: 'that of dev.json in the data directory',
      },
      { name: 'token', value: 'TOKEN', summary: 'Access token', fallback: 'that of dev.json' },
      { name: 'forward', value: 'URL', summary: 'Send each event there, signed' },
      {
        name: 'event',
        value: 'TYPE',
        summary: 'Only events of this type, such as wallet.sign or wallet.*',
        isRepeatable: true,
      },
      {
        name: 'from',
        value: 'SEQ',
        summary: 'Begin with this record of the audit log',
        fallback: 'the next one',
      },
      {
        name: 'data-dir',
        value: 'DIR',
        summary: 'Data directory with dev.json, in place of KEYSLOT_DATA_DIR',
        fallback: '.keyslot',
        path: 'directory',
      },
      { name: 'json', summary: 'Print the body of each event as one line of JSON' },
    ],
    examples: ['keyslot listen', 'keyslot listen --forward http://127.0.0.1:3000/hook --event "wallet.*"'],
  },
  {
    name: 'signer rotate-master',
    group: 'Key storage',
    summary: 'Re-encrypt the key of every managed wallet under a new master key',
    details: ['The server keeps serving. An interrupted run is continued by the next one.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot signer rotate-master'],
  },
  {
    name: 'signer adopt',
    group: 'Key storage',
    summary: 'Make the store accept the signer of the data directory in place of its own',
    details: ['No server may be running. Read docs/security.md, "Another signer", first.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot signer adopt --data-dir /var/lib/keyslot'],
  },
  {
    name: 'hsm check',
    group: 'Key storage',
    summary: 'Check that the configured key backend works',
    details: ['Creates keys in the backend and destroys them. The exit code is 1 when a check fails.'],
    args: [],
    options: [
      {
        name: 'config',
        value: 'FILE',
        summary: 'Configuration file, as given to keyslot serve',
        path: 'file',
      },
      { name: 'json', summary: 'Print the report as JSON' },
    ],
    examples: ['keyslot hsm check', 'keyslot hsm check --config keyslot.yaml --json'],
  },
  {
    name: 'completion',
    group: 'This command line',
    summary: 'Print a completion script for a shell',
    details: [
      'bash: add the first example to ~/.bashrc. zsh: add the second to ~/.zshrc, after compinit. fish: run the third once.',
    ],
    args: [{ name: 'SHELL', summary: `One of ${SHELLS.join(', ')}`, values: SHELLS }],
    options: [],
    examples: [
      'eval "$(keyslot completion bash)"',
      'eval "$(keyslot completion zsh)"',
      'keyslot completion fish > ~/.config/fish/completions/keyslot.fish',
    ],
  },
  {
    name: 'help',
    group: 'This command line',
    summary: 'List the commands, or explain one',
    args: [
      { name: 'COMMAND', summary: 'Command or group of commands, such as keys create', isOptional: true },
    ],
    options: [],
    examples: ['keyslot help', 'keyslot help keys create', 'keyslot keys create --help'],
  },
  {
    name: 'version',
    group: 'This command line',
    summary: 'Print the version of Keyslot',
    args: [],
    options: [],
    examples: ['keyslot version', 'keyslot --version'],
  },
] as const satisfies readonly CommandSpec[];

/** The name of a command, such as `keys create`. */
export type CommandName = (typeof COMMANDS)[number]['name'];
