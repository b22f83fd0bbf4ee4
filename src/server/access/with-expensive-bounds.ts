import { Transform, type TransformCallback } from 'node:stream';
import { isMethodName, METHODS } from '../../../generated/ledger/methods.ts';
import { PLANS } from '../../../generated/plans.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { type Ledger, serveWithout } from '../../gateway/ledger/ledger.ts';
import type { LedgerReply } from '../../gateway/ledger/outcome.ts';
import type { Call } from '../../core/rpc/call.ts';
import type { PlanLimit } from './rate-limit.ts';

export type ExpensiveBoundsOptions = {
  readonly planOf: (accountId: string) => PlanLimit;
  /** Called for each call that is refused. */
  readonly onRefusal: (plan: string, error: ServiceError['code']) => void;
};

const FIGURES = PLANS.expensive_calls;

/** The calls that one key has in progress. */
type InProgress = { calls: number; bytes: number };

/**
 * Bounds the expensive calls that each key has in progress, in number and in the bytes of their answers, by its plan
 * (spec/plans.yaml). Throws ServiceError `tooManyExpensiveCalls`, `expensiveAnswerTooLarge`; an answer that does not announce its
 * size breaks off where it becomes too large.
 */
export function withExpensiveBounds(ledger: Ledger, { planOf, onRefusal }: ExpensiveBoundsOptions): Ledger {
  const keys = new Map<string, InProgress>();
  const refuse = (policy: string, error: ServiceError): ServiceError => {
    onRefusal(policy, error.code);
    return error;
  };
  const serveBounded: Ledger['serve'] = async (call, context) => {
    const { keyId, accountId } = context;
    const plan = planOf(accountId);
    const atOnce = mostAtOnce(plan);
    const own = keys.get(keyId) ?? { calls: 0, bytes: 0 };
    const about = { policy: plan.name, method: call.method };
    if (own.calls >= atOnce)
      throw refuse(
        plan.name,
        serviceError('tooManyExpensiveCalls', { ...about, limit: atOnce, value: own.calls }),
      );
    keys.set(keyId, own);
    own.calls++;
    const bytes = new AnswerBytes(own, atOnce * FIGURES.answer_bytes_each, (limit, value) =>
      refuse(plan.name, serviceError('expensiveAnswerTooLarge', { ...about, limit, value })),
    );
    const end = (): void => {
      bytes.release();
      own.calls--;
      if (own.calls === 0) keys.delete(keyId);
    };
    try {
      const reply = bytes.take(await ledger.serve(call, context));
      if (reply.kind === 'stream') reply.body.once('close', end);
      else end();
      return reply;
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    serve: (call, context) => (isExpensive(call) ? serveBounded : ledger.serve)(call, context),
    serveBatch: (calls, context) =>
      serveWithout(isExpensive, calls, (rest) => ledger.serveBatch(rest, context)),
  };
}

/** The bytes of one answer among those that its key has in progress. */
class AnswerBytes {
  readonly #own: InProgress;
  readonly #limit: number;
  readonly #tooLarge: (limit: number, value: number) => ServiceError;
  #bytes = 0;

  constructor(own: InProgress, limit: number, tooLarge: (limit: number, value: number) => ServiceError) {
    this.#own = own;
    this.#limit = limit;
    this.#tooLarge = tooLarge;
  }

  /** @throws ServiceError if the announced size is too large. */
  take(reply: LedgerReply): LedgerReply {
    if (reply.kind !== 'stream') return reply;
    if (reply.sizeBytes === undefined) return { ...reply, body: this.#counted(reply.body) };
    try {
      this.#add(reply.sizeBytes);
    } catch (error) {
      reply.body.on('error', () => undefined).destroy();
      throw error;
    }
    return reply;
  }

  release(): void {
    this.#own.bytes -= this.#bytes;
    this.#bytes = 0;
  }

  #add(bytes: number): void {
    const value = this.#own.bytes + bytes;
    if (value > this.#limit) throw this.#tooLarge(this.#limit, value);
    this.#own.bytes = value;
    this.#bytes += bytes;
  }

  #counted(body: NodeJS.ReadableStream & { destroy: (error?: Error) => unknown }): Transform {
    const add = (bytes: number): void => this.#add(bytes);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
        try {
          add(chunk.length);
          done(null, chunk);
        } catch (error) {
          done(error as Error);
        }
      },
    });
    body.on('error', (error: Error) => counted.destroy(error));
    counted.once('close', () => body.destroy());
    return body.pipe(counted);
  }
}

/** Returns the number of expensive calls that a key may have in progress. */
export function mostAtOnce({ requestsPerSecond }: Pick<PlanLimit, 'requestsPerSecond'>): number {
  return Math.max(FIGURES.least_at_once, Math.floor(requestsPerSecond / FIGURES.requests_per_second_each));
}

function isExpensive({ method, params }: Pick<Call, 'method' | 'params'>): boolean {
  if (!isMethodName(method)) return false;
  return METHODS[method].cost >= FIGURES.least_weight || spanOf(method, params) > FIGURES.wide_slots;
}

/** The number of slots that getBlocks and getBlocksWithLimit read; 0 for other calls. */
function spanOf(method: string, params: unknown): number {
  if (!Array.isArray(params)) return 0;
  const [start, end] = params as readonly unknown[];
  if (method === 'getBlocksWithLimit') return Number(end);
  if (method !== 'getBlocks') return 0;
  // Without an end, the call reads up to the newest slot, at most its limit.
  return typeof end === 'number' || typeof end === 'bigint' ? Number(end) - Number(start) : Infinity;
}
