/** The element outside of dialogs that had the focus when a dialog opened. */
let lastOpener: Element | null = null;

/**
 * Notes what has the focus, and returns the function that gives it back: to that element or, where it is gone because one
 * dialog followed another, to the one that opened the first; else to the page.
 */
export function createFocusReturn(): () => void {
  const active = document.activeElement;
  if (active?.closest('[role="dialog"]') === null) lastOpener = active;
  const candidates = [active, lastOpener, document.getElementById('page')];
  return () => {
    const next = candidates.find((element) => element?.isConnected && element !== document.body);
    if (next instanceof HTMLElement) next.focus();
  };
}
