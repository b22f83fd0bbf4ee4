/** The width that help fits into. */
export const HELP_WIDTH = 100;

/** A text as lines of at most so many characters, broken at spaces. A longer word has a line of its own. */
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

/** Terms with their explanations beside them, indented by two; the explanations are wrapped and start in one column. */
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
