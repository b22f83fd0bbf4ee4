import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ROOT } from './compile.ts';
import { packServer } from './pack-server.ts';
import type { RootManifest } from './root-manifest.ts';

const FILES = fileURLToPath(new URL('debian', import.meta.url));
const DEPLOY = join(ROOT, 'docs/deploy');
/** Everything that the package installs but its command, units and documents. */
const HOME = 'usr/lib/keyslot';
/** The names that Debian has for processors. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** Node 24 needs this C library. */
const DEPENDS = 'libc6 (>= 2.28), libstdc++6, systemd | systemd-sysusers';
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const UNITS = ['keyslot.service', 'keyslot-backup.service', 'keyslot-backup.timer'];

type Command = { readonly name: string; readonly summary: string };

/**
 * Installs the package keyslot with the pinned Node in a folder, and makes a Debian package of it, for the processor of this machine. npm
 * needs the registry, a C++ compiler and Python.
 *
 * @returns the path of the .deb.
 * @throws Error of the compiler, npm or dpkg-deb, after they have printed the reason, and if keys in a token would not work.
 */
export const packDebian = async (out: string): Promise<string> => {
  // Everybody may read what is installed, whoever packs it.
  process.umask(0o022);
  const folder = mkdtempSync(join(tmpdir(), 'keyslot-debian-'));
  const write = (path: string, data: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), data);
    chmodSync(join(folder, path), mode);
  };
  try {
    const tarball = packServer(folder);
    rmSync(join(folder, 'keyslot'), { recursive: true });
    install(folder, tarball);
    for (const unit of UNITS) write(`usr/lib/systemd/system/${unit}`, installed(unit));
    write('usr/bin/keyslot', installed('keyslot'), 0o755);
    write('usr/lib/sysusers.d/keyslot.conf', readFileSync(join(FILES, 'sysusers.conf')));
    write('etc/keyslot/keyslot.yaml', readFileSync(join(FILES, 'keyslot.yaml')), 0o640);
    write('usr/share/doc/keyslot/copyright', readFileSync(join(FILES, 'copyright')));
    write('usr/share/doc/keyslot/changelog.gz', gzipSync(readFileSync(join(ROOT, 'CHANGELOG.md'))));
    const sbom = tarball.replace(/\.tgz$/, '.cdx.json');
    write('usr/share/doc/keyslot/keyslot.cdx.json', readFileSync(sbom));
    for (const path of [tarball, sbom]) rmSync(path);

    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as RootManifest;
    const { completion, manual } = await describeCommands(folder, root);
    write('usr/share/bash-completion/completions/keyslot', completion);
    write('usr/share/man/man1/keyslot.1.gz', gzipSync(manual));

    const kib = execFileSync('du', ['-sk', folder], { encoding: 'utf8' });
    const architecture = ARCHITECTURES[process.arch] ?? process.arch;
    write('DEBIAN/control', control(root, architecture, Number.parseInt(kib, 10)));
    write('DEBIAN/conffiles', '/etc/keyslot/keyslot.yaml\n');
    for (const script of SCRIPTS) write(`DEBIAN/${script}`, readFileSync(join(FILES, script)), 0o755);
    execFileSync('chmod', ['-R', 'u=rwX,go-w', folder]);
    chmodSync(folder, 0o755);
    const deb = join(resolve(out), `keyslot_${debianVersion(root)}_${architecture}.deb`);
    mkdirSync(resolve(out), { recursive: true });
    // xz makes it a fifth smaller, in ten times the time.
    const build = ['--root-owner-group', '-Zzstd', '-z10', '--build', folder, deb];
    execFileSync('dpkg-deb', build, { stdio: ['ignore', 2, 2] });
    return deb;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const install = (folder: string, tarball: string): void => {
  const home = join(folder, HOME);
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "private": true, "allowScripts": { "pkcs11js": true } }\n');
  const npm = [
    'install',
    '--no-save',
    '--omit=dev',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--silent',
    tarball,
  ];
  execFileSync('npm', npm, { cwd: home, stdio: ['ignore', 2, 2] });
  if (!existsSync(join(home, 'node_modules/pkcs11js/build/Release/pkcs11.node')))
    throw new Error('pkcs11js was not compiled; install what it needs: apt-get install g++ make python3');
  // It names the tarball of this machine.
  rmSync(join(home, 'node_modules/.package-lock.json'));
  cpSync(join(ROOT, 'node_modules/node/bin/node'), join(home, 'bin/node'));
};

/** A file of docs/deploy with the paths of the package, and without what its first lines say about an installation by hand. */
const installed = (name: string): string =>
  readFileSync(join(DEPLOY, name), 'utf8')
    .replace(/^(#(?!!).*\n)+/m, '')
    .replaceAll('/usr/bin/node ', `/${HOME}/bin/node `)
    .replaceAll('/opt/keyslot/', `/${HOME}/`);

/** Asks the installed command line about itself. */
const describeCommands = async (folder: string, { version, description }: RootManifest) => {
  const load = async (path: string) =>
    (await import(pathToFileURL(join(folder, HOME, 'node_modules/keyslot/src/cli', path)).href)) as unknown;
  const { ALL_COMMANDS } = (await load('find-command.js')) as { readonly ALL_COMMANDS: readonly Command[] };
  const { helpPage } = (await load('help-page.js')) as { readonly helpPage: (command: Command) => string };
  const { completionScript } = (await load('completion/completion.js')) as {
    readonly completionScript: (shell: string) => string;
  };
  const pages = ALL_COMMANDS.map(
    (command) => `.SS ${escapeRoff(command.name)}\n.nf\n${escapeRoff(helpPage(command))}.fi\n`,
  );
  const manual = `.TH KEYSLOT 1 "" "Keyslot ${version}"
.SH NAME
keyslot \\- ${escapeRoff(description)}
.SH SYNOPSIS
.B keyslot
COMMAND [ARGUMENTS] [OPTIONS]
.SH COMMANDS
${pages.join('')}.SH FILES
.TP
/etc/keyslot/keyslot.yaml
Settings of the server.
.TP
/etc/keyslot/environment
Settings that are secret: a NAME=value in each line.
.TP
/var/lib/keyslot
Data directory: store, signing keys, record of destroyed keys.
.SH SEE ALSO
keyslot.service, keyslot\\-backup.timer of systemd
`;
  return { completion: completionScript('bash'), manual };
};

const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');

/** A version of npm as one of Debian, in which what comes before a release has a `~`. */
const debianVersion = ({ version }: RootManifest): string => version.replace('-', '~');

const control = (root: RootManifest, architecture: string, sizeKib: number): string => `Package: keyslot
Version: ${debianVersion(root)}
Architecture: ${architecture}
Maintainer: Keyslot maintainers <maintainers@keyslot.invalid>
Installed-Size: ${sizeKib}
Depends: ${DEPENDS}
Section: net
Priority: optional
Description: self-hosted Solana provider
 ${root.description}
`;
