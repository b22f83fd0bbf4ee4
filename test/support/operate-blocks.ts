import { readFileSync } from 'node:fs';
import { ROOT } from './source-files.ts';

const text = readFileSync(new URL('docs/operate.md', ROOT), 'utf8');

/** The block of docs/operate.md that has `part` in it. @throws Error if there is none. */
export function readOperateBlock(part: string): string {
  const blocks = text.split('\n```\n').filter((_, index) => index % 2 === 1);
  const found = blocks.find((block) => block.includes(part));
  if (found === undefined) throw new Error(`docs/operate.md has no block with ${part}`);
  return found;
}
