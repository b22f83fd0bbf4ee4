import type { LabGateway } from '../../gateways/lab-gateway.ts';
import type { ClientDeps } from '../client-deps.ts';
import { postRpc } from '../post-rpc.ts';
import type { ToldKey } from './key-book.ts';

/** A change of a key is known at every gateway that reaches the store within so long. */
const KNOWN_MS = 1_000;
/** A gateway that could not reach the store listens to it again within so long. */
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
    ...{ name: 'keys', timeoutMs: readMs },
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
