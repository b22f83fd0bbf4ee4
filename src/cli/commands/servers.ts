import { IGNORED_FLAGS, REFUSED_FLAGS } from '../../../generated/ledger/test-validator-flags.ts';
import type { CommandSpec } from '../command-spec.ts';
import { LOCALNET_SETTING_OPTIONS, SETTING_OPTIONS } from '../setting-options.ts';
import { GENESIS_OPTIONS } from './genesis-options.ts';
import { SERVER_OPTIONS, READY_JSON, HOST } from './options.ts';

/** The servers, and what they are told about. */
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
      'Runs until SIGTERM or SIGINT. Without --ledger it keeps nothing afterwards. WebSocket is served on the same port and on the next one.',
    ],
    args: [],
    options: [
      { name: 'rpc-port', value: 'N', summary: 'Port of JSON-RPC; 0 takes any free port', fallback: '8899' },
      HOST,
      {
        name: 'bind-address',
        value: 'ADDRESS',
        summary: 'The same as --host, as the test validator names it',
      },
      ...LOCALNET_SETTING_OPTIONS,
      {
        name: 'ledger',
        letter: 'l',
        value: 'DIRECTORY',
        summary: 'Keep the ledger here, and go on with the one that is there',
        path: 'directory',
      },
      { name: 'reset', letter: 'r', summary: 'Delete the ledger of --ledger and begin anew' },
      { name: 'ephemeral', summary: 'Keep nothing, as without --ledger' },
      {
        name: 'limit-ledger-size',
        value: 'SHREDS',
        summary: 'Transactions that are kept, as the test validator names it; one counts as a shred',
      },
      { name: 'limit-blockstore-size', value: 'SHREDS', summary: 'The same, by its newer name' },
      ...GENESIS_OPTIONS,
      {
        name: 'no-votes',
        summary:
          'Let the validator not vote by transactions, as under Alpenglow, so that blocks can be empty',
      },
      {
        name: 'votes',
        summary: 'Let the validator vote for every slot by a transaction, as before Alpenglow (the default)',
      },
      { name: 'cheat-codes', summary: 'Serve methods that set accounts, time and history at will' },
      {
        name: 'snapshot-dir',
        value: 'DIRECTORY',
        summary: 'Let cheat codes save snapshots here, and load them from here',
        path: 'directory',
      },
      { name: 'log', summary: 'Print each transaction with the logs of its programs' },
      { name: 'quiet', letter: 'q', summary: 'Print nothing but errors' },
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
    summary: 'Show the ledger nodes of the server, their versions and slot lengths',
    details: ['It also lists methods and fields that the nodes have and the specification does not.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot nodes', 'keyslot nodes --json'],
  },
  {
    name: 'doctor',
    group: 'Servers',
    summary: 'Check an installation: what is wrong with it, and how to mend it',
    details: [
      'Looks at Node, data directory, disk, server, store, clock, Redis, signer, key backend, certificate, ledger nodes, mail and the age of the last backup. With a server it asks that one; without, it looks by itself.',
      'The exit code is 1 when something is wrong; warnings leave it at 0.',
    ],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot doctor', 'keyslot doctor --config /etc/keyslot/keyslot.yaml --json'],
  },
] as const satisfies readonly CommandSpec[];
