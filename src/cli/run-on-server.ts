import { open, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../core/clock.ts';
import { headsFileOf, loadConfig } from '../core/config/load-config.ts';
import { ServiceError, serviceError } from '../core/service-error.ts';
import type { Terminal } from '../core/terminal.ts';
import type { CommandContext } from '../operate/admin/command-context.ts';
import { type Ask, runCommand } from '../operate/admin/run-command.ts';
import { configuredUrl } from '../serve/listen-options.ts';
import { enterGatewayUser } from '../serve/start-users.ts';
import { MAX_LIMIT } from '../store/list-page.ts';
import { ACCOUNT_ACTIONS } from './actions/accounts.ts';
import type { Action, Given } from './actions/action.ts';
import { BILLING_ACTIONS } from './actions/billing.ts';
import { KEY_ACTIONS } from './actions/keys.ts';
import { REQUEST_ACTIONS } from './actions/requests.ts';
import { SERVER_ACTIONS } from './actions/servers.ts';
import { SERVICE_LEVEL_ACTIONS } from './actions/service-level.ts';
import { WALLET_ACTIONS } from './actions/wallet-service.ts';
import { WEBHOOK_ACTIONS } from './actions/webhooks.ts';
import type { RunnableName } from './parse-command-line.ts';
import type { GivenArguments } from './read-arguments.ts';

const ACTIONS = {
  ...SERVER_ACTIONS,
  ...ACCOUNT_ACTIONS,
  ...KEY_ACTIONS,
  ...REQUEST_ACTIONS,
  ...WALLET_ACTIONS,
  ...BILLING_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...SERVICE_LEVEL_ACTIONS,
} satisfies { readonly [N in RunnableName]?: (given: Given) => Action };

/** The commands that run on a server, or in its store if no server runs. */
export type ServerCommandName = keyof typeof ACTIONS;

/** Returns the request of a command, and the forms of its result. @throws ServiceError with the mistake in the command. */
export function actionOf(name: ServerCommandName, given: Given): Action {
  const read: (given: Given) => Action = ACTIONS[name];
  return read(given);
}

/**
 * Runs a command on the running server of the data directory; without one, in its store. Prints the result for people or, with `--json`, as
 * one line of JSON.
 *
 * @returns the exit code: 1 for an audit log that is not intact, else 0.
 * @throws ServiceError with the mistake in the command, or the reason why it failed.
 */
export async function runOnServer(
  name: ServerCommandName,
  given: GivenArguments,
  terminal: Terminal,
): Promise<number> {
  const action = actionOf(name, { ...given, nowMs: systemClock.nowMs() });
  const { file, json, jsonl } = given.options;
  if (json === true && jsonl === true)
    throw serviceError('invalidCommand', { reason: 'expected either --json or --jsonl, got both' });
  if (given.options.follow === true) return await follow(action, given, terminal);
  const ask = async () => {
    const context = await openContext(given, terminal, name.startsWith('signer') ? 'signer' : 'other');
    const result = await runCommand(context, firstOf(action, given), (answer, ask) =>
      action.list === undefined
        ? Promise.resolve(action.toResult(answer, ask))
        : readList(action, action.list, given, { answer, ask, writeOut: terminal.writeOut }),
    ).catch((error: unknown) => {
      throw error instanceof ServiceError && action.toMistake ? action.toMistake(error) : error;
    });
    if (jsonl !== true)
      terminal.writeOut(json === true ? `${JSON.stringify(result)}\n` : action.describe(result));
    return result;
  };
  const result =
    name === 'setup-link' && typeof file === 'string' ? await withLinkFile(file, ask) : await ask();
  const isUnsound = typeof result === 'object' && result !== null && 'is_sound' in result && !result.is_sound;
  return isUnsound ? 1 : 0;
}

type ListRequest = Action['request'] & {
  readonly query: { readonly limit: number; readonly cursor?: string };
};
type Page = Readonly<Record<string, unknown>> & { readonly next_cursor?: string };
type Reading = { readonly answer: unknown; readonly ask: Ask } & Pick<Terminal, 'writeOut'>;

/** With `--jsonl` and without `--limit` a list is printed whole, in the largest pages. */
function isEndless({ options: { jsonl, limit } }: GivenArguments): boolean {
  return jsonl === true && limit === undefined;
}

function firstOf({ request, list }: Action, given: GivenArguments): Action['request'] {
  if (list === undefined || !isEndless(given)) return request;
  return { ...request, query: { ...(request as ListRequest).query, limit: MAX_LIMIT } } as Action['request'];
}

/**
 * Reads a list of at most `--limit` entries. With `--jsonl` each entry is printed as a line of JSON, page by page: a list of any length
 * takes the memory of one page.
 */
async function readList(
  action: Action,
  member: string,
  given: GivenArguments,
  { answer, ask, writeOut }: Reading,
): Promise<Page> {
  const { jsonl } = given.options;
  const { query } = action.request as ListRequest;
  const kept: unknown[] = [];
  let left = isEndless(given) ? Number.POSITIVE_INFINITY : query.limit;
  for (let page = (await action.toResult(answer, ask)) as Page; ; ) {
    const { [member]: entries, next_cursor: cursor, ...about } = page;
    const taken = entries as readonly unknown[];
    if (jsonl === true) writeOut(taken.map((one) => `${JSON.stringify(one)}\n`).join(''));
    else kept.push(...taken);
    left -= taken.length;
    if (cursor === undefined || left <= 0)
      return { ...about, [member]: kept, ...(cursor !== undefined && { next_cursor: cursor }) };
    const next = { ...action.request, query: { ...query, cursor, limit: Math.min(left, MAX_LIMIT) } };
    page = (await action.toResult(await ask(next as Action['request']), ask)) as Page;
  }
}

type Entry = { readonly id: string; readonly at: string };

const LOOK_MS = 1_000;
/** Entries may appear in the list this much later than others that are newer: each gateway writes its own. */
const LATE_MS = 15_000;
/** Entries that are printed before those that come, unless `--limit` or `--since` says otherwise. */
const FIRST_ENTRIES = 10;

/**
 * Prints the entries of a list as they come, oldest first, until SIGINT or SIGTERM. Each look is a command of its own, so that a server can
 * start and stop meanwhile.
 */
async function follow(
  { request, list = '', toLine = String }: Action,
  given: GivenArguments,
  terminal: Terminal,
) {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const { json, jsonl, limit, since } = given.options;
  const isJson = json === true || jsonl === true;
  const context = await openContext(given, terminal, 'other');
  const { query } = request as ListRequest;
  const seen = new Map<string, number>();
  const startMs = systemClock.nowMs();
  let newestMs = 0;
  const read = async (own: object): Promise<readonly [readonly Entry[], string | undefined]> => {
    const asked = { ...request, query: { ...query, ...own } } as Action['request'];
    const page = (await runCommand(context, asked, async (answer) => answer)) as Page;
    return [page[list] as readonly Entry[], page.next_cursor];
  };
  const readSince = async (sinceMs: number): Promise<readonly Entry[]> => {
    const window = { limit: MAX_LIMIT, since: new Date(sinceMs).toISOString() };
    let [found, cursor] = await read(window);
    while (cursor !== undefined) {
      const [more, next] = await read({ ...window, cursor });
      [found, cursor] = [[...found, ...more], next];
    }
    return found;
  };
  const isAsked = limit !== undefined || since !== undefined;
  let [entries] = await read(isAsked ? {} : { limit: FIRST_ENTRIES });
  while (!stopping.signal.aborted) {
    for (const entry of entries.toReversed()) {
      if (seen.has(entry.id)) continue;
      const atMs = Date.parse(entry.at);
      seen.set(entry.id, atMs);
      newestMs = Math.max(newestMs, atMs);
      terminal.writeOut(isJson ? `${JSON.stringify(entry)}\n` : toLine(entry));
    }
    for (const [id, atMs] of seen) if (atMs < newestMs - 2 * LATE_MS) seen.delete(id);
    await pause(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    if (stopping.signal.aborted) break;
    const fromMs = Math.max(newestMs, startMs) - LATE_MS;
    entries = await readSince(fromMs);
  }
  return 0;
}

/** For its owner only. */
const PRIVATE = 0o600;

/**
 * Writes the link of a result to a new file that only its owner can read. The file is created before the link, so that a link is only
 * created if it can be written.
 *
 * @returns the result of `ask`.
 * @throws ServiceError `invalidCommand` if the file exists or cannot be created, and the errors of `ask`; then no file is left.
 */
async function withLinkFile(path: string, ask: () => Promise<unknown>): Promise<unknown> {
  const handle = await open(path, 'wx', PRIVATE).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('invalidCommand', { reason: `--file must be a file that can be created: ${reason}` });
  });
  try {
    const result = await ask();
    await handle.chmod(PRIVATE);
    await handle.writeFile(`${linkOf(result)}\n`);
    return result;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function linkOf(result: unknown): string {
  if (typeof result === 'object' && result !== null && 'link' in result) return String(result.link);
  throw new TypeError('the result has no link');
}

/** Returns the context of a command from its options. @throws ServiceError `invalidConfig`. */
async function openContext(
  { options: { config: file, 'data-dir': dataDir } }: GivenArguments,
  { env, writeError }: Terminal,
  work: Parameters<typeof enterGatewayUser>[1],
): Promise<CommandContext> {
  const config = loadConfig({
    file: typeof file === 'string' ? file : undefined,
    env,
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
  const launcher = await enterGatewayUser(config, work);
  return {
    launcher,
    installationKeyFile: config.installation_key_file,
    headsFile: headsFileOf(config),
    baseUrl: configuredUrl(config),
    hsm: config.hsm,
    store: { dataDir: config.data_dir, databaseUrl: config.database_url },
    clock: systemClock,
    log: pino({ level: 'fatal' }, pino.destination({ dest: 2, sync: true })),
    onNote: (note: string) => writeError(`keyslot: ${note}\n`),
  };
}
