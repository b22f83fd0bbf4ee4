import cluster from 'node:cluster';
import { ServiceError } from '../core/service-error.ts';
import { commandsOf, findCommand } from './find-command.ts';
import { type Invocation, parseCommandLine, type RunnableName } from './parse-command-line.ts';
import type { ServerCommandName } from './run-on-server.ts';
import { type Terminal, withEscapes } from '../core/terminal.ts';
import { readVersion } from '../core/version.ts';

/** The exit code for a mistake in the command line or the configuration: a retry fails as well, or may lock an HSM token. */
const EXIT_MISTAKE = 2;
const MISTAKES: ReadonlySet<string> = new Set(['invalidConfig', 'invalidCommand', 'tokenPinRefused']);

/** A command that returns a number has chosen its exit code. */
type Run = (invocation: Invocation, terminal: Terminal) => Promise<unknown>;

type LocalName = Exclude<RunnableName, ServerCommandName>;

/** The commands that run locally, not on a server. Each loads only the code that it needs. */
const LOCAL: { readonly [N in LocalName]: Run } = {
  serve: async ({ options }, terminal) => {
    const { checkServe, serve } = await import('./serve.ts');
    return options.check === true ? checkServe(options, terminal) : serve(options, terminal.env);
  },
  localnet: async ({ options, lists }) => {
    const { readLocalnetOptions, runLocalnet } = await import('../localnet/main.ts');
    await runLocalnet(readLocalnetOptions(options, lists));
  },
  mock: async ({ options }) => {
    const { readMockOptions, runMock } = await import('../devkit/mock/main.ts');
    return await runMock(readMockOptions(options));
  },
  contract: async ({ rest }, terminal) =>
    (await import('../devkit/contract/contract-command.ts')).contractCommand(rest, terminal),
  listen: async (invocation, terminal) => (await import('./listen/listen.ts')).listen(invocation, terminal),
  'bill fetch': async (invocation, terminal) =>
    (await import('./bill/fetch-bill.ts')).fetchBill(invocation, terminal),
  'bill verify': async (invocation, terminal) =>
    (await import('./bill/verify-bill-file.ts')).verifyBillFile(invocation, terminal),
  'hsm check': async ({ options }, terminal) =>
    (await import('./check-hsm.ts')).checkConfiguredHsm(options, terminal),
  'config show': async (invocation, terminal) =>
    (await import('./show-config.ts')).showConfig(invocation, terminal),
  doctor: async ({ options }, terminal) => (await import('./doctor.ts')).doctor(options, terminal),
  'backup key': async (invocation, terminal) =>
    (await import('./run-backup.ts')).makeBackupKey(invocation, terminal),
  'backup create': async (invocation, terminal) =>
    (await import('./run-backup.ts')).makeBackup(invocation, terminal),
  'backup verify': async (invocation, terminal) =>
    (await import('./run-backup.ts')).checkBackup(invocation, terminal),
  restore: async (invocation, terminal) => (await import('./run-backup.ts')).restore(invocation, terminal),
  'store move': async (invocation, terminal) => (await import('./run-backup.ts')).move(invocation, terminal),
  completion: async ({ words: [shell = ''] }, { writeOut }) =>
    writeOut((await import('./completion/completion.ts')).completionScript(shell)),
};

/**
 * Runs `keyslot` with these arguments. Escapes characters that are not printable in its output: old names may contain them.
 *
 * @returns the exit code.
 * @throws an error that is a fault of Keyslot.
 */
export async function runCommandLine(args: readonly string[], given: Terminal): Promise<number> {
  const terminal = withEscapes(given);
  const line = parseCommandLine(args);
  switch (line.kind) {
    case 'help':
      terminal.writeOut(await helpOn(line.topic));
      return 0;
    case 'version':
      terminal.writeOut(`keyslot ${readVersion()}\n`);
      return 0;
    case 'mistake':
      terminal.writeError(`keyslot: ${line.reason}\n`);
      return EXIT_MISTAKE;
    case 'run':
      return run(line.invocation, terminal);
  }
}

async function run(invocation: Invocation, terminal: Terminal): Promise<number> {
  await warnOfVariables(invocation, terminal);
  try {
    const code = await runOf(invocation)(invocation, terminal);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'internalError') throw error;
    terminal.writeError(`keyslot: ${error.message}\n`);
    return MISTAKES.has(error.code) ? EXIT_MISTAKE : 1;
  }
}

/** Warns of variables without effect, once for all processes of a server; never for `completion`, whose output a shell reads. */
async function warnOfVariables({ name }: Invocation, { env, writeError }: Terminal): Promise<void> {
  const isSilent = name === 'completion' || cluster.isWorker;
  if (isSilent || !Object.keys(env).some((variable) => variable.startsWith('KEYSLOT_'))) return;
  const { unknownVariables } = await import('../core/config/unknown-variables.ts');
  for (const warning of unknownVariables(env)) writeError(`keyslot: ${warning}\n`);
}

function runOf({ name }: Invocation): Run {
  if (isLocal(name)) return LOCAL[name];
  return async (invocation, terminal) => {
    const { runOnServer } = await import('./run-on-server.ts');
    return runOnServer(name, invocation, terminal);
  };
}

function isLocal(name: RunnableName): name is LocalName {
  return Object.hasOwn(LOCAL, name);
}

async function helpOn(topic: string | undefined): Promise<string> {
  const { groupHelp, shortHelp } = await import('./help-page.ts');
  if (topic === undefined) return shortHelp();
  if (commandsOf(topic).length > 0) return groupHelp(topic);
  const found = findCommand(topic.split(' '));
  const { helpPage } = await import('./help-page.ts');
  return found === undefined ? shortHelp() : helpPage(found.command);
}
