import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLED } from './bundled-packages.ts';
import { ROOT } from './compile.ts';
import type { RootManifest } from './root-manifest.ts';

type LockedPackage = Readonly<Record<string, unknown>> & {
  readonly dependencies?: Readonly<Record<string, string>>;
};
type Lock = { readonly packages: Readonly<Record<string, LockedPackage>> };

/**
 * Writes what an installation of the package contains, as CycloneDX: the versions that package-lock.json holds, with which it was tested.
 * An installation may have newer ones of packages below its dependencies.
 *
 * @throws Error of npm, after it has printed the reason.
 */
export const writeSbom = (path: string, manifest: object, root: RootManifest): void => {
  const scratch = mkdtempSync(join(tmpdir(), 'keyslot-sbom-'));
  // npm names the component after the folder.
  const folder = join(scratch, 'keyslot');
  try {
    mkdirSync(folder);
    const { packages, ...lock } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    const own = { ...manifest, bundleDependencies: [] };
    const changed = Object.entries(BUNDLED).map(([name, change]) => {
      const entry = `node_modules/${name}`;
      return [entry, change(packages[entry] ?? {}, root)];
    });
    const locked = { ...packages, ...Object.fromEntries(changed), '': own };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages: locked }));
    const npm = (...args: readonly string[]): string =>
      execFileSync('npm', [...args, '--offline'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 2],
        maxBuffer: 64 * 1024 * 1024,
      });
    // Leaves out what only the checkout needs.
    npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--silent');
    writeFileSync(path, npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
