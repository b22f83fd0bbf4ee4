#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseCommand } from './cli/commands.ts';
import { usage } from './cli/usage.ts';
import { ServiceError } from './service-error.ts';

/** What Node has compiled is kept beside the packages, for the next start and for children: it takes a third of a start. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/keyslot', import.meta.url));
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** The exit code for what the caller gave: a command line or a configuration. */
const EXIT_MISTAKE = 2;
const MISTAKES: ReadonlySet<string> = new Set(['invalidConfig', 'invalidCommand']);

/** The command line. Returns the exit code. Rooms are loaded only by the command that needs them. */
async function main(args: readonly string[]): Promise<number> {
  const command = parseCommand(args);
  switch (command.kind) {
    case 'help':
      process.stdout.write(usage());
      return 0;
    case 'version':
      process.stdout.write(`keyslot ${readVersion()}\n`);
      return 0;
    case 'mistake':
      process.stderr.write(`keyslot: ${command.reason}\nSee: keyslot help\n`);
      return EXIT_MISTAKE;
    case 'serve':
      return run(async () => (await import('./cli/serve.ts')).serve(command.options, process.env));
    case 'localnet':
      return run(async () => (await import('./cli/localnet.ts')).localnet(command.options));
    case 'keys':
      return run(async () => (await import('./cli/keys.ts')).keys(command, process.env));
    case 'plans':
      return run(async () => (await import('./cli/plans.ts')).plans(command, process.env));
    case 'usage':
      return run(async () => (await import('./cli/show-usage.ts')).showUsage(command, process.env));
    case 'hsm':
      return run(async () => (await import('./cli/hsm.ts')).hsm(command, process.env));
    case 'signer':
      return run(async () => (await import('./cli/signer.ts')).signer(command, process.env));
    case 'account':
      return run(async () => (await import('./cli/account.ts')).account(command, process.env));
    case 'mock':
      return run(async () => (await import('./cli/mock.ts')).mock(command.options));
    case 'contract':
      return run(async () => (await import('./cli/contract.ts')).contract(command.args));
  }
}

/** A command that gives a number has chosen its exit code by it. */
async function run(command: () => Promise<unknown>): Promise<number> {
  try {
    const code = await command();
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'internalError') throw error;
    process.stderr.write(`keyslot: ${error.message}\n`);
    return MISTAKES.has(error.code) ? EXIT_MISTAKE : 1;
  }
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

process.exitCode = await main(process.argv.slice(2));
