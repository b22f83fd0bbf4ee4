import { printed } from '../../../runtime/call-snippets.ts';
import { parseJson } from '../../../runtime/json.ts';
import { announce, element, make } from './elements.ts';
import { hideExamples } from './run-call.ts';

type Watch = {
  readonly button: HTMLButtonElement;
  readonly call: {
    readonly url: string;
    /** The same address over HTTP, which says why a connection is refused: a browser does not. */
    readonly httpUrl: string;
    readonly apiKey: string;
    readonly message: string;
  };
  readonly signal: AbortSignal;
  readonly onEnded: () => void;
};

/** The newest messages stay on the page. */
const MAX_MESSAGES = 50;

/** Opens a WebSocket, subscribes, and shows every message as it comes, the newest first, until it is stopped or the server ends it. */
export function watchSubscription({ button, call, signal, onEnded }: Watch): void {
  const facts = make('p', { class: 'answer-facts' }, 'Connecting …');
  const list = make('ol', { class: 'messages', reversed: '' });
  element('answer', HTMLElement).replaceChildren(make('h3', {}, 'Messages'), facts, list);
  hideExamples();
  const title = button.textContent ?? '';
  button.textContent = 'Stop';
  let count = 0;
  let isOpen = false;
  const socket = new WebSocket(`${call.url}?apikey=${encodeURIComponent(call.apiKey)}`);
  const tell = (text: string): void => {
    facts.textContent = text;
    announce(text);
  };
  signal.addEventListener('abort', () => socket.close(1000));
  socket.onopen = () => {
    isOpen = true;
    tell('Connected.');
    socket.send(call.message);
  };
  socket.onmessage = ({ data }) => {
    count += 1;
    facts.textContent = `Connected, ${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}.`;
    list.prepend(messageItem(String(data)));
    if (list.childElementCount > MAX_MESSAGES) list.lastElementChild?.remove();
  };
  socket.onclose = async ({ code, reason }) => {
    button.textContent = title;
    onEnded();
    if (signal.aborted)
      tell(`Stopped after ${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}.`);
    else if (isOpen) tell(`The server ended the connection: ${code}${reason === '' ? '' : `, ${reason}`}.`);
    else tell(await whyRefused(call.httpUrl, call.apiKey));
  };
}

function messageItem(data: string): HTMLLIElement {
  const time = make('time', {}, new Date().toISOString().slice(11, 23));
  return make('li', {}, time, make('pre', { tabindex: '0' }, make('code', {}, shownMessage(data))));
}

function shownMessage(data: string): string {
  try {
    return printed(parseJson(data));
  } catch {
    return data;
  }
}

/** A browser keeps the answer to a refused WebSocket to itself: the same credential over HTTP is refused with the reason. */
async function whyRefused(url: string, apiKey: string): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey !== '' && { 'x-api-key': apiKey }) },
      body: '{"jsonrpc":"2.0","id":1,"method":"getHealth"}',
      credentials: 'omit',
    });
    const { error } = await response.json();
    if (!response.ok) return `The connection was refused: ${response.status}, ${error?.message}`;
  } catch {
    return 'The server does not answer.';
  }
  return 'The connection was refused.';
}
