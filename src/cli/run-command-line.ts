import cluster from 'node:cluster';
import { ServiceError } from '../base/service-error.ts';
import { commandsOf, findCommand } from './find-command.ts';
import { type Invocation, parseCommandLine, type RunnableName } from './parse-command-line.ts';
import type { ServerCommandName } from './server-request.ts';
import { type Terminal, withEscapes } from '../base/terminal.ts';
import { readVersion } from '../base/version.ts';

/** The exit code for a mistake of the caller, in the command line or in the configuration: another try fails too, or locks a token. */
const EXIT_MISTAKE = 2;
const MISTAKES: ReadonlySet<string> = new Set(['invalidConfig', 'invalidCommand', 'tokenPinRefused']);

/** A command that returns a number has chosen its exit code. */
type Run = (invocation: Invocation, terminal: Terminal) => Promise<unknown>;

type LocalName = Exclude<RunnableName, ServerCommandName>;

/** The commands that are not given to a server. Rooms are loaded only by the command that needs them. */
const LOCAL: { readonly [N in LocalName]: Run } = {
  serve: async ({ options }, { env }) => (await import('./serve.ts')).serve(options, env),
  localnet: async ({ options, lists }) => (await import('./localnet.ts')).localnet(options, lists),
  mock: async ({ options }) => (await import('./mock.ts')).mock(options),
  contract: async ({ rest }, terminal) =>
    (await import('../contract/contract-command.ts')).contractCommand(rest, terminal),
  listen: async (invocation, terminal) => (await import('./listen/listen.ts')).listen(invocation, terminal),
  'bill fetch': async (invocation, terminal) =>
    (await import('./bill/fetch-bill.ts')).fetchBill(invocation, terminal),
  'bill verify': async (invocation, terminal) =>
    (await import('./bill/verify-bill-file.ts')).verifyBillFile(invocation, terminal),
  'lab run': async (invocation, terminal) =>
    (await import('./run-lab.ts')).runLabCommand(invocation, terminal),
  'lab verify': async (invocation, terminal) =>
    (await import('./run-lab.ts')).verifyLabReport(invocation, terminal),
  'hsm check': async ({ options }, terminal) =>
    (await import('./check-hsm.ts')).checkConfiguredHsm(options, terminal),
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
 * Runs `keyslot` with these arguments. Characters that are not printable are escaped in what it prints: names may be older than the rule against them.
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

/** Says which variables have no effect, once for all processes of a server. A shell reads what `completion` prints. */
async function warnOfVariables({ name }: Invocation, { env, writeError }: Terminal): Promise<void> {
  const isSilent = name === 'completion' || cluster.isWorker;
  if (isSilent || !Object.keys(env).some((variable) => variable.startsWith('KEYSLOT_'))) return;
  const { unknownVariables } = await import('../config/unknown-variables.ts');
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
  const { groupHelp, shortHelp } = await import('./short-help.ts');
  if (topic === undefined) return shortHelp();
  if (commandsOf(topic).length > 0) return groupHelp(topic);
  const found = findCommand(topic.split(' '));
  const { helpPage } = await import('./help-page.ts');
  return found === undefined ? shortHelp() : helpPage(found.command);
}
