import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../support/source-files.ts';

const text = readFileSync(new URL('docs/operate.md', ROOT), 'utf8');

test.each([
  'Install',
  'TLS',
  'Nodes',
  'A token for the keys',
  'PostgreSQL',
  'Redis',
  'Backup',
  'Restore',
  'Upgrade',
  'Rotate everything',
  'Capacity',
  'What to watch',
  'What to do when',
])('an operator finds a section on: %s', (heading) => {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  expect(section.split('\n## ')[0]?.trim().split('\n').length).toBeGreaterThan(3);
});
