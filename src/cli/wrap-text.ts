/** The width of help. */
export const HELP_WIDTH = 100;

/** Breaks a text at spaces into lines of at most `width` characters. A longer word gets its own line. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Lists terms next to their explanations, indented by two; the explanations are wrapped and start in one column. */
export function definitionList(rows: readonly (readonly [term: string, text: string])[]): string {
  const column = Math.max(...rows.map(([term]) => term.length)) + 4;
  return rows
    .map(([term, text]) => {
      const [first = '', ...others] = wrapText(text, HELP_WIDTH - column);
      const indent = ' '.repeat(column);
      return [`  ${term}`.padEnd(column) + first, ...others.map((line) => `${indent}${line}`)].join('\n');
    })
    .map((entry) => `${entry}\n`)
    .join('');
}
