import type {
  StreamAnswer,
  WalletAnswers,
  WalletHandler,
  WalletRequest,
} from '../../generated/wallets/handlers.ts';
import { type OperationId, OPERATIONS } from '../../generated/wallets/operations.ts';
import { WALLET_HANDLERS } from '../../generated/wallets/wallet-handlers.ts';
import { appendAudit } from '../account/audit/append-audit.ts';
import { errorEntry } from '../../generated/errors.ts';
import { canonicalJson } from './canonical-json.ts';
import { CLIENT_LEFT } from './client-left.ts';
import { claimKey, NO_CLAIM } from './claim.ts';
import { transact } from './transact.ts';
import type { Caller, WalletContext, WalletPlaces } from './wallet-context.ts';
import { isWalletId } from './wallet-id.ts';
import { toServiceError } from '../service-error.ts';

/** A request that has passed, and who sent it. */
export type PassedRequest<O extends OperationId> = {
  readonly operation: O;
  readonly request: WalletRequest<O>;
  readonly caller: Caller;
  /** The value of Idempotency-Key. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
};

/**
 * Carries out one request, once where it came with an Idempotency-Key. A refusal by the operation goes into the audit log. What it
 * costs, what it made and what the log says of it are committed together, before the answer is there.
 *
 * @throws ServiceError the refusals of the operation, and those of its Idempotency-Key.
 */
export async function answerRequest<O extends OperationId>(
  places: WalletPlaces,
  passed: PassedRequest<O>,
): Promise<WalletAnswers[O] | { readonly kind: 'printed'; readonly bytes: Uint8Array }> {
  const { operation, request, caller, idempotencyKey, signal } = passed;
  const claimed =
    idempotencyKey === undefined
      ? { kind: 'claim' as const, claim: NO_CLAIM }
      : await claimKey(places, {
          accountId: caller.accountId,
          key: idempotencyKey,
          status: OPERATIONS[operation].status,
          parts: [operation, request.id, request.form, canonicalJson(request.body)],
        });
  if (claimed.kind === 'replay') return { kind: 'printed', bytes: claimed.bytes };
  const { claim } = claimed;
  const context: WalletContext = { ...places, caller, signal, claim };
  const handler: WalletHandler<WalletContext, O> = WALLET_HANDLERS[operation];
  try {
    const answer = await handler(context, request);
    // A stream has the claim until its own end.
    if (answer.kind === 'stream') {
      return { ...answer, chunks: recordingFailure(context, passed, answer.chunks) };
    }
    claim.end();
    return answer;
  } catch (thrown) {
    await leave(context);
    await recordRefusal(context, passed, thrown);
    throw thrown;
  }
}

/** A stream whose failure goes into the audit log too. That a client has left is on record where it makes a difference. */
async function* recordingFailure<O extends OperationId>(
  context: WalletContext,
  passed: PassedRequest<O>,
  chunks: StreamAnswer['chunks'],
): StreamAnswer['chunks'] {
  try {
    yield* chunks;
  } catch (thrown) {
    if (thrown !== CLIENT_LEFT) await recordRefusal(context, passed, thrown);
    throw thrown;
  }
}

/** Gives the key of a refused request back. Why it was refused is what the caller must hear, whether or not the store takes it. */
async function leave({ claim, log, caller: { requestId } }: WalletContext): Promise<void> {
  try {
    await claim.leave(false);
  } catch (error) {
    log.error(
      { reason: toServiceError(error).message, requestId },
      'an idempotency key could not be given back',
    );
  } finally {
    claim.end();
  }
}

/** The refusal itself is what the caller must hear, whether or not the log can be written. */
async function recordRefusal<O extends OperationId>(
  context: WalletContext,
  { operation, request: { id }, caller }: PassedRequest<O>,
  thrown: unknown,
): Promise<void> {
  const { accountId, tokenId, requestId } = caller;
  const { code } = toServiceError(thrown);
  const outcome = thrown === CLIENT_LEFT ? 'interrupted' : errorEntry(code).problem?.code;
  const fact = {
    ...{ action: OPERATIONS[operation].audit, outcome: outcome ?? 'internal_error' },
    ...{ tokenId, requestId, walletId: isWalletId(id) ? id : undefined },
  };
  try {
    await transact(context, (tx) => appendAudit(tx, accountId, [fact], context.clock.nowMs()));
  } catch (error) {
    context.log.error({ err: error, requestId }, 'a refusal could not be written into the audit log');
  }
}
