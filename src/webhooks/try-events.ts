import type { Answer, PostEvent } from './post-event.ts';
import { pauseAfter } from './retry-schedule.ts';
import { signEvent } from './sign-event.ts';
import type { Outgoing } from './outgoing.ts';
import type { Attempt, Outcome } from './write-outcomes.ts';

/** A receiver, as one round of attempts sees it. */
export type Receiver = {
  readonly url: URL;
  readonly secrets: readonly Uint8Array[];
  readonly post: PostEvent;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
};

const GONE = 410;

/**
 * Sends events side by side, those of one wallet one after the other; behind one that failed, those of its wallet wait.
 *
 * @returns what became of each, in the order given.
 */
export async function tryEvents(
  receiver: Receiver,
  events: readonly Outgoing[],
): Promise<readonly Outcome[]> {
  const outcomes = new Map<Outgoing, Outcome>();
  const tryInTurn = async (turn: readonly Outgoing[]): Promise<void> => {
    let isBlocked = false;
    for (const outgoing of turn) {
      const outcome: Outcome = isBlocked ? blocked(outgoing) : await tryEvent(receiver, outgoing);
      isBlocked = outcome.state === 'waiting';
      outcomes.set(outgoing, outcome);
    }
  };
  const turns = Object.values(Object.groupBy(events, ({ walletId, event }) => walletId ?? event.id));
  await Promise.all(turns.map((turn = []) => tryInTurn(turn)));
  return events.flatMap((outgoing) => outcomes.get(outgoing) ?? []);
}

/** An event that is not to be tried before the earlier ones of its wallet. */
export function blocked(outgoing: Outgoing): Outcome {
  return { outgoing, attempt: undefined, state: 'waiting', failures: outgoing.failures, nextAtMs: undefined };
}

/** True for the answer with which a receiver says that it wants no more events (RFC 9110, section 15.5.11). */
export function isGone({ attempt }: Outcome): boolean {
  return attempt?.answer.kind === 'answered' && attempt.answer.status === GONE;
}

async function tryEvent(receiver: Receiver, outgoing: Outgoing): Promise<Outcome> {
  const { url, secrets, post, userAgent, signal, nowMs } = receiver;
  const atMs = nowMs();
  const startedMs = performance.now();
  const headers = {
    ...{ 'Content-Type': 'application/json', 'User-Agent': userAgent },
    ...signEvent(outgoing.event, secrets, atMs),
  };
  const answer = await post({ url, headers, body: outgoing.event.body, signal });
  const attempt: Attempt = { atMs, durationMs: performance.now() - startedMs, answer };
  if (isTaken(answer)) return { outgoing, attempt, state: 'delivered', failures: 0, nextAtMs: undefined };
  const failures = outgoing.failures + 1;
  const pauseMs = pauseAfter(failures, answer.kind === 'answered' ? answer.retryAfterMs : undefined);
  if (pauseMs === undefined) return { outgoing, attempt, state: 'failed', failures, nextAtMs: undefined };
  return { outgoing, attempt, state: 'waiting', failures, nextAtMs: nowMs() + pauseMs };
}

function isTaken(answer: Answer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
}
