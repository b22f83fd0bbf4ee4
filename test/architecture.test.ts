import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { type Arrow, arrowsOf, ROOT, readSources, type SourceFile } from './support/source-files.ts';

/** Everything that may lie at the top; what .gitignore names may lie there too. */
const TOP_LEVEL = [
  ...[
    'spec',
    'codegen',
    'generated',
    'src',
    'test',
    'docs',
    'package.json',
    'tsconfig.json',
    'Makefile',
    'README.md',
    'keyslot',
  ],
  ...['.ci', '.git', '.gitignore', '.gitattributes', 'package-lock.json', 'biome.json', 'vitest.config.ts'],
];

/** Who may import what below the top-level folders. The packages of package.json are open to everyone. */
const MAY_IMPORT: Readonly<Record<string, readonly RegExp[]>> = {
  codegen: [/^codegen\//],
  generated: [/^generated\//],
  src: [/^src\//, /^generated\/(?!test\/)/],
  test: [/^(test|src|codegen|generated|spec)\//, /^package\.json$/],
};

/** The registers that bring the handlers of src/ under the types of generated/. */
const REGISTERS: Readonly<Record<string, RegExp>> = {
  'generated/ledger/localnet-handlers.ts': /^src\/localnet\/(ledger\.ts$|methods\/)/,
  'generated/ledger/localnet-subscriptions.ts': /^src\/localnet\/subscriptions\//,
  'generated/ledger/gateway-handlers.ts': /^src\/ledger\/methods\//,
  'generated/stream/topic-handlers.ts': /^src\/stream\/(account-view\.ts$|block\/block\.ts$|topics\/)/,
  'generated/wallets/wallet-handlers.ts': /^src\/wallets\/(wallet-context\.ts$|operations\/)/,
};

/** Programs outside src/ that the command line starts as a child process; none of their code is loaded. */
const STARTED: Readonly<Record<string, RegExp>> = {
  'src/cli/contract.ts': /^test\/contract\/main\.ts$/,
};

/** The doors of each room: the files of src/<room>/ that other rooms may import. app.ts with its start-….ts, main.ts and cli/ open any. */
const DOORS: Readonly<Record<string, readonly RegExp[]>> = {
  account: [
    /^(keyring|follow-keys|key-rules|accounts|api-keys|rotate-api-key|development-account)\.ts$/,
    /^(plan|plan-book|plans|usage-store|read-usage|retain-usage)\.ts$/,
    /^(development-name|usage-group)\.ts$/,
    /^(account-plane|find-account|installation-key|idempotency|wallet-create-limit|wallet-use-limit|development-access)\.ts$/,
    /^(money|audit|signers|tokens)\/[a-z-]+\.ts$/,
    /^two-factor\/two-factor\.ts$/,
  ],
  admin: [],
  cli: [],
  gate: [
    /^(authenticate|client-address|presented-key|metrics|with-observation)\.ts$/,
    /^(admission|rate-limit|weigh|meter|limit-metrics|failure-log|key-standing)\.ts$/,
    /^(drift|socket|stream|subscription)-metrics\.ts$/,
  ],
  keys: [/^(pool|engine|mnemonic|slip10|derivation-path|base58|known-answers|secret-bytes)\.ts$/],
  ledger: [
    /^(ledger|check-call|openrpc-document|read-whole|reply-memory)\.ts$/,
    /^cache\/(answer|with)-cache\.ts$/,
    /^drift\/(drift-guard|network-drift)\.ts$/,
    /^subscriptions\/(notification|gap-text|hub|with-subscriptions)\.ts$/,
  ],
  localnet: [/^main\.ts$/],
  mock: [/^main\.ts$/],
  server: [
    /^json-rpc\//,
    /^http\//,
    /^websocket\//,
    /^connections\/(connections|descriptor-limit|fit-descriptors)\.ts$/,
    /^tls\/tls-files\.ts$/,
    /^grpc\/(add-reflection|describe-topics|grpc-status)\.ts$/,
  ],
  signer: [
    /^(signer|probe|sealed-work|rotate-master|check-hsm-settings)\.ts$/,
    /^tombstones\/record-chain\.ts$/,
  ],
  store: [
    /^(open-store|together|drizzle|statement|expectation|select-rows|insert-rows|store-errors|tables|data-directory|make-private|lock-file|process-started-at)\.ts$/,
    /^(access|audit|money|signer|wallet)-tables\.ts$/,
  ],
  stream: [/^(hub|cursor|entry|account-view)\.ts$/],
  users: [/^system-user\.ts$/],
  wallets: [/^(answer-request|wallet-context|client-left)\.ts$/],
  wire: [/^(decode-transaction|encoded-bytes|message|transaction-layout|transaction-text|wire-reader)\.ts$/],
  upstream: [
    /^(upstream|with-batches|turns|open-upstream|node-address|probe|embedded-ledger)\.ts$/,
    /^pubsub-(address|link|connection|message)\.ts$/,
    /^nodes\/(ledger-nodes|node-version|node-watch|pace)\.ts$/,
    /^spread-calls\.ts$/,
  ],
};
const KNOWS_EVERY_ROOM = /^src\/(app|main|start-[a-z]+)\.ts$|^src\/cli\//;

/** Answers are given their HTTP status in src/server; src/upstream only reads the status of what nodes answer. */
const WRITES_STATUS = /\b(?:status(?:Code)?\b\s*[:=]\s*|writeHead\(\s*)[1-5]\d\d\b/;

const LINE_CAP = 300;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const sources = Object.keys(MAY_IMPORT).flatMap(readSources);
const arrows = sources.flatMap(arrowsOf).filter(({ to }) => /^(spec|codegen|generated|src|test)\//.test(to));
const handWritten = sources.filter(({ path }) => !path.startsWith('generated/'));
const ours = handWritten.filter(({ path }) => !path.startsWith('test/'));

test('the top level has what it is given and nothing else', () => {
  const ignored = readLines('.gitignore').map((line) => line.replace(/\/$/, ''));
  const known = new Set([...TOP_LEVEL, ...ignored]);
  expect(readdirSync(ROOT).filter((entry) => !known.has(entry))).toEqual([]);
});

test('imports are found: without them the tests below would hold of anything', () => {
  expect(arrows).toContainEqual({ from: 'src/account/keyring.ts', to: 'src/store/tables.ts' });
  expect(arrows).toContainEqual({
    from: 'src/store/pglite/store-thread.ts',
    to: 'src/store/pglite/worker.ts',
  });
});

test('spec/ holds documents, no code', () => {
  expect(readSources('spec').map(({ path }) => path)).toEqual([]);
});

test.each(Object.entries(MAY_IMPORT))('%s/ imports only what it may', (folder, allowed) => {
  const outgoing = arrows.filter(({ from }) => from.startsWith(`${folder}/`));
  expect(
    outgoing.filter(
      ({ from, to }) => ![...allowed, REGISTERS[from], STARTED[from]].some((door) => door?.test(to)),
    ),
  ).toEqual([]);
});

test('rooms of src/ enter each other by the door', () => {
  expect(arrows.filter((arrow) => roomOf(arrow.to) !== undefined && breaksIn(arrow))).toEqual([]);
});

test('every room has its doors listed, and no room that is gone', () => {
  const rooms = readdirSync(new URL('src', ROOT), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(Object.keys(DOORS).sort()).toEqual(rooms.map(({ name }) => name).sort());
});

test('HTTP status numbers are given in src/server only', () => {
  const elsewhere = ours.filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/server/'));
  expect(elsewhere.filter(({ text }) => WRITES_STATUS.test(text)).map(({ path }) => path)).toEqual([]);
});

test(`hand-written files have at most ${LINE_CAP} lines; a table that has more says so in its first line`, () => {
  const long = handWritten.filter(
    ({ text }) => text.split('\n').length - 1 > LINE_CAP && !/\btable\b/i.test(text.split('\n')[0] ?? ''),
  );
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('files are named in kebab-case, or exactly as what they implement is named in spec/', () => {
  const names = new Set(readdirSync(new URL('spec', ROOT), { recursive: true, encoding: 'utf8' }).map(stem));
  const odd = handWritten
    .map(({ path }) => path)
    .filter((path) => !KEBAB.test(stem(path)) && !names.has(stem(path)));
  expect(odd).toEqual([]);
});

test('exported functions and classes say what they promise', () => {
  expect(ours.flatMap(undocumentedExports)).toEqual([]);
});

test('the lock file has every platform, so that npm ci works on each', () => {
  const lock: unknown = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8'));
  const { packages } = lock as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const installed = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const wanted = Object.values(packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies ?? {}),
  );
  expect(wanted.filter((name) => !installed.has(name))).toEqual([]);
});

function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

function breaksIn({ from, to }: Arrow): boolean {
  const room = roomOf(to) ?? '';
  const isOutside = from.startsWith('src/') && roomOf(from) !== room && !KNOWS_EVERY_ROOM.test(from);
  return isOutside && !DOORS[room]?.some((door) => door.test(to.slice(`src/${room}/`.length)));
}

function undocumentedExports({ path, text }: SourceFile): readonly string[] {
  const exports = [
    ...text.matchAll(/(?<doc>\*\/\n|^\/\/.*\n)?^export (?:async )?(?:function|class) (?<name>\w+)/gm),
  ];
  const documented = new Set(exports.filter(({ groups }) => groups?.doc).map(({ groups }) => groups?.name));
  return exports.flatMap(({ groups }) => (documented.has(groups?.name) ? [] : [`${path}: ${groups?.name}`]));
}

function readLines(path: string): readonly string[] {
  return readFileSync(new URL(path, ROOT), 'utf8').split('\n').filter(Boolean);
}

/** A file's name without its ending and without what marks its kind: `getBlocks` of `getBlocks.test.ts`. */
function stem(path: string): string {
  return basename(path).replace(/(\.(long|test|bench|config|contract))*(\.d)?\.[a-z]+$/, '');
}
