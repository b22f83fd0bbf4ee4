import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startKeyslot } from '../support/keyslot.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { NODE, startNode } from '../support/node-process.ts';
import { processesBelow } from '../support/processes.ts';

const NOT_LINUX = 'what a process says of its core dumps is read from /proc, which only Linux has';
const NO_CORE_FILES = 'cores are files only where /proc/sys/kernel/core_pattern names a file';
const LISTENING = /Debugger listening/;
const directory = useNewDirectory();

test('no signal opens a debugger in the server, its signer or its ledger, however it was started', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const server = await startKeyslot();
  onTestFinished(server.stop);
  const processes = processesBelow(server.pid);
  expect(
    processes.map(({ command }) => /(main\.ts serve|signer\/main|localnet\/main)/.exec(command)?.[1]).sort(),
  ).toEqual(['localnet/main', 'main.ts serve', 'signer/main']);
  for (const { pid } of processes) process.kill(pid, 'SIGUSR1');
  // A Node without any of this opens one; by then these would have, too.
  const control = startNode(['-e', "setInterval(() => 0, 60_000); process.stdout.write('up')"], {});
  onTestFinished(control.stop);
  await eventually('the other process runs', () => control.stdout() || undefined);
  process.kill(control.pid, 'SIGUSR1');
  await eventually('the other process listens', () => LISTENING.test(control.stderr()) || undefined);
  expect(server.stderr()).not.toMatch(LISTENING);
  expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
  expect(processesBelow(server.pid).map(({ pid }) => pid)).toEqual(processes.map(({ pid }) => pid));
});

test('core dumps of the server, its signer and its ledger have no memory in them', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const server = await startKeyslot();
  onTestFinished(server.stop);
  for (const { pid } of processesBelow(server.pid)) {
    expect(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
  }
});

test('a core dump of a hardened process lacks what the process held', (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
  if (pattern.startsWith('|') || pattern.includes('/')) return context.skip(NO_CORE_FILES);
  const held = Buffer.from(Array.from({ length: 64 }, (_, index) => (index * 73 + 41) % 256));
  expect(coreOf('0').includes(held)).toBe(true);
  expect(coreOf('1').includes(held)).toBe(false);
});

/** The core of a process that aborted. */
function coreOf(isHardened: '0' | '1'): Buffer {
  const cwd = join(directory(), isHardened);
  mkdirSync(cwd);
  const crash = join(process.cwd(), 'test/attack/fixture/crash.ts');
  const { PATH = '' } = process.env;
  const command = 'ulimit -c unlimited && exec "$0" "$@"';
  spawnSync('sh', ['-c', command, NODE, crash, '41', '73', isHardened], { cwd, env: { PATH } });
  const [core] = readdirSync(cwd);
  if (core === undefined) throw new Error('it left no core');
  return readFileSync(join(cwd, core));
}
