import { readFileSync } from 'node:fs';
import { ServiceError } from '../base/service-error.ts';
import { parseCommand } from './commands.ts';
import type { Terminal } from './terminal.ts';
import { usage } from './usage.ts';

/** The exit code for what the caller gave: a command line or a configuration. */
const EXIT_MISTAKE = 2;
const MISTAKES: ReadonlySet<string> = new Set(['invalidConfig', 'invalidCommand']);

/**
 * `keyslot` with these arguments. Rooms are loaded only by the command that needs them.
 *
 * @returns the exit code.
 * @throws what is a fault of ours.
 */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const command = parseCommand(args);
  const { env, writeOut, writeError } = terminal;
  const run = withExitCode(writeError);
  switch (command.kind) {
    case 'help':
      writeOut(usage());
      return 0;
    case 'version':
      writeOut(`keyslot ${readVersion()}\n`);
      return 0;
    case 'mistake':
      writeError(`keyslot: ${command.reason}\nSee: keyslot help\n`);
      return EXIT_MISTAKE;
    case 'serve':
      return run(async () => (await import('./serve.ts')).serve(command.options, env));
    case 'localnet':
      return run(async () => (await import('./localnet.ts')).localnet(command.options));
    case 'keys':
      return run(async () => (await import('./keys.ts')).keys(command, terminal));
    case 'plans':
      return run(async () => (await import('./plans.ts')).plans(command, terminal));
    case 'usage':
      return run(async () => (await import('./show-usage.ts')).showUsage(command, terminal));
    case 'nodes':
      return run(async () => (await import('./nodes.ts')).nodes(command, terminal));
    case 'hsm':
      return run(async () => (await import('./hsm.ts')).hsm(command, terminal));
    case 'signer':
      return run(async () => (await import('./signer.ts')).signer(command, terminal));
    case 'account':
      return run(async () => (await import('./account.ts')).account(command, terminal));
    case 'mock':
      return run(async () => (await import('./mock.ts')).mock(command.options));
    case 'contract':
      return run(async () => (await import('./contract.ts')).contract(command.args));
  }
}

/** A command that gives a number has chosen its exit code by it. */
function withExitCode(writeError: Terminal['writeError']) {
  return async (command: () => Promise<unknown>): Promise<number> => {
    try {
      const code = await command();
      return typeof code === 'number' ? code : 0;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'internalError') throw error;
      writeError(`keyslot: ${error.message}\n`);
      return MISTAKES.has(error.code) ? EXIT_MISTAKE : 1;
    }
  };
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
