import { printed } from '../../../runtime/call-snippets.ts';
import { parseJson } from '../../../runtime/json.ts';
import { announce, copyButton, element, make } from './elements.ts';

/** A request that the page sends. */
export type Sent = {
  readonly url: string;
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, sent as it is. */
  readonly body: string | undefined;
  /** True if it goes with the cookie of the dashboard session. */
  readonly withSession: boolean;
};

type Run = { readonly button: HTMLButtonElement; readonly sent: Sent; readonly signal: AbortSignal };

/** The most characters of an answer that are shown; the whole can be saved. */
const MAX_SHOWN = 200_000;

/** Makes a call and shows its answer: the status, the time it took, and the body as it comes, with every digit. */
export async function runCall({ button, sent, signal }: Run): Promise<void> {
  const facts = make('p', { class: 'answer-facts' }, 'Waiting for the answer …');
  const text = make('code', {});
  const block = make('pre', { tabindex: '0' }, text);
  element('answer', HTMLElement).replaceChildren(
    make('h3', {}, 'Answer'),
    facts,
    make('div', { class: 'snippet' }, block),
  );
  hideExamples();
  const title = button.textContent ?? '';
  button.textContent = 'Stop';
  const begun = performance.now();
  try {
    const response = await send(sent, signal);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const decoder = new TextDecoder();
    const describe = (): void =>
      facts.replaceChildren(
        make(
          'span',
          { class: `badge badge-${response.ok ? 'good' : 'bad'}` },
          `${response.status} ${response.statusText}`.trim(),
        ),
        ` ${Math.round(performance.now() - begun).toLocaleString('en')} ms, ${size.toLocaleString('en')} bytes`,
      );
    for (const reader = response.body?.getReader(); reader !== undefined; ) {
      const { value, done } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
      if ((text.textContent ?? '').length < MAX_SHOWN) text.append(decoder.decode(value, { stream: true }));
      describe();
    }
    describe();
    const type = response.headers.get('content-type') ?? '';
    const whole = new Blob(chunks, { type });
    text.textContent = shownText(await whole.text(), type);
    if (size > MAX_SHOWN) facts.append(`; the first ${MAX_SHOWN.toLocaleString('en')} characters are shown`);
    facts.append(
      make(
        'span',
        { class: 'answer-actions' },
        copyButton('Copy the answer', () => text.textContent ?? ''),
        saveButton(whole, nameOf(response, type)),
      ),
    );
    announce(`Answered with ${response.status}.`);
  } catch (error) {
    facts.textContent = signal.aborted
      ? 'Stopped.'
      : `The server does not answer: ${error instanceof Error ? error.message : error}`;
    announce(facts.textContent);
  } finally {
    element('answer', HTMLElement).scrollIntoView({ block: 'nearest' });
    button.textContent = title;
  }
}

/** The answer of the example gives way to the real one. */
export function hideExamples(): void {
  for (const example of document.querySelectorAll<HTMLElement>('.example-answer')) example.hidden = true;
}

function send({ url, verb, headers, body, withSession }: Sent, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: verb,
    headers,
    ...(body !== undefined && { body }),
    credentials: withSession ? 'same-origin' : 'omit',
    mode: 'same-origin',
    cache: 'no-store',
    signal,
  });
}

function shownText(text: string, type: string): string {
  if (!/^application\/(problem\+)?json\b/.test(type)) return text.slice(0, MAX_SHOWN);
  try {
    return printed(parseJson(text)).slice(0, MAX_SHOWN);
  } catch {
    // A broken answer is shown as it came.
    return text.slice(0, MAX_SHOWN);
  }
}

function nameOf({ headers }: Response, type: string): string {
  const given = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '')?.[1];
  return given ?? `answer.${/jsonl/.test(type) ? 'jsonl' : /json/.test(type) ? 'json' : 'txt'}`;
}

function saveButton(whole: Blob, name: string): HTMLButtonElement {
  const button = make(
    'button',
    { type: 'button', class: 'small-button', 'aria-label': 'Save the answer' },
    'Save',
  );
  button.addEventListener('click', () => {
    const href = URL.createObjectURL(whole);
    make('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
  });
  return button;
}

const KEPT_MS = 60_000;
