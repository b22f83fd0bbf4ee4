import type { Page } from 'playwright-core';

/** Returns what reaches out of its cell in the tables of a page, and if the page is wider than the screen. Empty is right. */
export async function findOverlaps(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`(() => {
    const isCut = (element, cell) => {
      for (let each = element.parentElement; each !== cell; each = each.parentElement)
        if (getComputedStyle(each).overflowX === 'hidden') return true;
      return false;
    };
    const found = [...document.querySelectorAll('td, th')].flatMap((cell) => {
      const own = cell.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(cell);
      const rects = [...range.getClientRects()];
      const parts = [...cell.querySelectorAll('*')].filter((part) => !part.matches('.only-read') && !isCut(part, cell));
      const isOut = ({ left, right, width }) => width > 1 && (left < own.left - 0.5 || right > own.right + 0.5);
      const out = parts.find((part) => isOut(part.getBoundingClientRect()))
        ?? (cell.childElementCount === 0 && rects.some(isOut) ? cell : undefined);
      return out === undefined ? [] : [out.tagName.toLowerCase() + ' "' + out.textContent + '"'];
    });
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > innerWidth ? [...found, 'the page is ' + scrollWidth + ' px wide'] : found;
  })()`);
}
