/** The cursors of the pages up to the shown one; the first page has none. */
export type CursorStack = readonly string[];

/** Returns the stack of the next page. */
export function older(stack: CursorStack, nextCursor: string): CursorStack {
  return [...stack, nextCursor];
}

/** Returns the stack of the previous page; the first page stays. */
export function newer(stack: CursorStack): CursorStack {
  return stack.slice(0, -1);
}
