#!/usr/bin/env -S node --disable-sigusr1
import './core/process/assert-node.ts';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from './cli/run-command-line.ts';
import { hardenProcess } from './core/process/harden-process.ts';
import { isPackaged } from './core/program.ts';

hardenProcess();

/** Compiled code is kept next to the packages of a checkout, for the next start and for children: compiling takes a third of a start. */
if (!isPackaged) {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/keyslot', import.meta.url),
  );
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** The exit code of a process whose reader has left, as a shell gives it for SIGPIPE. */
const EXIT_PIPE = 141;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT_PIPE);
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  isInteractive: process.stderr.isTTY,
});
