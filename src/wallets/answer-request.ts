import type { WalletAnswers, WalletHandler, WalletRequest } from '../../generated/wallets/handlers.ts';
import { type OperationId, OPERATIONS } from '../../generated/wallets/operations.ts';
import { WALLET_HANDLERS } from '../../generated/wallets/wallet-handlers.ts';
import { audit, auditInOwnTransaction } from './audit.ts';
import { type Claimed, claimKey, NO_CLAIM, type Replacement, type WhenDelivered } from './claim.ts';
import { CLIENT_LEFT } from './client-left.ts';
import { findWallet } from './managed/find-wallet.ts';
import type { WalletDeps } from './wallet-deps.ts';
import type { Caller, WalletContext } from './wallet-context.ts';
import { toServiceError } from '../core/service-error.ts';
import { errorEntry } from '../../generated/errors.ts';
import type { PrintedAnswer, StreamAnswer } from '../../runtime/rest-operation.ts';
import { isWalletId } from './wallet-id.ts';

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
    accountId: caller.accountId,
    key,
    status,
    parts: partsOf(request.body),
    whenDelivered,
    replacement: received === undefined ? undefined : replacementOf(received),
  });

  function replacementOf(lines: number): Replacement {
    const action = OPERATIONS[operation].audit;
    return {
      received: lines,
      free: operation === 'createHdWallets' ? 1 : 0,
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
 * Passes on a stream and ends its claim with it. A failure is written to the audit log; a disconnect is recorded when the charge is
 * settled.
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

/** Releases the key of a refused request. A failure is only logged, so that the caller sees the reason of the refusal. */
async function leave({ claim, log, caller: { requestId } }: WalletContext): Promise<void> {
  try {
    await claim.release();
  } catch (error) {
    const { message: reason } = toServiceError(error);
    log.error({ reason, requestId }, 'cannot release the idempotency key of a refused request');
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

/** Number of words of a new mnemonic if the body does not set it. */
const DEFAULT_WORDS = 24;

/**
 * Returns the bodies of the requests that a request may repeat: its own and, if it has a `mnemonic`, those of a new mnemonic with as many
 * words. A tree that such a request began is resumed with the words of its first line.
 */
function earlierBodies(body: object | undefined): readonly unknown[] {
  if (body === undefined || !('mnemonic' in body) || typeof body.mnemonic !== 'string') return [body];
  const { mnemonic, ...others } = body;
  const mnemonic_words = mnemonic.trim().split(/\s+/).length;
  const worded = { ...others, mnemonic_words };
  return mnemonic_words === DEFAULT_WORDS ? [body, worded, others] : [body, worded];
}

/** The refused action, by its name in the audit log, and the id in the path; empty if the path has none. */
type Refused = { readonly action: string; readonly id: string };

/** Writes the reason of a refusal to the audit log. A failure is only logged, so that the caller sees the refusal itself. Never rejects. */
async function recordRefusal(
  context: WalletContext,
  { action, id }: Refused,
  thrown: unknown,
): Promise<void> {
  const { problem } = errorEntry(toServiceError(thrown).code);
  const outcome = thrown === CLIENT_LEFT ? 'interrupted' : (problem?.code ?? 'internal_error');
  const { address } = context.caller;
  const fact = { action, outcome, address, ...(isWalletId(id) && { walletId: id }) };
  try {
    await auditInOwnTransaction(context, fact);
  } catch (error) {
    const { requestId } = context.caller;
    const { message: reason } = toServiceError(error);
    context.log.error({ reason, requestId }, 'cannot write a refusal to the audit log');
  }
}
