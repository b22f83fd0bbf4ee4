import { OPERATIONS } from '../../../generated/account/operations.ts';
import { type LabGateway, servingGateway } from '../gateways/lab-gateway.ts';
import { askService, isDone } from './ask-service.ts';
import { type AskingDeps, askUntilAnswered } from './ask-until-answered.ts';
import type { ClientDeps } from './client-deps.ts';
import type { Customer } from './wallets/wallet-book.ts';
import { postRpc } from './post-rpc.ts';

/** The account service takes 600 requests of an account in a minute. */
const BETWEEN_MS = 100;
/** Of this number of steps one creates a key, one revokes one, one rotates one; the others use one. */
const STEPS = 12;
const MOST_LIVING = 12;
const OVERLAPS_S = [0, 2];
const ROOT = OPERATIONS.createKey.path;

type KeyDeps = AskingDeps & Pick<ClientDeps, 'over' | 'readMs'>;

/** A client of the account service with an account of its own: creates, rotates and revokes API keys, and uses them at every gateway. */
export async function runKeyClient(deps: KeyDeps, book: KeyBook): Promise<void> {
  const { over, random, pause } = deps;
  while (!over.aborted) {
    const at = random(STEPS);
    if (book.living.size === 0 || (at === 0 && book.living.size < MOST_LIVING)) await createKey(deps, book);
    else if (at === 1 && book.living.size > 1) await revokeOne(deps, book);
    else if (at === 2) await rotateOne(deps, book);
    else await useOne(deps, book);
    await pause(BETWEEN_MS);
  }
}

/** Asks once: a second try would make a second key. What was not answered is a key that nobody has. */
async function createKey(deps: KeyDeps, book: KeyBook): Promise<void> {
  const gateway = servingGateway(deps.gateways, deps.random(deps.gateways.length));
  if (gateway === undefined) return;
  const { token } = book;
  const answer = await askService(gateway, { method: 'POST', path: ROOT, token, body: { name: 'lab' } });
  if (!isDone(answer)) return deps.timeline.count('key_changes_not_answered');
  deps.timeline.count('keys_created');
  enter(book, answer.body);
}

/** Asks once. If that is not answered, nobody knows whether the key was replaced, and it is revoked. */
async function rotateOne(deps: KeyDeps, book: KeyBook): Promise<void> {
  const gateway = servingGateway(deps.gateways, deps.random(deps.gateways.length));
  const key = drawKey(deps, [...book.living.values()]);
  if (gateway === undefined || key === undefined) return;
  const overlapS = OVERLAPS_S[deps.random(OVERLAPS_S.length)] ?? 0;
  const body = { overlap_seconds: overlapS };
  const askedMs = performance.now();
  book.living.delete(key.id);
  const answer = await askService(gateway, {
    method: 'POST',
    path: `${ROOT}/${key.id}/rotate`,
    token: book.token,
    body,
  });
  if (!isDone(answer)) {
    deps.timeline.count('key_changes_not_answered');
    return revoke(deps, book, key);
  }
  deps.timeline.count('keys_rotated');
  const overlapMs = overlapS * 1_000;
  const ends = { worksUntilMs: askedMs + overlapMs, endedMs: performance.now() + overlapMs };
  book.ended.set(key.id, { ...key, ...ends });
  enter(book, answer.body);
}

async function revokeOne(deps: KeyDeps, book: KeyBook): Promise<void> {
  const key = drawKey(deps, [...book.living.values()]);
  if (key === undefined) return;
  book.living.delete(key.id);
  await revoke(deps, book, key);
}

/** Asks until it is answered: a key that is revoked already is answered the same. */
async function revoke(deps: KeyDeps, book: KeyBook, key: ToldKey): Promise<void> {
  const request = { method: 'DELETE', path: `${ROOT}/${key.id}`, token: book.token } as const;
  const answer = await askUntilAnswered(
    deps,
    { ...request, what: 'a revocation', breaks: 'lost_key' },
    book.unanswered,
  );
  if (answer === undefined) return;
  deps.timeline.count('keys_revoked');
  // Somewhere it may have been refused from the first try on.
  book.ended.set(key.id, { ...key, worksUntilMs: key.sinceMs, endedMs: answer.atMs });
}

async function useOne(deps: KeyDeps, book: KeyBook): Promise<void> {
  const gateway = servingGateway(deps.gateways, deps.random(deps.gateways.length));
  const key = drawKey(deps, [...book.living.values(), ...[...book.ended.values()].slice(-MOST_LIVING)]);
  if (gateway !== undefined && key !== undefined) await tryKey(deps, gateway, key);
}

function enter(book: KeyBook, { key_id: id, api_key: text }: Readonly<Record<string, unknown>>): void {
  book.living.set(String(id), { id: String(id), text: String(text), sinceMs: performance.now() });
}

function drawKey({ random }: Pick<KeyDeps, 'random'>, keys: readonly ToldKey[]): ToldKey | undefined {
  return keys[random(Math.max(1, keys.length))];
}

/** An API key that a client was given. Instants are of `performance.now()`. */
export type ToldKey = {
  readonly id: string;
  readonly text: string;
  /** When the answer with the key came. */
  readonly sinceMs: number;
  /** Of a rotated key: until when it works in any case. */
  readonly worksUntilMs?: number;
  /** From when on it is revoked, or its overlap is over, in any case. */
  readonly endedMs?: number;
};

/** The API keys of one account. */
export type KeyBook = Customer & {
  readonly living: Map<string, ToldKey>;
  /** Revoked, or replaced: with an end. */
  readonly ended: Map<string, ToldKey>;
  /** Asked for until the end, and never answered. */
  readonly unanswered: string[];
};

/** A book without keys. */
export function newKeyBook({ account, token, secret, creditUsd }: Customer): KeyBook {
  return { account, token, secret, creditUsd, living: new Map(), ended: new Map(), unanswered: [] };
}

/** The time within which every gateway that reaches the store knows a change of a key. */
const KNOWN_MS = 1_000;
/** The time within which a gateway that could not reach the store listens to it again. */
const HEARS_AGAIN_MS = 2_000;
/** API key unknown, revoked, expired (spec/errors.yaml). */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_041, -32_042, -32_063]);

/** From when on a gateway knows every change up to an instant; undefined while it may not hear of any. */
export function knownFromMs(
  { hearsSinceMs }: Pick<LabGateway, 'hearsSinceMs'>,
  changedMs: number,
): number | undefined {
  const sinceMs = hearsSinceMs();
  return sinceMs === undefined ? undefined : Math.max(changedMs, sinceMs + HEARS_AGAIN_MS) + KNOWN_MS;
}

type TryingDeps = Pick<ClientDeps, 'findings' | 'timeline' | 'readMs'>;
type Shown = 'taken' | 'refused';

/**
 * Uses a key at a gateway once. From a second after the answer to a change on, every gateway has to know it; one that could not reach the
 * store, or stood still, from three seconds after the end of that.
 */
export async function tryKey(
  { findings, timeline, readMs }: TryingDeps,
  gateway: LabGateway,
  key: ToldKey,
): Promise<void> {
  const hearsSinceMs = gateway.hearsSinceMs();
  const sentMs = performance.now();
  const body = { jsonrpc: '2.0', id: 1, method: 'getSlot', params: [{ commitment: 'processed' }] };
  const outcome = await postRpc(`${gateway.rpcUrl}?apikey=${key.text}`, body, {
    name: 'keys',
    timeoutMs: readMs,
  });
  if (hearsSinceMs === undefined || gateway.hearsSinceMs() !== hearsSinceMs || !('answer' in outcome)) return;
  const { result, error } = outcome.answer as {
    readonly result?: unknown;
    readonly error?: { code?: unknown };
  };
  const shown: Shown | undefined =
    result !== undefined ? 'taken' : REFUSALS.has(error?.code) ? 'refused' : undefined;
  if (shown === undefined) return timeline.count('key_tries_not_answered');
  const isKnown = (changedMs: number): boolean => sentMs > (knownFromMs(gateway, changedMs) ?? sentMs);
  timeline.count('key_tries');
  if (key.endedMs !== undefined && isKnown(key.endedMs)) {
    findings.check('revoked_works');
    const late = Math.round(sentMs - key.endedMs);
    if (shown === 'taken')
      findings.break('revoked_works', `${gateway.name} takes the key ${key.id} ${late} ms after its end`);
  } else if (isKnown(key.sinceMs) && performance.now() < (key.worksUntilMs ?? Number.POSITIVE_INFINITY)) {
    findings.check('lost_key');
    if (shown === 'refused')
      findings.break('lost_key', `${gateway.name} refuses the key ${key.id} with ${String(error?.code)}`);
  }
}
