/** The cursors of the pages from the first to the one that is shown; the first page has none. */
export type CursorStack = readonly string[];

/** Returns the stack of the page after. */
export function older(stack: CursorStack, nextCursor: string): CursorStack {
  return [...stack, nextCursor];
}

/** Returns the stack of the page before; the first page stays. */
export function newer(stack: CursorStack): CursorStack {
  return stack.slice(0, -1);
}
