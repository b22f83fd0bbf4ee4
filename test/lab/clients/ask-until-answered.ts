import type { Invariant } from '../checks/invariants.ts';
import { servingGateway } from '../gateways/lab-gateway.ts';
import { askService, isDone, isPassing, type ServiceAnswer, type ServiceRequest } from './ask-service.ts';
import type { ClientDeps } from './client-deps.ts';

const AGAIN_MS = 150;

export type AskingDeps = Pick<ClientDeps, 'gateways' | 'random' | 'findings' | 'timeline' | 'pause'> & {
  /** Aborted when nobody asks again any more. */
  readonly settled: AbortSignal;
};

export type InsistentRequest = ServiceRequest & {
  /** The request in words: `a creation`. */
  readonly what: string;
  /** The invariant that a refusal breaks. */
  readonly breaks: Invariant;
  /** True for a refusal that the client has asked for. */
  readonly isExpected?: (answer: ServiceAnswer) => boolean;
};

/** An answer, and when it came (`performance.now()`). */
export type ComeAnswer = ServiceAnswer & { readonly atMs: number };

/**
 * Asks one gateway after the other for the same, until it is answered: what would otherwise happen twice carries an `Idempotency-Key`.
 *
 * @param unanswered gets what was never answered.
 * @returns the answer; undefined for a refusal, which breaks an invariant, and for what was never answered.
 */
export async function askUntilAnswered(
  { gateways, random, findings, timeline, pause, settled }: AskingDeps,
  { what, breaks, isExpected = () => false, ...request }: InsistentRequest,
  unanswered: string[],
): Promise<ComeAnswer | undefined> {
  for (let turn = random(gateways.length); !settled.aborted; turn++) {
    const gateway = servingGateway(gateways, turn);
    const answer = gateway && (await askService(gateway, request));
    if (answer !== undefined && (isDone(answer) || isExpected(answer)))
      return { ...answer, atMs: performance.now() };
    if (answer !== undefined && !isPassing(answer)) {
      findings.check(breaks);
      findings.break(breaks, `${what} was refused with ${answer.status} ${String(answer.body.code)}`);
      return undefined;
    }
    timeline.count('requests_repeated');
    await pause(AGAIN_MS);
    // The pause is none when clients are to leave: what is open is still settled.
    if (answer === undefined) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  unanswered.push(what);
  return undefined;
}
