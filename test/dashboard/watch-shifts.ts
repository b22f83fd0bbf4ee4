/** A script that adds up how far the page's content moves by itself, as `window.shifted`. */
export const WATCH_SHIFTS = `window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true })`;
