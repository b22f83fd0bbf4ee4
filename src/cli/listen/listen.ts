import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type AccountClient, createAccountClient, RestCallError } from '../../../generated/account/client.ts';
import type { AuditRecord } from '../../../generated/account/types.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Terminal } from '../../core/terminal.ts';
import { shownEvent } from '../../account/webhooks/audit-event.ts';
import type { WebhookEvent } from '../../account/webhooks/event.ts';
import { signEvent } from '../../account/webhooks/sign-event.ts';
import { isWanted, isEventPattern } from '../../account/webhooks/wanted-types.ts';
import type { Invocation } from '../parse-command-line.ts';
import type { OptionLists, OptionValues } from '../read-arguments.ts';
import { readServerAccess, readUrl, type ServerAccess } from '../server-access.ts';

const LOOK_MS = 1_000;
const PAGE = 100;
const FORWARD_MS = 15_000;
const SECRET_BYTES = 32;

/**
 * `keyslot listen`: prints the events of an account as they happen, and forwards them, signed as webhooks are, until SIGTERM or SIGINT.
 *
 * @throws ServiceError `invalidCommand`, also when the server refuses.
 */
export async function listen(
  { options: values, lists }: Pick<Invocation, 'options' | 'lists'>,
  { env, writeOut, writeError }: Terminal,
): Promise<number> {
  const options = await readListenOptions(values, lists, env);
  const stopping = stopSignal();
  const secret = randomBytes(SECRET_BYTES);
  if (options.forward !== undefined)
    writeError(
      `Forwarding events to ${options.forward.href}, signed with whsec_${secret.toString('base64')}\n`,
    );
  const client = createAccountClient({ url: options.url, token: options.token });
  writeError(`Listening to ${options.url}; press Ctrl+C to stop.\n`);
  for await (const record of readRecords(client, options, stopping, writeError)) {
    const event = shownEvent(record);
    if (!isWanted(options.patterns, event.type)) continue;
    const outcome =
      options.forward === undefined ? undefined : await forwardTo(options.forward, event, secret, stopping);
    writeOut(options.json ? `${event.body}\n` : describe(record, event, outcome));
    if (options.json && outcome !== undefined) writeError(`${event.id} ${outcome}\n`);
  }
  return 0;
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  return stopping.signal;
}

/** Yields the records of the audit log in order, and waits for more at its end. Retries while the server cannot be reached. */
async function* readRecords(
  client: AccountClient,
  { fromSeq }: ListenOptions,
  signal: AbortSignal,
  writeError: Terminal['writeError'],
): AsyncGenerator<AuditRecord> {
  let next = fromSeq;
  let isLost = false;
  while (!signal.aborted) {
    try {
      next ??= 1 + ((await client.listAuditRecords({ limit: 1 }, { signal })).records[0]?.seq ?? 0);
      const { records } = await client.listAuditChain({ from_seq: next, limit: PAGE }, { signal });
      if (isLost) writeError('Connected again.\n');
      isLost = false;
      yield* records;
      next = (records.at(-1)?.seq ?? next - 1) + 1;
      if (records.length < PAGE) await pause(LOOK_MS, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      assertPassing(error);
      if (!isLost) writeError('The server does not answer; retrying.\n');
      isLost = true;
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** @throws ServiceError `invalidCommand` unless a retry may help. */
function assertPassing(error: unknown): void {
  if (!(error instanceof RestCallError)) throw error;
  const { failure } = error;
  if (failure.kind === 'network' || failure.kind === 'timeout' || failure.kind === 'http') return;
  if (failure.kind === 'problem' && (failure.status === 429 || failure.status >= 500)) return;
  const reason = failure.kind === 'problem' ? `${failure.problem.detail} (${failure.code})` : error.message;
  throw serviceError('invalidCommand', { reason: `the server refused: ${reason}` }, error);
}

async function forwardTo(
  url: URL,
  event: WebhookEvent,
  secret: Uint8Array,
  signal: AbortSignal,
): Promise<string> {
  const startedMs = performance.now();
  const headers = { 'Content-Type': 'application/json', ...signEvent(event, [secret], Date.now()) };
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: event.body,
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_MS)]),
    });
    await answer.body?.cancel();
    return `${answer.status} in ${Math.round(performance.now() - startedMs)} ms`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `failed: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

function describe(record: AuditRecord, { type }: WebhookEvent, outcome: string | undefined): string {
  const { at, seq, outcome: result, wallet_id: walletId, subject } = record;
  const about = walletId ?? subject;
  const parts = [at.slice(11, 19), String(seq), type, ...(result === 'ok' ? [] : [result])];
  const told = outcome === undefined ? [] : [`-> ${outcome}`];
  return `${[...parts, ...(about === undefined ? [] : [about]), ...told].join('  ')}\n`;
}

/** The options of `keyslot listen`. */
type ListenOptions = ServerAccess & {
  /** The address to forward events to; undefined: none. */
  readonly forward: URL | undefined;
  readonly patterns: readonly string[];
  /** The first record; undefined: the next one. */
  readonly fromSeq: number | undefined;
  readonly json: boolean;
};

/**
 * Reads the options of `keyslot listen`. The default --url and token are those of the development account.
 *
 * @throws ServiceError `invalidCommand` with the mistake.
 */
async function readListenOptions(
  options: OptionValues,
  { event: patterns = [] }: OptionLists,
  env: NodeJS.ProcessEnv,
): Promise<ListenOptions> {
  const { forward, from, json } = options;
  const access = await readServerAccess(options, env);
  const unknown = patterns.find((pattern) => !isEventPattern(pattern));
  if (unknown !== undefined)
    throw mistake(`--event must be a type of event such as wallet.sign, or wallet.*; got ${unknown}`);
  return {
    ...access,
    patterns,
    json: json === true,
    forward: typeof forward === 'string' ? readUrl('--forward', forward) : undefined,
    fromSeq: typeof from === 'string' ? readSeq(from) : undefined,
  };
}

function readSeq(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw mistake(`--from must be the number of a record, from 1, got ${text}`);
}

function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}
