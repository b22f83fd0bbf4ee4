import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatFiles } from '../../codegen/format.ts';
import { fixtureSources, generateFiles, pathHere } from './fixture.ts';

const isCopied = (path: string): boolean =>
  path.startsWith('runtime/') || /^contract\/[\w-]+\.ts$/.test(path);

const { files, copied } = (() => {
  const all = Object.entries(formatFiles(generateFiles(fixtureSources())));
  return {
    files: new Map(all.filter(([path]) => !isCopied(path))),
    copied: all.filter(([path]) => isCopied(path)),
  };
})();

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

  it('copies the runtime modules', () => {
    const names = copied.map(([path]) => basename(path));
    expect(names.sort()).toEqual(readdirSync(new URL('../../codegen/runtime', import.meta.url)).sort());
    const elsewhere = copied.filter(([path]) => !path.startsWith('runtime/')).map(([path]) => path);
    expect(elsewhere.sort()).toEqual([
      'contract/branches.ts',
      'contract/contract-case.ts',
      'contract/int-kinds.ts',
      'contract/lazy-validators.ts',
      'contract/missing-in.ts',
      'contract/result-schema.ts',
      'contract/value-keywords.ts',
      'contract/wallet-case.ts',
    ]);
  });
});
