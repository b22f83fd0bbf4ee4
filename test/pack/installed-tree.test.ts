import { expect, test } from 'vitest';
import { serverManifest } from '../../codegen/pack/server-manifest.ts';
import packageLock from '../../package-lock.json' with { type: 'json' };
import packageManifest from '../../package.json' with { type: 'json' };

type Locked = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
};

const locked = packageLock.packages as unknown as Readonly<Record<string, Locked>>;

/** The package that a name means below another one: the nearest of those that are installed. */
function resolve(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in locked) return path;
    if (folder === '') return undefined;
  }
}

/** The packages that an installation of keyslot has, by their paths in the lock file. */
function installed(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string, { dependencies = {}, optionalDependencies = {} }: Locked): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = resolve(from, name);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      visit(path, locked[path] ?? {});
    }
  };
  visit('', serverManifest(packageManifest));
  return found;
}

test('an installation has no package that reports it, nor the viewer that brought one', () => {
  const tree = [...installed()];
  expect(tree).toContain('node_modules/fastify');
  expect(tree.length).toBeGreaterThan(60);
  expect(tree.filter((path) => /scarf|swagger/.test(path))).toEqual([]);
  expect(tree.filter((path) => locked[path]?.dev)).toEqual([]);
});
