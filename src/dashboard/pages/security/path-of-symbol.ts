/** Returns the dark modules as one path: a rectangle for each run of a row. */
export function pathOf(symbol: readonly (readonly boolean[])[]): string {
  return symbol
    .flatMap((row, y) =>
      [
        ...row
          .map((isDark) => (isDark ? '1' : '0'))
          .join('')
          .matchAll(/1+/g),
      ].map(({ 0: { length }, index }) => `M${index} ${y}h${length}v1h-${length}z`),
    )
    .join('');
}
