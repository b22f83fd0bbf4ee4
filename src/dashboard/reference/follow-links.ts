import { element } from './elements.ts';
import { DOCS_ADDRESS } from './served.ts';

/** Makes the addresses of links independent of the page's own, which changes without the page being loaded. */
export function absolute(root: ParentNode): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    if (!link.getAttribute('href')?.startsWith('#')) link.setAttribute('href', link.href);
  }
}

/**
 * Shows pages of the reference without loading each as a document of its own, so that a credential stays in the memory of this one. The parts of a
 * page come as a document that runs nothing (XMLHttpRequest with `responseType` document), never as a text that is parsed.
 */
export function followLinks({ onShown }: { readonly onShown: () => void }): void {
  history.scrollRestoration = 'manual';
  let shown = pageOf(location.href);
  const show = async (address: string, top: number): Promise<void> => {
    shown = pageOf(address);
    const page = await readPage(address);
    if (page === undefined) {
      location.assign(address);
      return;
    }
    const main = element('page', HTMLElement);
    absolute(page);
    main.replaceChildren(...(page.getElementById('page')?.childNodes ?? []));
    document.title = page.title;
    markCurrent();
    onShown();
    const target = document.getElementById(location.hash.slice(1));
    if (target === null) scrollTo(0, top);
    else target.scrollIntoView();
    main.focus({ preventScroll: true });
  };
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || !isFollowed(link, event)) return;
    event.preventDefault();
    history.replaceState({ top: scrollY }, '');
    history.pushState({ top: 0 }, '', link.href);
    void show(link.href, 0);
  });
  addEventListener('popstate', ({ state }: PopStateEvent) => {
    // A fragment of the same page is the browser's.
    if (pageOf(location.href) !== shown) void show(location.href, Number(Object(state).top ?? 0));
  });
}

/** An address without its fragment. */
function pageOf(address: string): string {
  return address.split('#')[0] ?? '';
}

function isFollowed(
  link: HTMLAnchorElement,
  { button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent,
): boolean {
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || link.target !== '') return false;
  const address = pageOf(link.href);
  const isPage = address === DOCS_ADDRESS || address.startsWith(`${DOCS_ADDRESS}/`);
  return isPage && address !== pageOf(location.href);
}

/** Returns a page as a document; undefined if the server does not answer with one. */
function readPage(address: string): Promise<Document | undefined> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.timeout = DEADLINE_MS;
    request.onloadend = () =>
      resolve(request.status === 200 ? (request.responseXML ?? undefined) : undefined);
    request.send();
  });
}

const DEADLINE_MS = 10_000;

function markCurrent(): void {
  const address = pageOf(location.href);
  for (const link of element('calls', HTMLElement).querySelectorAll('a')) {
    if (link.href === address) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  showCurrent();
}

/** Scrolls the navigation, and not the page, to the page that is shown. */
export function showCurrent(): void {
  const calls = element('calls', HTMLElement);
  const link = calls.querySelector('[aria-current]');
  if (link === null) return;
  const [{ top, bottom }, seen] = [link.getBoundingClientRect(), calls.getBoundingClientRect()];
  if (top < seen.top || bottom > seen.bottom) calls.scrollTop += top - seen.top - seen.height / 3;
}
