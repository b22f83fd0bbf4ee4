import { credentials } from './credentials.ts';

/** A message from the reference page to its opener: see src/server/pages/docs/page/page.js. */
type Asked = { readonly keyslot?: unknown };

const opened = new WeakSet<object>();
let isListening = false;

/**
 * Opens an operation in the reference in a new tab, with a key of the session filled in. The tab asks this one for the key, so that it is
 * in no address, and no other origin or window gets it.
 * @returns false if the browser opens no window.
 */
export function openReference(url: string): boolean {
  if (!isListening) addEventListener('message', (event) => void answer(event));
  isListening = true;
  const tab = window.open(url);
  if (tab === null) return false;
  opened.add(tab);
  return true;
}

async function answer({ origin, source, data }: MessageEvent<Asked | null>): Promise<void> {
  if (origin !== location.origin || source === null || !opened.has(source)) return;
  if (data?.keyslot !== 'asks for a key') return;
  const { api_key: key } = await credentials.read();
  source.postMessage({ keyslot: 'a key', key }, { targetOrigin: location.origin });
}
