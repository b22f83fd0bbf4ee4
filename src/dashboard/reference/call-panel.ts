import {
  LANGUAGES,
  PLACEHOLDERS,
  printed,
  type Language,
  type SnippetCall,
  snippetOf,
} from '../../../runtime/call-snippets.ts';
import { parseJson } from '../../../runtime/json.ts';
import { credential, fillCredentials, mountCredentials } from './credentials.ts';
import { copyButton, element, make, optionalElement } from './elements.ts';
import { runCall, type Sent } from './run-call.ts';
import { SERVED, SERVER_ADDRESS } from './served.ts';
import { watchSubscription } from './watch-subscription.ts';

const STORED = 'keyslot-language';

/**
 * Makes the panel of the page's call work: its examples, languages, fields and button.
 * @returns a function that ends what runs; the panel is about to be gone.
 */
export function mountPanel(): () => void {
  const panel = document.querySelector<HTMLElement>('.try');
  if (panel === null) return () => undefined;
  let stop: (() => void) | undefined;
  const show = (): void => showSnippet(panel);
  offerNetworks();
  takeParams(panel);
  offerLanguages(panel, show);
  chooseExamples(panel, show);
  for (const field of panel.querySelectorAll('#run input:not(.secret-input), #run select, #run textarea'))
    field.addEventListener('input', show);
  mountCredentials(show);
  show();
  const form = element('run', HTMLFormElement);
  const button = form.querySelector<HTMLButtonElement>('[type=submit]');
  if (button === null) return () => undefined;
  button.disabled = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (stop !== undefined) {
      stop();
      stop = undefined;
      return;
    }
    if (readBody() === undefined) return;
    const ended = (): void => {
      stop = undefined;
    };
    const isWatching = panel.dataset.kind === 'subscription';
    const aborted = new AbortController();
    stop = () => aborted.abort();
    await fillCredentials();
    if (isWatching)
      watchSubscription({ button, call: subscriptionCall(), signal: aborted.signal, onEnded: ended });
    else await runCall({ button, sent: sentOf(panel), signal: aborted.signal }).finally(ended);
  });
  return () => stop?.();
}

const PARAMS = '#params=';

/** Fills in the params of an address such as `/docs/ledger/getSlot#params=[]`: of a method alone, as others may do more than read. */
function takeParams({ dataset }: HTMLElement): void {
  if (dataset.kind !== 'method' || !location.hash.startsWith(PARAMS)) return;
  try {
    const params = parseJson(decodeURIComponent(location.hash.slice(PARAMS.length)));
    const request = { jsonrpc: '2.0', id: 1, method: dataset.name, params };
    element('request', HTMLTextAreaElement).value = printed(request);
  } catch (error) {
    element('request-problem', HTMLElement).textContent =
      `The params of the address are not JSON: ${error instanceof Error ? error.message : error}`;
  }
}

function offerNetworks(): void {
  const select = optionalElement('network', HTMLSelectElement);
  if (select === undefined) return;
  select.append(...SERVED.networks.map(({ rpcPath, label }) => new Option(label, rpcPath)));
  element('network-field', HTMLElement).hidden = SERVED.networks.length < 2;
}

function offerLanguages(panel: HTMLElement, onChange: () => void): void {
  const buttons = [...panel.querySelectorAll<HTMLButtonElement>('[data-language]')];
  const mark = (chosen: string): void => {
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.dataset.language === chosen));
  };
  mark(storedLanguage());
  for (const button of buttons)
    button.addEventListener('click', () => {
      localStorage.setItem(STORED, button.dataset.language ?? '');
      mark(storedLanguage());
      onChange();
    });
  panel
    .querySelector('.languages')
    ?.append(copyButton('Copy the program', () => element('snippet', HTMLElement).textContent ?? ''));
}

function storedLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  return LANGUAGES.find((language) => language === stored) ?? 'shell';
}

function chooseExamples(panel: HTMLElement, onChange: () => void): void {
  const select = optionalElement('example', HTMLSelectElement);
  const body = optionalElement('request', HTMLTextAreaElement);
  select?.addEventListener('change', () => {
    if (body !== undefined) body.value = select.value;
    for (const [index, answer] of [...panel.querySelectorAll<HTMLElement>('.example-answer')].entries())
      answer.hidden = index !== select.selectedIndex;
    onChange();
  });
}

function showSnippet(panel: HTMLElement): void {
  const call = readBody() === undefined ? undefined : snippetCall(panel);
  if (call === undefined) return;
  element('snippet', HTMLElement).replaceChildren(make('code', {}, snippetOf(storedLanguage(), call)));
}

/** Returns the JSON that is written, null without a field for it; undefined, with the reason next to the field, if it is none. */
function readBody(): unknown {
  const field = optionalElement('request', HTMLTextAreaElement);
  if (field === undefined) return null;
  const problem = element('request-problem', HTMLElement);
  try {
    const body = parseJson(field.value);
    problem.textContent = '';
    field.removeAttribute('aria-invalid');
    return body;
  } catch (error) {
    problem.textContent = `Not JSON: ${error instanceof Error ? error.message : error}`;
    field.setAttribute('aria-invalid', 'true');
    return undefined;
  }
}

function snippetCall(panel: HTMLElement): SnippetCall {
  const apiKey = credential('api-key') || PLACEHOLDERS.apiKey;
  const token = credential('access-token') || PLACEHOLDERS.token;
  switch (panel.dataset.kind) {
    case 'method':
      return { kind: 'method', url: networkUrl(), apiKey, ...messageParts() };
    case 'subscription':
      return { kind: 'subscription', url: socketUrl(), apiKey, ...messageParts() };
    case 'topic':
      return {
        kind: 'topic',
        url: SERVED.grpcUrl ?? PLACEHOLDERS.grpcUrl,
        protoUrl: `${SERVER_ADDRESS}/stream.proto`,
        topic: panel.dataset.name ?? '',
        metadata: {
          'x-api-key': apiKey,
          ...(panel.dataset.credential === 'key-and-token' && { authorization: `Bearer ${token}` }),
        },
      };
    default: {
      const { url, verb, headers, body } = operationOf(panel);
      const authorization =
        panel.dataset.credential === 'access-token' ? { authorization: `Bearer ${token}` } : {};
      return {
        kind: 'operation',
        url,
        verb,
        headers: { ...authorization, ...headers },
        body: body === undefined ? undefined : parseJson(body),
      };
    }
  }
}

function messageParts(): { readonly method: string; readonly params: readonly unknown[] } {
  const { method, params } = Object(readBody());
  return { method: String(method ?? ''), params: Array.isArray(params) ? params : [] };
}

function networkUrl(): string {
  return SERVER_ADDRESS + element('network', HTMLSelectElement).value;
}

function socketUrl(): string {
  return networkUrl().replace(/^http/, 'ws');
}

function subscriptionCall() {
  return {
    url: socketUrl(),
    httpUrl: networkUrl(),
    apiKey: credential('api-key'),
    message: element('request', HTMLTextAreaElement).value,
  };
}

/** The request as it goes over the wire: bodies as they are typed, with every digit. */
function sentOf(panel: HTMLElement): Sent {
  if (panel.dataset.kind === 'method') {
    const key = credential('api-key');
    return {
      url: networkUrl(),
      verb: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== '' && { 'x-api-key': key }) },
      body: element('request', HTMLTextAreaElement).value,
      withSession: false,
    };
  }
  const operation = operationOf(panel);
  const token = credential('access-token');
  return {
    ...operation,
    headers: { ...operation.headers, ...(token !== '' && { authorization: `Bearer ${token}` }) },
    withSession: panel.dataset.credential === 'session',
  };
}

function operationOf({ dataset }: HTMLElement): Omit<Sent, 'withSession'> {
  const id = optionalElement('path-id', HTMLInputElement)?.value.trim() ?? '';
  const search = new URLSearchParams(filled('query')).toString();
  const body = optionalElement('request', HTMLTextAreaElement)?.value;
  const accept = optionalElement('accept', HTMLSelectElement)?.value;
  const path = dataset.path?.replace('{id}', encodeURIComponent(id));
  return {
    url: `${SERVER_ADDRESS}${path}${search === '' ? '' : `?${search}`}`,
    verb: dataset.verb ?? 'GET',
    headers: {
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(filled('header').map(([name, value]) => [name.toLowerCase(), value])),
    },
    body,
  };
}

/** The optional fields that have a value, by name. */
function filled(place: 'query' | 'header'): [name: string, value: string][] {
  return [...document.querySelectorAll<HTMLInputElement>(`#run [data-${place}]`)].flatMap(
    ({ dataset, value }) =>
      value.trim() === '' ? [] : [[dataset[place] ?? '', value.trim()] satisfies [string, string]],
  );
}
