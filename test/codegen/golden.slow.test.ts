import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatFiles } from '../../codegen/format.ts';
import { fixtureSources, generateFiles, pathHere } from './fixture.ts';

const files = new Map(Object.entries(formatFiles(generateFiles(fixtureSources()))));

if (process.env.UPDATE_GOLDEN === '1') {
  rmSync(pathHere('golden'), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(pathHere(`golden/${path}`)), { recursive: true });
    writeFileSync(pathHere(`golden/${path}.txt`), text);
  }
}

const golden = readdirSync(pathHere('golden'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.txt'),
);

describe('what is generated from the fixture', () => {
  it('is the golden files, no more and no less', () => {
    expect([...files.keys()].map((path) => `${path}.txt`).sort()).toEqual([...golden].sort());
  });

  it.each(golden)('%s', (path) => {
    expect(files.get(path.replace(/\.txt$/, ''))).toBe(readFileSync(pathHere(`golden/${path}`), 'utf8'));
  });

  it('begins with the note that it is generated, where the format has comments', () => {
    for (const [path, text] of files)
      if (!path.endsWith('.json')) expect(text.split('\n')[0]).toMatch(/Generated .* Do not edit/);
  });
});
