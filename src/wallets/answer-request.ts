import type {
  PrintedAnswer,
  StreamAnswer,
  WalletAnswers,
  WalletHandler,
  WalletRequest,
} from '../../generated/wallets/handlers.ts';
import { type OperationId, OPERATIONS } from '../../generated/wallets/operations.ts';
import { WALLET_HANDLERS } from '../../generated/wallets/wallet-handlers.ts';
import { audit, auditInOwnTransaction } from './audit.ts';
import { type Claimed, claimKey, NO_CLAIM, type Replacement, type WhenDelivered } from './claim.ts';
import { CLIENT_LEFT } from './client-left.ts';
import { earlierBodies } from './earlier-bodies.ts';
import { findWallet } from './managed/find-wallet.ts';
import { type Refused, recordRefusal } from './record-refusal.ts';
import type { WalletDeps } from './wallet-deps.ts';
import type { Caller, WalletContext } from './wallet-context.ts';
import { toServiceError } from '../base/service-error.ts';

/** A validated request, and its caller. */
export type ValidatedRequest<O extends OperationId> = {
  readonly operation: O;
  readonly request: WalletRequest<O>;
  readonly caller: Caller;
  /** The value of Idempotency-Key. */
  readonly idempotencyKey: string | undefined;
  /** The value of X-Wallets-Received: number of wallets that arrived of an earlier request with the key. */
  readonly received?: number | undefined;
  readonly signal: AbortSignal;
  /** Starts watching the response, which is not sent yet. */
  readonly watchDelivery: () => WhenDelivered;
};

/** The answer of an operation; a repeated request gets the bytes of the first answer. */
export type Answer<O extends OperationId> = WalletAnswers[O] | PrintedAnswer;

/**
 * Carries out one request, once if it has an Idempotency-Key. A refusal by the operation is written to the audit log. Its charge, its
 * wallets and its audit record are committed together, before it is answered.
 *
 * @throws ServiceError the refusals of the operation, and those of its Idempotency-Key.
 */
export async function answerRequest<O extends OperationId>(
  all: WalletDeps,
  passed: ValidatedRequest<O>,
): Promise<Answer<O>> {
  const { operation, request, caller, signal } = passed;
  const deps = { ...all, store: all.store.ofAccount(caller.accountId) };
  const claimed = await claim(deps, passed);
  const own = claimed.kind === 'claim' ? claimed.claim : NO_CLAIM;
  const context: WalletContext = { ...deps, caller, signal, claim: own };
  const handler: WalletHandler<WalletContext, O> = WALLET_HANDLERS[operation];
  const refused: Refused = { action: OPERATIONS[operation].audit, id: request.id };
  try {
    if (claimed.kind === 'replay') return await replay(context, refused, claimed.bytes);
    const answer = await handler(context, request);
    if (answer.kind === 'stream') return { ...answer, chunks: recorded(context, refused, answer.chunks) };
    own.end();
    return answer;
  } catch (thrown) {
    await leave(context);
    await recordRefusal(context, refused, thrown);
    throw thrown;
  }
}

async function claim<O extends OperationId>(deps: WalletDeps, passed: ValidatedRequest<O>): Promise<Claimed> {
  const { operation, request, caller, idempotencyKey: key, received, watchDelivery } = passed;
  if (key === undefined) return { kind: 'claim', claim: NO_CLAIM };
  const { status, secret } = OPERATIONS[operation];
  const partsOf = (body: unknown) => [operation, request.id, request.form, canonicalJson(body)];
  const whenDelivered = secret ? watchDelivery() : () => undefined;
  return claimKey(deps, {
    ...{ accountId: caller.accountId, key, status, parts: partsOf(request.body) },
    whenDelivered,
    replacement: received === undefined ? undefined : replacementOf(received),
  });

  function replacementOf(lines: number): Replacement {
    const action = OPERATIONS[operation].audit;
    return {
      ...{ received: lines, free: operation === 'createHdWallets' ? 1 : 0 },
      parts: earlierBodies(request.body).map(partsOf),
      record: (tx, units) =>
        audit(tx, { caller, clock: deps.clock }, [{ action, outcome: 'replayed', units }]),
    };
  }
}

/** Returns the answer of the first request; a wallet that was destroyed since is not found by it either. */
async function replay(context: WalletContext, { action, id }: Refused, bytes: Uint8Array) {
  const wallet = id === '' ? undefined : await findWallet(context, id);
  const fact = { action, outcome: 'replayed', ...(wallet && { walletId: wallet.id }) };
  await auditInOwnTransaction(context, fact);
  return { kind: 'printed' as const, bytes };
}

/**
 * Passes on a stream, whose claim ends with it. An error that breaks it off is written to the audit log; a client that leaves is recorded
 * where the charge is settled.
 */
async function* recorded(
  context: WalletContext,
  refused: Refused,
  chunks: StreamAnswer['chunks'],
): StreamAnswer['chunks'] {
  try {
    yield* chunks;
  } catch (thrown) {
    if (thrown !== CLIENT_LEFT) await recordRefusal(context, refused, thrown);
    throw thrown;
  }
}

/** Releases the key of a refused request. The caller must see the reason of the refusal, whether or not the store can do it. */
async function leave({ claim, log, caller: { requestId } }: WalletContext): Promise<void> {
  try {
    await claim.release();
  } catch (error) {
    const { message: reason } = toServiceError(error);
    log.error({ reason, requestId }, 'an idempotency key could not be released');
  } finally {
    claim.end();
  }
}

/** Prints a value as JSON text that does not depend on the order of members. Undefined members are left out. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) => (isObject(member) ? inOrder(member) : member));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inOrder(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
