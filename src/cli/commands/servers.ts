import { IGNORED_FLAGS, REFUSED_FLAGS } from '../../../generated/ledger/test-validator-flags.ts';
import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import {
  LOCALNET_SETTING_OPTIONS,
  PLAIN_SETTING_OPTIONS,
  SETTING_NAMES,
  SETTING_OPTIONS,
} from '../setting-options.ts';
import { SERVER_OPTIONS, READY_JSON, HOST } from './options.ts';

/** The options of `keyslot localnet` for the genesis of its ledger, with the same meaning as for solana-test-validator. */
const GENESIS_OPTIONS = [
  {
    name: 'account',
    value: 'ADDRESS FILE',
    valueCount: 2,
    summary: 'Load an account from a file of `solana account --output json`; - uses the address in the file',
    isRepeatable: true,
    path: 'file',
  },
  {
    name: 'account-dir',
    value: 'DIRECTORY',
    summary: 'Load all accounts in a directory of such files',
    isRepeatable: true,
    path: 'directory',
  },
  {
    name: 'bpf-program',
    value: 'ADDRESS FILE',
    valueCount: 2,
    summary: 'Deploy a program that nobody can upgrade; an address may be a key file',
    isRepeatable: true,
    path: 'file',
  },
  {
    name: 'upgradeable-program',
    value: 'ADDRESS FILE AUTHORITY',
    valueCount: 3,
    summary: 'Deploy a program with its upgrade authority, or none',
    isRepeatable: true,
    path: 'file',
  },
  {
    name: 'clone',
    letter: 'c',
    value: 'ADDRESS',
    summary: 'Copy an account from the node of --url',
    isRepeatable: true,
  },
  {
    name: 'maybe-clone',
    value: 'ADDRESS',
    summary: 'Copy an account from the node of --url if it exists',
    isRepeatable: true,
  },
  {
    name: 'clone-upgradeable-program',
    value: 'ADDRESS',
    summary: 'Copy an upgradeable program and its code from the node of --url',
    isRepeatable: true,
  },
  {
    name: 'url',
    letter: 'u',
    value: 'URL',
    summary: 'Ledger node to copy from: an address, or mainnet-beta, devnet, testnet or localhost',
  },
  {
    name: 'fork',
    value: 'URL',
    summary: 'Ledger node to fetch each account from at its first use; an address or a name as for --url',
  },
  {
    name: 'cassette',
    value: 'FILE',
    summary: 'File that records what a fork fetches; without --fork the ledger has only its content',
    path: 'file',
  },
  { name: 'mint', value: 'ADDRESS', summary: 'Address that receives 500 million SOL' },
  { name: 'faucet-sol', value: 'SOL', summary: 'Funds of the faucet', fallback: '500000000' },
  { name: 'warp-slot', letter: 'w', value: 'SLOT', summary: 'Slot in which the ledger starts' },
  {
    name: 'compute-unit-limit',
    value: 'N',
    summary: 'Compute units of every transaction, regardless of its request',
  },
  { name: 'max-compute-units', value: 'N', summary: 'The same, by its older name' },
  { name: 'feature', value: 'ADDRESS', summary: 'Activate a feature gate', isRepeatable: true },
  {
    name: 'deactivate-feature',
    value: 'ADDRESS',
    summary: 'Deactivate a feature gate',
    isRepeatable: true,
  },
] as const satisfies readonly OptionSpec[];

/** Servers, and commands about them. */
export const SERVER_COMMANDS = [
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
      {
        name: 'check',
        summary: 'Check settings and the files that they name, start nothing, and exit with 0 or 2',
      },
      READY_JSON,
      ...SETTING_OPTIONS,
    ],
    examples: [
      'keyslot serve',
      'keyslot serve --config keyslot.yaml',
      'keyslot serve --config keyslot.yaml --check',
      'keyslot serve --upstream-url https://node.example --http-port 9000',
    ],
  },
  {
    name: 'localnet',
    group: 'Servers',
    summary: 'Start only the embedded ledger, without API keys',
    details: [
      'Runs until SIGTERM or SIGINT. Without --ledger it keeps nothing. WebSocket is served on the same port and on the next one.',
    ],
    args: [],
    options: [
      { name: 'rpc-port', value: 'N', summary: 'Port of JSON-RPC; 0 takes any free port', fallback: '8899' },
      HOST,
      {
        name: 'bind-address',
        value: 'ADDRESS',
        summary: "The test validator's name for --host",
      },
      ...LOCALNET_SETTING_OPTIONS,
      {
        name: 'ledger',
        letter: 'l',
        value: 'DIRECTORY',
        summary: 'Keep the ledger here, and continue an existing one',
        path: 'directory',
      },
      { name: 'reset', letter: 'r', summary: 'Delete the ledger of --ledger and start over' },
      { name: 'ephemeral', summary: 'Keep nothing, as without --ledger' },
      {
        name: 'limit-ledger-size',
        value: 'SHREDS',
        summary: "Number of transactions to keep, by the test validator's name; each counts as a shred",
      },
      { name: 'limit-blockstore-size', value: 'SHREDS', summary: 'The same, by its newer name' },
      ...GENESIS_OPTIONS,
      { name: 'alpenglow', summary: "The test validator's name for --consensus alpenglow" },
      {
        name: 'votes',
        summary: 'With --consensus tower, vote for every slot by a transaction (the default)',
      },
      {
        name: 'no-votes',
        summary: 'With --consensus tower, do not vote by transactions, so that blocks can be empty',
      },
      { name: 'cheat-codes', summary: 'Serve methods that set accounts, time and history at will' },
      {
        name: 'snapshot-dir',
        value: 'DIRECTORY',
        summary: 'Directory where cheat codes save and load snapshots',
        path: 'directory',
      },
      { name: 'log', summary: 'Print each transaction with the logs of its programs' },
      { name: 'quiet', letter: 'q', summary: 'Print only errors' },
      READY_JSON,
      ...Object.entries(IGNORED_FLAGS).map(([flag, { ignored, value }]) => ({
        name: flag.slice(2),
        ...(value === undefined ? {} : { value }),
        summary: `Accepted without effect: ${ignored}`,
      })),
    ],
    refused: REFUSED_FLAGS,
    examples: [
      'keyslot localnet',
      'keyslot localnet --rpc-port 0 --slot-ms 400 --json',
      'keyslot localnet --ledger test-ledger',
      'keyslot localnet --account - mint.json --bpf-program program-keypair.json target/deploy/program.so',
      'keyslot localnet --url devnet --clone SysvarC1ock11111111111111111111111111111111',
    ],
  },
  {
    name: 'mock',
    group: 'Servers',
    summary: 'Start mocks that answer with the examples of the specification',
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
      'To hide secrets from other users of the machine, give them in KEYSLOT_CONTRACT_APIKEY, KEYSLOT_CONTRACT_TOKEN, KEYSLOT_CONTRACT_TOTP and KEYSLOT_CONTRACT_SESSION. For the development server of this machine, the default is the credentials of dev.json.',
    ],
    args: [],
    options: [
      {
        name: 'url',
        value: 'URL',
        summary: 'JSON-RPC address of the server (required unless --grpc is given)',
      },
      { name: 'apikey', value: 'KEY', summary: 'API key, sent as the query parameter apikey' },
      { name: 'ws', summary: 'Also check subscriptions, over WebSocket at the same address' },
      { name: 'ws-url', value: 'URL', summary: 'Check subscriptions at this WebSocket address' },
      {
        name: 'grpc',
        value: 'URL',
        summary: 'Check the topic streams at this address; without --url, nothing else',
      },
      {
        name: 'token',
        value: 'TOKEN',
        summary:
          'Access token: also check the wallet service, and the account service if the token may read it; without --apikey, nothing else',
      },
      {
        name: 'totp',
        value: 'SECRET',
        summary: "Second factor of the token's account, in base32: also check the destruction of wallets",
      },
      {
        name: 'session',
        value: 'SESSION',
        summary: 'Session of a member, the value of its cookie: also check what only members may do',
      },
      { name: 'account', summary: 'Check the account service even if the token may not read it' },
      {
        name: 'allow-writes',
        summary:
          "Request airdrops, send transactions, create wallets with the token's money, and create and revoke API keys and access tokens",
      },
      { name: 'rate', value: 'N', summary: 'Most calls per second', fallback: 'no limit' },
      { name: 'json', summary: 'Print the report as JSON' },
      { name: 'junit', value: 'FILE', summary: 'Also write the report to a file as JUnit XML', path: 'file' },
    ],
    examples: [
      'keyslot contract --url http://127.0.0.1:8899',
      'keyslot contract --url https://node.example --ws --rate 10 --junit report.xml',
    ],
  },
  {
    name: 'nodes',
    group: 'Servers',
    summary: 'Show the ledger nodes of the server, their versions and slot lengths',
    details: ['It also lists methods and fields of the nodes that the specification does not have.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot nodes', 'keyslot nodes --json'],
  },
  {
    name: 'config show',
    group: 'Servers',
    summary: 'Show the settings in effect, and the source of each',
    details: [
      'These are the settings that keyslot serve would have with the same options and environment. The source is an option, a variable, the file of --config, or the default; a setting with the value - has none. Secrets are shown as ***.',
    ],
    args: [
      {
        name: 'NAME',
        summary: 'Setting such as http.port or KEYSLOT_HTTP_PORT, or section such as http; all by default',
        isOptional: true,
        isRepeatable: true,
        values: SETTING_NAMES,
      },
    ],
    options: [
      { name: 'config', value: 'FILE', summary: 'Settings as YAML or JSON', path: 'file' },
      { name: 'json', summary: 'Print the settings as one line of JSON' },
      ...PLAIN_SETTING_OPTIONS,
    ],
    examples: [
      'keyslot config show',
      'keyslot config show --config keyslot.yaml http networks.0',
      'keyslot config show --json KEYSLOT_DATABASE_URL',
    ],
  },
  {
    name: 'doctor',
    group: 'Servers',
    summary: 'Find out what is wrong with an installation, and how to fix it',
    details: [
      'Checks Node, data directory, disk, server, store, clock, Redis, signer, key backend, certificate, ledger nodes, mail server and the age of the last backup. It asks a running server; without one, it checks the parts itself.',
      'The exit code is 1 when something is wrong; warnings leave it at 0.',
    ],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot doctor', 'keyslot doctor --config /etc/keyslot/keyslot.yaml --json'],
  },
] as const satisfies readonly CommandSpec[];
