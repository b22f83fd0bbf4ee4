import type { Files } from '../../area.ts';
import { type CatalogueError, snakeCase } from '../../model/errors.ts';
import { type Content, fileOf, type Html, html, prose } from './html.ts';
import { type Section, SECTION_TITLES } from './parts.ts';

/** reference/: the first page, and the page of every error. */
export const renderCommonReference = (errors: readonly CatalogueError[]): Files => ({
  'reference/pages/index.html': overview(),
  'reference/pages/errors.html': errorsPage(errors),
});

const ABOUT: Readonly<
  Record<Section, { readonly what: string; readonly where: string; readonly start: string }>
> = {
  ledger: {
    what: 'Every JSON-RPC method of a Solana node over HTTP, and subscriptions over WebSocket. With an API key.',
    where: 'POST {url}/solana-mainnet?apikey=…',
    start: 'getAccountInfo',
  },
  wallets: {
    what: 'Creates wallets one by one, in batches or from a mnemonic, and signs with those it keeps. With an access token.',
    where: 'POST {url}/v1/wallets',
    start: 'createWallet',
  },
  account: {
    what: 'Keys, tokens, members, usage, billing, webhooks and the audit log. With an access token, or a dashboard session.',
    where: 'GET {url}/account/v1/keys',
    start: 'listKeys',
  },
  streams: {
    what: 'Slots, blocks, transactions, account updates and wallet activity over gRPC, resumable. With an API key.',
    where: 'keyslot.stream.v1.StreamService',
    start: 'slots',
  },
};

const overview = (): string =>
  fileOf(html`<article class="page">
<header class="call-head"><h1>Reference</h1><p class="lead">Every method, operation, subscription and topic of this server: what it takes, what it answers, how it fails. Each page has examples in five languages and runs the call.</p></header>
<div class="cards">${(Object.keys(SECTION_TITLES) as readonly Section[]).map(card)}</div>
<section class="panel"><h2>Credentials</h2><p>Pages that run calls fill in a key and a token of your dashboard session, which work for ten minutes, or take those that you type; they stay in the memory of the page. What you run is carried out: wallets are made, charged and destroyed, keys created and revoked. Keys and tokens of programs are made at the <a href="./dashboard/keys">dashboard</a>; a development server has its own in <code>dev.json</code> of its data directory.</p></section>
<section class="panel"><h2>For programs</h2><dl class="rows">${DOCUMENTS.map(
    ([path, text]) =>
      html`<div class="row"><dt><a class="row-name" href="./${path}"><code>/${path}</code></a></dt><dd>${text}</dd></div>`,
  )}</dl></section>
<section class="panel"><h2>When a call fails</h2><p>Every refusal has a stable code and says what to change. <a href="./docs/errors">All errors</a> lists them with their meaning.</p></section>
</article>
`);

const DOCUMENTS = [
  ['openrpc.json', 'Methods and subscriptions of the ledger, as OpenRPC.'],
  ['v1/openapi.json', 'The wallet service, as OpenAPI 3.1.'],
  ['account/v1/openapi.json', 'The account service, as OpenAPI 3.1.'],
  ['stream.proto', 'The service of the topic streams, as protobuf.'],
] as const;

const card = (section: Section): Html => {
  const { what, where, start } = ABOUT[section];
  return html`<section class="panel card"><h2><a href="./docs/${section}">${SECTION_TITLES[section]}</a></h2><p>${what}</p><p><code>${where.replace('{url}', '')}</code></p><p class="muted">Start with <a href="./docs/${section}/${start}"><code>${start}</code></a>.</p></section>`;
};

const errorsPage = (errors: readonly CatalogueError[]): string => {
  const sorted = [...errors].sort((a, b) => (a.name < b.name ? -1 : 1));
  return fileOf(html`<article class="page">
<header class="call-head"><h1>Errors</h1><p class="lead">${prose(
    'Match on codes and names, never on texts, which may change. JSON-RPC has a number in `error.code`; the REST services answer `application/problem+json` (RFC 9457) with a `code`; streams have the name in the trailing metadata `keyslot-error`; a WebSocket is closed with a code.',
  )}</p></header>
<section class="panel" aria-label="All errors"><dl class="rows">${sorted.map(errorRow)}</dl></section>
</article>
`);
};

const errorRow = (error: CatalogueError): Html => {
  const { name, summary, jsonrpc, grpc, close, problem, http } = error;
  const forms: readonly Content[] = [
    jsonrpc &&
      html`<li>JSON-RPC <code>${jsonrpc.code}</code> <code class="message">${jsonrpc.message}</code></li>`,
    problem && html`<li>REST ${problem.status ?? http} <code>${snakeCase(name)}</code></li>`,
    grpc && html`<li>gRPC <code>${grpc.status}</code></li>`,
    close && html`<li>WebSocket closes with <code>${close.code}</code></li>`,
  ];
  return html`<div class="row" id="${name}"><dt><code class="row-name">${name}</code></dt><dd>${prose(summary)}<ul class="forms">${forms}</ul></dd></div>`;
};
