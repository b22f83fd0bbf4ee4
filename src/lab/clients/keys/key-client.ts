import { OPERATIONS } from '../../../../generated/account/operations.ts';
import { servingGateway } from '../../gateways/lab-gateway.ts';
import { askService, isDone } from '../ask-service.ts';
import { type AskingDeps, askUntilAnswered } from '../ask-until-answered.ts';
import type { ClientDeps } from '../client-deps.ts';
import type { KeyBook, ToldKey } from './key-book.ts';
import { tryKey } from './try-key.ts';

/** The account service takes 600 requests of an account in a minute. */
const BETWEEN_MS = 100;
/** Of so many steps one creates a key, one revokes one, one rotates one; the others use one. */
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
    ...{ method: 'POST', path: `${ROOT}/${key.id}/rotate`, token: book.token, body },
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
