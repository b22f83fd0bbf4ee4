import { LANGUAGES, languageTitle, type SnippetCall, snippetOf } from '../../../runtime/call-snippets.ts';
import { type Content, fileOf, type Html, html, prose } from './html.ts';

/** The parts of the interface that have pages of their own, as in their addresses: `docs/ledger/getBalance`. */
export type Section = 'ledger' | 'wallets' | 'account' | 'streams';

export const SECTION_TITLES: Readonly<Record<Section, string>> = {
  ledger: 'Ledger',
  wallets: 'Wallets',
  account: 'Account',
  streams: 'Streams',
};

/** Addresses in a page begin with `./`; the server replaces it by the way from the page to the root. */
export const pageLink = (section: Section, name: string): string => `./docs/${section}/${name}`;

/** Entries of the navigation under a title. */
export type Group = { readonly title: string; readonly entries: readonly Entry[] };

/** A page in the navigation. `words` are searched with its name and summary. */
export type Entry = { readonly name: string; readonly summary: string; readonly words?: string };

type Page = {
  readonly section: Section;
  readonly group: string;
  readonly title: string;
  /** Method and path of an operation, or the kind of call. */
  readonly address?: Html;
  readonly lead: string;
  readonly facts: readonly string[];
  /** The text, before and after what stands at the side on a wide screen. */
  readonly text: readonly Content[];
  readonly side: Html;
  readonly more?: Content;
};

/** A page of one call. */
export const callPage = ({ section, group, title, address, lead, facts, text, side, more }: Page): string =>
  fileOf(html`<article class="call-page">
<header class="call-head">
<p class="crumbs"><a href="./docs/${section}">${SECTION_TITLES[section]}</a> <span aria-hidden="true">/</span> ${group}</p>
<h1>${title}</h1>
${address}
<p class="lead">${prose(lead)}</p>
<ul class="call-facts">${facts.map((fact) => html`<li>${prose(fact)}</li>`)}</ul>
<p class="jump"><a class="button" href="#try">Examples</a></p>
</header>
<div class="call-text">${text}</div>
<aside class="call-side" aria-label="Examples and run">${side}</aside>
${more === undefined ? undefined : html`<div class="call-more">${more}</div>`}
</article>
`);

/** A part of a page under a heading. */
export const part = (id: string, title: string, content: Content): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

/** A param, member, header or field with what is known about it. */
export type Row = {
  readonly name: string;
  readonly type: Html;
  readonly isRequired: boolean;
  readonly text: string;
  /** How many others it lies in. */
  readonly depth: number;
};

/** Params or members as a list; those inside others are indented. */
export const rowList = (rows: readonly Row[]): Html =>
  rows.length === 0
    ? html`<p class="muted">None.</p>`
    : html`<dl class="rows">${rows.map(
        ({ name, type, isRequired, text, depth }) =>
          html`<div class="row" data-depth="${Math.min(depth, 3)}"><dt><code class="row-name">${name}</code> <span class="row-type">${type}</span>${
            isRequired ? html` <span class="badge badge-off">required</span>` : undefined
          }</dt><dd>${prose(text)}</dd></div>`,
      )}</dl>`;

/** An error as a page lists it. */
export type ErrorRow = {
  readonly name: string;
  readonly code: string | number;
  readonly message?: string;
  readonly meaning: string;
};

/** Errors with their meaning; each leads to its entry on the page of all errors. */
export const errorList = (rows: readonly ErrorRow[]): Html =>
  html`<dl class="rows">${rows.map(
    ({ name, code, message, meaning }) =>
      html`<div class="row"><dt><span class="badge badge-bad">${code}</span> <a class="row-name" href="./docs/errors#${name}"><code>${name}</code></a></dt><dd>${prose(meaning)}${
        message === undefined ? undefined : html` <code class="message">${message}</code>`
      }</dd></div>`,
  )}</dl>`;

/** A block of code that the keyboard can scroll. */
export const codeBlock = (code: Content): Html =>
  html`<div class="snippet"><pre tabindex="0"><code>${code}</code></pre></div>`;

/** What the examples of a call offer: the request that fills the form, and the answer that the documents show. */
export type ShownExample = {
  readonly name: string;
  readonly request: string;
  readonly answers: readonly Content[];
};

export type CallPanel = {
  readonly kind: SnippetCall['kind'];
  readonly name: string;
  /** Of the first example, with placeholders for addresses and credentials. */
  readonly snippet: SnippetCall;
  readonly examples: readonly ShownExample[];
  /** The fields of the form, between the credential and the button; undefined where a browser cannot make the call. */
  readonly fields: Content;
  /** What a program needs to know of the call, besides what its fields say: attributes of the panel. */
  readonly data: Readonly<Record<string, string>>;
  readonly credential: 'api-key' | 'access-token' | 'session' | 'none' | 'key-and-token';
};

/** The panel of a call: its examples in every language, the form that makes it, and the answer of the example. */
export const callPanel = ({ kind, name, snippet, examples, fields, data, credential }: CallPanel): Html =>
  html`<section class="panel try" aria-labelledby="try" data-kind="${kind}" data-name="${name}" data-credential="${credential}"${Object.entries(
    data,
  ).map(([key, value]) => html` data-${key}="${value}"`)}>
<div class="panel-head"><h2 id="try">${kind === 'topic' ? 'Read it' : kind === 'subscription' ? 'Subscribe' : 'Call'}</h2>${
    examples.length > 1
      ? html`<label class="example-choice"><span class="only-read">Example</span><select id="example">${examples.map(
          ({ name: title, request }) => html`<option value="${request}">${title}</option>`,
        )}</select></label>`
      : undefined
  }</div>
<div class="languages" role="group" aria-label="Language">${LANGUAGES.map(
    (language) =>
      html`<button type="button" data-language="${language}" aria-pressed="${language === 'shell' ? 'true' : 'false'}">${languageTitle(language, snippet)}</button>`,
  )}</div>
<div class="snippet"><pre id="snippet" tabindex="0"><code>${snippetOf('shell', snippet)}</code></pre></div>
<form id="run" class="run" autocomplete="off">
${credentialField(credential)}
${fields}
</form>
<div id="answer" class="answer"></div>
${examples.map(
  ({ answers }, index) =>
    html`<div class="example-answer"${index === 0 ? undefined : html` hidden`}>${answers}</div>`,
)}
</section>`;

/** A text of an example under its heading: an answer, a reply, a notification. */
export const exampleBlock = (title: Content, code: string): Html => html`<h3>${title}</h3>${codeBlock(code)}`;

const credentialField = (kind: CallPanel['credential']): Content => {
  if (kind === 'none') return undefined;
  if (kind === 'session')
    return html`<p class="field-hint" id="session-hint">This operation takes a dashboard session and no token: it runs as the member who is signed in at the <a href="./dashboard">dashboard</a>.</p>`;
  return [
    kind === 'access-token' ? undefined : secretField('api-key', 'API key', 'ks_key_…'),
    kind === 'api-key' ? undefined : secretField('access-token', 'Access token', 'ks_tok_…'),
    html`<p class="field-hint" id="credential-hint">Stays in this page. Filled in while you are signed in at the <a href="./dashboard">dashboard</a>.</p>`,
  ];
};

const secretField = (id: string, label: string, placeholder: string): Html =>
  html`<div class="field"><label for="${id}">${label}</label><input id="${id}" type="text" class="secret-input" placeholder="${placeholder}" autocomplete="off" autocapitalize="off" spellcheck="false" data-1p-ignore data-lpignore="true" aria-describedby="credential-hint"></div>`;

/** A text field of the form of a call. */
export const textField = (
  id: string,
  label: Content,
  options: { readonly hint?: string; readonly value?: string; readonly data: Html },
): Html =>
  html`<div class="field"><label for="${id}">${label}</label><input id="${id}" type="text" value="${options.value ?? ''}" spellcheck="false"${options.data}${
    options.hint === undefined ? undefined : html` aria-describedby="${id}-hint"`
  }>${options.hint === undefined ? undefined : html`<p class="field-hint" id="${id}-hint">${prose(options.hint)}</p>`}</div>`;

/** The field for the JSON that is sent. */
export const jsonField = (label: string, text: string): Html =>
  html`<div class="field"><label for="request">${label}</label><textarea id="request" rows="${Math.min(14, text.split('\n').length + 1)}" spellcheck="false" autocapitalize="off" aria-describedby="request-problem">${text}</textarea><p class="field-problem" id="request-problem"></p></div>`;

/** The button that makes the call. Scripts enable it. */
export const runButton = (title: string): Html =>
  html`<div class="run-actions"><button type="submit" class="button button-primary" disabled>${title}</button><span id="run-note" class="muted"></span><noscript>To run a call from this page, allow JavaScript.</noscript></div>`;

/** The groups of a section for the navigation of every page. */
export const navigation = (section: Section, groups: readonly Group[]): string =>
  fileOf(html`<section class="nav-section" aria-label="${SECTION_TITLES[section]}"><p class="nav-title"><a href="./docs/${section}">${SECTION_TITLES[section]}</a></p>
${groups.map(
  ({ title, entries }) =>
    html`<div class="navigation-section"><p>${title}</p><ul>${entries.map(
      ({ name, summary, words = '' }) =>
        html`<li><a href="${pageLink(section, name)}" data-words="${`${summary} ${words}`.trim()}">${breakable(name)}</a></li>
`,
    )}</ul></div>`,
)}</section>
`);

/** A name that may be broken before its capitals. */
const breakable = (name: string): Content =>
  name.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => (index === 0 ? word : html`<wbr>${word}`));

/** The page of a section: what it is, where it is, and all that it has. */
export const sectionPage = (
  section: Section,
  {
    lead,
    about,
    groups,
    more,
  }: {
    readonly lead: string;
    readonly about: Content;
    readonly groups: readonly Group[];
    readonly more?: Content;
  },
): string =>
  fileOf(html`<article class="page">
<header class="call-head"><h1>${SECTION_TITLES[section]}</h1><p class="lead">${prose(lead)}</p></header>
${about}
${groups.map(
  ({ title, entries }) =>
    html`<section class="panel"><h2>${title}</h2><dl class="rows">${entries.map(
      ({ name, summary }) =>
        html`<div class="row"><dt><a class="row-name" href="${pageLink(section, name)}"><code>${name}</code></a></dt><dd>${prose(summary)}</dd></div>`,
    )}</dl></section>`,
)}
${more}
</article>
`);
