import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processesBelow } from './support/processes.ts';

// `make figures PACKAGE='old.tgz new.tgz'` installs these tarballs of keyslot, each in an empty folder, and prints what an installation costs.

/** By then a first start has settled: its store is closed for the first time to write a checkpoint. */
const SETTLED_MS = 22_000;
const MB = 1e6;

type Figures = Readonly<Record<string, number>>;

async function measure(tarball: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'keyslot-figures-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
    const npm = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', tarball];
    execFileSync('npm', npm, { cwd: folder, stdio: ['ignore', 2, 2] });
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      readonly packages: object;
    };
    const kib = execFileSync('du', ['-sk', join(folder, 'node_modules')], { encoding: 'utf8' });
    const first = await start(folder, SETTLED_MS);
    const later = await start(folder, 0);
    return {
      packages: Object.keys(lock.packages).length,
      'MB on disk': (Number.parseInt(kib, 10) * 1_024) / MB,
      'ms of the first start': first.startMs,
      'ms of a later start': later.startMs,
      'MB of memory after the first start, resident': first.residentMb,
      'the same, shared pages counted in parts': first.proportionalMb,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a server as an installation does, on the machine's Node. */
async function start(folder: string, settleMs: number) {
  const begun = performance.now();
  const args = ['serve', '--json', '--http-port', '0', '--grpc-port', '0'];
  const child = spawn(join(folder, 'node_modules/.bin/keyslot'), args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  if ((await Promise.race([once(child.stdout, 'data'), ended])).length > 1)
    throw new Error(`${folder}: the server does not start`);
  const startMs = performance.now() - begun;
  await pause(settleMs);
  const rollups = processesBelow(child.pid ?? 0).map(({ pid }) =>
    readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
  );
  const sum = (name: string): number =>
    rollups.reduce((all, text) => all + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]), 0);
  child.kill('SIGTERM');
  await ended;
  return { startMs, residentMb: (sum('Rss') * 1_024) / MB, proportionalMb: (sum('Pss') * 1_024) / MB };
}

const tarballs = process.argv.slice(2);
const measured: Figures[] = [];
for (const tarball of tarballs) measured.push(await measure(tarball));
for (const name of Object.keys(measured[0] ?? {})) {
  const columns = measured.map((figures) =>
    Math.round(figures[name] ?? 0)
      .toLocaleString('en-US')
      .padStart(9),
  );
  console.log(`${columns.join('')}  ${name}`);
}
