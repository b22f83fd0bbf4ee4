/* global SwaggerUIBundle */

/** The services that the page can show: the document, and the credential field with its security scheme in the document. */
const SERVICES = {
  ledger: { path: 'docs/ledger.json', field: 'api-key', scheme: 'apikey' },
  wallets: { path: 'docs/wallets.json', field: 'access-token', scheme: 'bearer' },
  account: { path: 'docs/account.json', field: 'access-token', scheme: 'bearer' },
};
/** The page is reloaded for another service, so that nothing, above all no credential, carries over. */
const ASKED = new URLSearchParams(location.search);
const SERVICE = Object.keys(SERVICES).find((name) => ASKED.has(name)) ?? 'ledger';
const DOCUMENT_URL = new URL(SERVICES[SERVICE].path, document.baseURI);
const NARROW = '(max-width: 860px)';

const byId = (id) => document.getElementById(id);

followColorScheme();
showService();
try {
  const reference = await readDocument();
  listMethods(reference);
  showReference(reference);
} catch (error) {
  byId('viewer').replaceChildren();
  byId('trouble').textContent = `The reference cannot be shown: ${error.message}`;
  byId('trouble').hidden = false;
}

/** The document with absolute server URLs, and with integers exact that a JavaScript number would round. */
async function readDocument() {
  const answer = await fetch(DOCUMENT_URL);
  if (!answer.ok) throw new Error(`${DOCUMENT_URL.pathname} answered ${answer.status}`);
  const reference = withExactExamples(JSON.parse(await answer.text(), keepInteger));
  for (const server of reference.servers)
    server.url = new URL(server.url, DOCUMENT_URL).href.replace(/\/$/, '');
  dropOptionalExamples(reference);
  return reference;
}

/** The viewer would prefill and send these examples: the key of an earlier request, a wrong code, a cursor of another list. */
function dropOptionalExamples({ paths }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.in !== 'path') delete parameter.example;
  }
}

/** Marks the service in the switch and shows its credential field. */
function showService() {
  const wanted = SERVICE === 'ledger' ? '' : `?${SERVICE}`;
  for (const link of byId('services').children) {
    if (new URL(link.href).search === wanted) link.setAttribute('aria-current', 'page');
  }
  const { field } = SERVICES[SERVICE];
  for (const part of document.querySelectorAll('.credential')) part.hidden = part.dataset.field !== field;
}

function showReference(spec) {
  const viewer = SwaggerUIBundle({
    spec,
    dom_id: '#viewer',
    plugins: [methodNames, exactExamples, exactAnswers],
    deepLinking: true,
    tryItOutEnabled: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    requestInterceptor: withoutFragment,
    responseInterceptor: withLines,
    onComplete: () => {
      takeKey(viewer);
      addEventListener('hashchange', () => {
        const [tag, name] = location.hash.slice(2).split('/').map(decodeURIComponent);
        if (name !== undefined) reveal(viewer, tag, name);
      });
      byId('methods').addEventListener('click', (event) => {
        const link = event.target.closest('a');
        if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (matchMedia(NARROW).matches) byId('contents').open = false;
        reveal(viewer, link.dataset.tag, link.textContent);
      });
    },
  });
}

/** Opens a method, puts it into the URL, and scrolls to it. */
function reveal({ layoutActions, layoutSelectors }, tag, name) {
  const group = ['operations-tag', tag];
  if (!layoutSelectors.isShown(group, true)) layoutActions.show(group, true);
  layoutActions.show(['operations', tag, name], true);
  requestAnimationFrame(() => {
    const opened = [...document.querySelectorAll('#viewer .opblock.is-open')];
    opened.find(({ id }) => id.endsWith(`-${name}`))?.scrollIntoView();
  });
}

/** Passes the credential to the viewer as it is typed. It is kept only in the memory of this page. */
function takeKey(viewer) {
  const { field, scheme } = SERVICES[SERVICE];
  const input = byId(field);
  const apply = () => {
    const key = input.value.trim();
    if (key === '') viewer.authActions.logout([scheme]);
    else viewer.preauthorizeApiKey(scheme, key);
  };
  input.addEventListener('input', apply);
  if (input.value !== '') apply();
  else if (SERVICE === 'ledger') askForKey(input, apply);
}

/** Asks the dashboard for a key, if that opened this page: see src/dashboard/calls/open-reference.ts. */
function askForKey(input, apply) {
  const { opener } = window;
  if (opener === null) return;
  addEventListener('message', ({ origin, source, data }) => {
    const isAnswer = origin === location.origin && source === opener && data?.keyslot === 'a key';
    if (!isAnswer || input.value !== '') return;
    input.value = data.key;
    apply();
  });
  opener.postMessage({ keyslot: 'asks for a key' }, location.origin);
}

/** In the document each method has its own path, `/#name`; requests go to the server's URL itself. */
function withoutFragment(request) {
  request.url = request.url.replace(/\/#[^?]*/, '');
  return request;
}

const isLines = (type) => /^application\/jsonl\b/.test(type ?? '');

/** Shows JSONL as text: the viewer does not know the type and would offer it as a file. */
async function withLines(response) {
  if (isLines(response.headers?.['content-type']) && response.text instanceof Blob) {
    response.text = await response.text.text();
    response.data = response.text;
  }
  return response;
}

function listMethods({ tags, paths }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const groups = tags.map(({ name }) => {
    const links = operations.filter((operation) => operation.tags[0] === name).map(linkTo);
    const group = document.createElement('section');
    const heading = document.createElement('h2');
    heading.textContent = name;
    group.append(heading, ...links);
    return group;
  });
  byId('methods').replaceChildren(...groups.filter((group) => group.querySelector('a') !== null));
  byId('find').addEventListener('input', findMethods);
  const narrow = matchMedia(NARROW);
  const fold = () => {
    byId('contents').open = !narrow.matches;
  };
  narrow.addEventListener('change', fold);
  fold();
}

function linkTo({ operationId, summary, tags: [tag] }) {
  const link = document.createElement('a');
  link.href = `#/${tag.replaceAll(' ', '%20')}/${operationId}`;
  link.dataset.tag = tag;
  link.textContent = operationId;
  link.title = summary;
  return link;
}

function findMethods() {
  const words = byId('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of byId('methods').children) {
    const about = group.querySelector('h2').textContent;
    for (const link of group.querySelectorAll('a')) {
      const text = `${link.textContent} ${link.title} ${about}`.toLowerCase();
      link.hidden = !words.every((word) => text.includes(word));
    }
    group.hidden = group.querySelector('a:not([hidden])') === null;
  }
  byId('nothing-found').hidden = byId('methods').querySelector('section:not([hidden])') !== null;
}

/** Shows a method's name in place of its path. */
function methodNames() {
  return {
    wrapComponents: {
      OperationSummaryPath:
        (Original, { React }) =>
        (props) => {
          const path = props.operationProps.get('path');
          const operationProps = props.operationProps.set('path', path.replace(/^\/#/, ''));
          return React.createElement(Original, { ...props, operationProps });
        },
    },
  };
}

/** Shows and sends a text example unchanged: the viewer would parse and reprint it. */
function exactExamples() {
  return {
    afterLoad({ fn }) {
      const { getSampleSchema } = fn;
      this.fn.getSampleSchema = (schema, type, config, example) =>
        typeof example === 'string' ? example : getSampleSchema(schema, type, config, example);
    },
  };
}

/** Shows an answer as received, with JSON indented: the viewer would round integers beyond 2^53. */
function exactAnswers() {
  return {
    wrapComponents: {
      responseBody:
        (Original, { React, getComponent }) =>
        (props) => {
          const text = typeof props.content === 'string' ? shownText(props) : undefined;
          if (text === undefined) return React.createElement(Original, props);
          const Code = getComponent('HighlightCode', true);
          return React.createElement(
            'div',
            null,
            React.createElement('h5', null, 'Response body'),
            React.createElement(
              Code,
              {
                language: 'json',
                downloadable: true,
                fileName: isLines(props.contentType) ? 'response.jsonl' : 'response.json',
                canCopy: true,
              },
              text,
            ),
          );
        },
    },
  };
}

function shownText({ content, contentType }) {
  return isLines(contentType) ? content : indentExactly(content);
}

/** Indents JSON text and keeps each number as written; undefined if it is not JSON. Older browsers get the text unchanged. */
function indentExactly(text) {
  try {
    const value = JSON.parse(text, (_key, member, context) =>
      typeof member === 'number' && JSON.rawJSON !== undefined ? JSON.rawJSON(context.source) : member,
    );
    return JSON.rawJSON === undefined ? text : JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

function keepInteger(_key, value, context) {
  const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && JSON.rawJSON !== undefined ? JSON.rawJSON(context.source) : value;
}

/** Turns examples with an integer beyond 2^53 into text, which the viewer shows and sends unchanged. */
function withExactExamples(node, isExamples = false) {
  if (typeof node !== 'object' || node === null) return node;
  if (JSON.isRawJSON?.(node)) return Number(node.rawJSON);
  if (Array.isArray(node)) return node.map((child) => withExactExamples(child));
  if (isExamples) {
    return Object.fromEntries(Object.entries(node).map(([name, example]) => [name, exactExample(example)]));
  }
  return Object.fromEntries(
    Object.entries(node).map(([name, child]) => [name, withExactExamples(child, name === 'examples')]),
  );
}

function exactExample(example) {
  return hasRaw(example?.value) ? { ...example, value: JSON.stringify(example.value, null, 2) } : example;
}

function hasRaw(node) {
  if (typeof node !== 'object' || node === null) return false;
  return JSON.isRawJSON?.(node) || Object.values(node).some(hasRaw);
}

/** The viewer's dark style depends on a class, not on the system preference. */
function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}
