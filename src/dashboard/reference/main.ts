import '../style/tokens.css';
import '../style/base.css';
import '../style/parts.css';
import '../shell/shell.css';
import './reference.css';
import { chooseTheme, showTheme, storedTheme, THEMES } from '../shell/theme.ts';
import { mountPanel } from './call-panel.ts';
import { element } from './elements.ts';
import { absolute, followLinks, showCurrent } from './follow-links.ts';
import { findCalls } from './find-calls.ts';

// The script blocks rendering: what it changes here, such as the colours, is never seen otherwise.
showTheme(storedTheme());
absolute(document);
if (!followOldLink()) start();

function start(): void {
  offerThemes();
  foldMenu();
  findCalls();
  showCurrent();
  let unmount = mountPanel();
  followLinks({
    onShown: () => {
      unmount();
      unmount = mountPanel();
      openMenu(false);
    },
  });
  addEventListener('hashchange', followOldLink);
}

/**
 * Leads an address of the earlier reference, `/docs#/<tag>/<operation>`, to the page of the operation. The server has sent `/docs?wallets`
 * and `/docs?account` to their sections; a fragment survives that.
 */
function followOldLink(): boolean {
  if (!location.hash.startsWith('#/')) return false;
  const [, name = ''] = location.hash.slice(2).split('/');
  const links = [...document.querySelectorAll<HTMLAnchorElement>('#calls li a')];
  const found = links.find(({ textContent }) => encodeURIComponent(textContent ?? '') === name);
  location.replace(found?.href ?? location.pathname);
  return true;
}

function offerThemes(): void {
  const select = element('theme', HTMLSelectElement);
  select.append(...THEMES.map((theme) => new Option(theme, theme, false, theme === storedTheme())));
  select.addEventListener('change', () =>
    chooseTheme(THEMES.find((theme) => theme === select.value) ?? 'system'),
  );
}

/** The menu of a narrow screen. */
function foldMenu(): void {
  const button = document.querySelector('.menu-button');
  button?.addEventListener('click', () => openMenu(button.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button?.getAttribute('aria-expanded') !== 'true') return;
    openMenu(false);
    if (button instanceof HTMLElement) button.focus();
  });
}

function openMenu(isOpen: boolean): void {
  document.querySelector('.menu-button')?.setAttribute('aria-expanded', String(isOpen));
  element('menu', HTMLElement).dataset.open = String(isOpen);
}
