#!/usr/bin/env node
// The keyslot command of the package: runs src/main.js on the Node that the package pins, whatever Node the machine has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin/node');
const PROGRAM = fileURLToPath(new URL('../src/main.js', import.meta.url));
const PARENT_CHECK_MS = 500;

if (!existsSync(NODE)) {
  console.error(
    `keyslot: ${NODE} is missing: the install script of the package node did not run. Allow it, then: npm rebuild node`,
  );
  process.exit(1);
}

const parent = process.ppid;
const child = spawn(NODE, ['--disable-sigusr1', PROGRAM, ...process.argv.slice(2)], { stdio: 'inherit' });

// npx runs this by a shell, and a signal that it passes on can end the shell alone: then this one is meant too.
const isRunByNpm = process.env.npm_execpath !== undefined;
const watch = setInterval(() => {
  if (isRunByNpm && process.ppid !== parent) passOn('SIGTERM');
}, PARENT_CHECK_MS).unref();

// Ctrl-C reaches the child from the terminal, and a second signal would end a server before it has stopped in order.
const isInTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
process.on('SIGTERM', passOn);
for (const signal of ['SIGINT', 'SIGHUP'])
  process.on(signal, isInTerminal ? () => clearInterval(watch) : passOn);

function passOn(signal) {
  clearInterval(watch);
  child.kill(signal);
}

child.on('error', (error) => {
  console.error(`keyslot: ${NODE} does not start: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
