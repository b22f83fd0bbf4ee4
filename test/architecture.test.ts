import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import packageLock from '../package-lock.json' with { type: 'json' };
import packageManifest from '../package.json' with { type: 'json' };
import { findCircles } from './support/find-circles.ts';
import { arrowsOf, packagesOf, ROOT, readSources, type SourceFile } from './support/source-files.ts';

/** Everything that may lie at the top; what .gitignore names may lie there too. */
const TOP_LEVEL = [
  ...[
    'spec',
    'codegen',
    'runtime',
    'generated',
    'src',
    'test',
    'docs',
    'package.json',
    'tsconfig.json',
    'Makefile',
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'LICENSE',
    'keyslot',
  ],
  ...['.ci', '.git', '.gitignore', '.gitattributes', 'package-lock.json', 'biome.json', 'vitest.config.ts'],
];

/** The imports allowed in each room below the top-level folders. All may import the packages of package.json. */
const MAY_IMPORT: Readonly<Record<string, readonly RegExp[]>> = {
  runtime: [/^runtime\//],
  codegen: [/^(codegen|runtime)\//],
  generated: [/^(generated|runtime)\//],
  src: [/^(src|generated|runtime)\//],
  test: [/^(test|src|codegen|generated|runtime|spec)\//, /^package(-lock)?\.json$/],
};

/** The package that `make pack` makes: tests install it. */
const PACKED = '@keyslot/client';

/** The registers that bring the handlers of src/ under the types of generated/. */
const REGISTERS: Readonly<Record<string, RegExp>> = {
  'generated/ledger/localnet-handlers.ts': /^src\/localnet\/(ledger\.ts$|methods\/)/,
  'generated/ledger/localnet-subscriptions.ts': /^src\/localnet\/subscriptions\//,
  'generated/localnet/cheat-handlers.ts': /^src\/localnet\/(ledger\.ts$|cheats\/)/,
  'generated/ledger/gateway-handlers.ts': /^src\/gateway\/ledger\/methods\//,
  'generated/stream/topic-handlers.ts':
    /^src\/gateway\/streams\/(account-view\.ts$|block\/block\.ts$|topics\/)/,
  'generated/account/account-handlers.ts': /^src\/account\/api\/(account-context\.ts$|operations\/)/,
  'generated/wallets/wallet-handlers.ts': /^src\/wallets\/(wallet-context\.ts$|operations\/)/,
};

/** A part of the command line that is loaded where its packages are installed (docs/decisions/0013-contract-command.md). */
const OPTIONAL_PART = /^src\/devkit\/contract\/scenario(\/|\.ts$)/;

/** The web app runs in a browser: it is built from the generated clients and what they need (docs/decisions/0072-dashboard.md). */
const DASHBOARD = /^src\/dashboard\//;
const DASHBOARD_MAY_IMPORT = [
  DASHBOARD,
  /^runtime\//,
  /^generated\/(account|ledger|wallets)\/(client|events|subscriptions-client|types)\.ts$/,
  // The shape of a trace.
  /^generated\/localnet\/types\.ts$/,
  // Prices and credits, which an invoice is recomputed with.
  /^generated\/plans\.ts$/,
];

/**
 * The rooms of src/ from the ground up: each may import those before it, types included, and none after it
 * (docs/decisions/0059-rooms-in-order.md). main.ts stands above them all.
 */
const ROOMS = [
  'dashboard',
  ...['core', 'store', 'signer', 'gateway', 'account', 'wallets', 'server'],
  ...['operate', 'localnet', 'devkit', 'serve', 'cli'],
];

/** The folders of every room but the ledger's, whose parts (accounts, blocks, epochs) know each other as the runtime's do. */
const ROOMS_WITHOUT_CIRCLES = ROOMS.filter((room) => room !== 'localnet');

/** Answers are given their HTTP status in src/server; src/gateway/nodes only reads the status of what nodes answer. */
const WRITES_STATUS = /\b(?:status(?:Code)?\b\s*[:=]\s*|writeHead\(\s*)[1-5]\d\d\b/;

/** Names and phrases that docs/glossary.md has a better word for, and docstrings that open with a question word. */
const REFUSED_WORDS = new RegExp(
  [
    '\\b(?:misfits|[oO]wnReads|ledgerAccounts|tellOperators|carryCharges|crossThreshold|assertAffordable|withLateBegin|lentStream)\\b',
    '\\b(?:pacedSize|serveTogether|sendTogether|NodeNeeds|Patient|ShownKey|showKey|WalletPlaces|Wish|headStart|makeUp|keyOfServer)\\b',
    '\\b(?:anew|mend(?:s|ed|ing)?|goes on|went on|told of|that is none|of ours)\\b',
    '^\\s*(?:/\\*\\*|\\*|//) (?:What|Who|Whether|How) .*$',
  ].join('|'),
  'gm',
);

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const sources = Object.keys(MAY_IMPORT).flatMap(readSources);
const arrows = sources
  .flatMap(arrowsOf)
  .filter(({ to }) => /^(spec|runtime|codegen|generated|src|test)\//.test(to));
const handWritten = sources.filter(({ path }) => !path.startsWith('generated/'));
const ours = handWritten.filter(({ path }) => !path.startsWith('test/'));

test('the top level has what it is given and nothing else', () => {
  const ignored = readLines('.gitignore').map((line) => line.replace(/\/$/, ''));
  const known = new Set([...TOP_LEVEL, ...ignored]);
  expect(readdirSync(ROOT).filter((entry) => !known.has(entry))).toEqual([]);
});

test('imports are found: without them the tests below would hold of anything', () => {
  expect(arrows).toContainEqual({
    from: 'src/account/identity/api-keys/keyring.ts',
    to: 'src/store/tables.ts',
  });
  expect(arrows).toContainEqual({
    from: 'src/store/pglite/supervised-thread.ts',
    to: 'src/store/pglite/worker.ts',
  });
  const circle = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ];
  expect(findCircles(circle)).toEqual([['a', 'b', 'a']]);
});

test('spec/ holds documents, no code', () => {
  expect(readSources('spec').map(({ path }) => path)).toEqual([]);
});

test.each(Object.entries(MAY_IMPORT))('%s/ imports only what it may', (folder, allowed) => {
  const outgoing = arrows.filter(({ from }) => from.startsWith(`${folder}/`));
  expect(
    outgoing.filter(({ from, to }) => ![...allowed, REGISTERS[from]].some((open) => open?.test(to))),
  ).toEqual([]);
});

test('imported packages are declared, and a server needs none that only development has', () => {
  const { dependencies, optionalDependencies, devDependencies } = packageManifest;
  const served = { ...dependencies, ...optionalDependencies };
  const imported = sources.flatMap(packagesOf).filter(({ to }) => !isBuiltin(to) && to !== PACKED);
  expect(imported).toContainEqual({ from: 'src/store/postgres/listen.ts', to: 'pg' });
  const open = (from: string) =>
    /^(src|generated|runtime)\//.test(from) && !OPTIONAL_PART.test(from) && !DASHBOARD.test(from)
      ? served
      : { ...served, ...devDependencies };
  expect(imported.filter(({ from, to }) => !(to in open(from)))).toEqual([]);
});

test('src/ itself holds main.ts and the rooms that are listed', () => {
  expect(readdirSync(new URL('src', ROOT)).sort()).toEqual([...ROOMS, 'main.ts'].sort());
});

test('a room of src/ imports only rooms below it', () => {
  const upward = arrows.filter(({ from, to }) => ROOMS.indexOf(roomOf(to)) > ROOMS.indexOf(roomOf(from)));
  expect(upward.filter(({ from }) => ROOMS.includes(roomOf(from)))).toEqual([]);
});

test.each(ROOMS_WITHOUT_CIRCLES)('the folders of src/%s do not import each other in circles', (room) => {
  const folderOf = (path: string) => new RegExp(`^src/${room}/[^/]+(?=/)`).exec(path)?.[0] ?? '';
  const between = arrows
    .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
    .filter(({ from, to }) => from !== '' && to !== '' && from !== to);
  const edges = new Map(between.map((arrow) => [JSON.stringify(arrow), arrow]));
  expect(findCircles([...edges.values()])).toEqual([]);
});

test('the dashboard knows nothing of the server but its clients, and the server nothing of the dashboard but what is built', () => {
  const outgoing = arrows.filter(({ from }) => DASHBOARD.test(from));
  expect(outgoing).toContainEqual({
    from: 'src/dashboard/calls/account-client.ts',
    to: 'generated/account/client.ts',
  });
  expect(outgoing.filter(({ to }) => !DASHBOARD_MAY_IMPORT.some((open) => open.test(to)))).toEqual([]);
  const incoming = arrows.filter(({ from, to }) => from.startsWith('src/') && DASHBOARD.test(to));
  expect(incoming.filter(({ from }) => !DASHBOARD.test(from))).toEqual([]);
});

test('the cases and schemas of the contract are loaded by the contract run alone', () => {
  const loaded = arrows.filter(({ from, to }) => /^src\//.test(from) && /^generated\/contract\//.test(to));
  expect([...new Set(loaded.map(({ from }) => roomOf(from)))]).toEqual(['devkit']);
});

test('files of src/ do not import each other in circles, through generated/ neither', () => {
  expect(findCircles(arrows.filter(({ from }) => /^(src|runtime|generated)\//.test(from)))).toEqual([]);
});

test('wallets of clients and managed wallets do not know each other, nor the operations that choose between them', () => {
  const kinds = (path: string) => /^src\/wallets\/(client|managed|operations)\//.exec(path)?.[1];
  const across = arrows.filter(({ from, to }) => kinds(to) !== undefined && kinds(from) !== kinds(to));
  expect(across.filter(({ from }) => /^(client|managed)$/.test(kinds(from) ?? ''))).toEqual([]);
});

test('HTTP status numbers are given in src/server only', () => {
  const isServer = /^src\/server\//;
  const elsewhere = ours.filter(({ path }) => path.startsWith('src/') && !isServer.test(path));
  expect(elsewhere.filter(({ text }) => WRITES_STATUS.test(text)).map(({ path }) => path)).toEqual([]);
});

test('node:http is loaded without what only its imports load', () => {
  const importing = ours.filter(
    ({ path, text }) => path.startsWith('src/') && /^import (?!type )[^;]*'node:http'/m.test(text),
  );
  expect(importing.map(({ path }) => path)).toEqual([]);
});

test('files are named in kebab-case, or exactly as what they implement is named in spec/', () => {
  const names = new Set(readdirSync(new URL('spec', ROOT), { recursive: true, encoding: 'utf8' }).map(stem));
  const odd = handWritten
    .map(({ path }) => path)
    .filter((path) => !KEBAB.test(stem(path)) && !names.has(stem(path)));
  expect(odd).toEqual([]);
});

test('names and comments of src/ use the words of docs/glossary.md', () => {
  const words = ours.filter(({ path }) => /^(src|runtime)\//.test(path));
  const refused = words.flatMap(({ path, text }) =>
    [...text.matchAll(REFUSED_WORDS)].map(([found]) => `${path}: ${found.trim()}`),
  );
  expect(refused).toEqual([]);
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

/** The room of a file of src/; empty for others. */
function roomOf(path: string): string {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? '';
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
  return basename(path).replace(/(\.(slow|long|test|bench|config|contract))*(\.d)?\.[a-z]+$/, '');
}

/** The registry that the lock file was last written from lacks them: they get theirs where it is written next. */
const WITHOUT_DIGEST = /^node_modules\/litesvm-(darwin|linux)-(arm64|x64)(-gnu|-musl)?$/;

test('every package of the lock file has the digest that npm checks it by', () => {
  const packages = Object.entries<object>(packageLock.packages);
  const without = packages.filter(([path, entry]) => path !== '' && !('integrity' in entry));
  expect(without.map(([path]) => path).filter((path) => !WITHOUT_DIGEST.test(path))).toEqual([]);
});

test('no module that several test files import has a hook at its top: files share a process, in which it would count for the first of them alone', () => {
  const helpers = handWritten.filter(({ path }) => path.startsWith('test/') && !path.endsWith('.test.ts'));
  const hooked = helpers.filter(({ text }) => /^(?:after|before)(?:Each|All)\(/m.test(text));
  // Run again for each file.
  expect(hooked.map(({ path }) => path)).toEqual(['test/support/keep-compiled.ts']);
});
