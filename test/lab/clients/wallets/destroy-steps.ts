import { Secret, TOTP } from 'otpauth';
import { servingGateway } from '../../gateways/lab-gateway.ts';
import { isDone, isPassing, type ServiceAnswer, askWallets } from '../ask-service.ts';
import type { AskingDeps } from '../ask-until-answered.ts';
import { drawWallet, type ToldWallet, type WalletBook } from './wallet-book.ts';

/** The time until a second factor has a new code; each is taken once. */
const CODE_MS = 30_000;

export type DestroyingDeps = Pick<AskingDeps, 'gateways' | 'random' | 'findings' | 'timeline'> & {
  /** The time of day, of which the codes of second factors follow. */
  readonly nowMs: () => number;
};

/** Says when the second factor has a code that was not used yet. */
export class CodeTurns {
  readonly #nowMs: () => number;
  #last: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#last = this.#now();
  }

  /** True once for each code. */
  take(): boolean {
    const now = this.#now();
    const isNew = now > this.#last;
    this.#last = now;
    return isNew;
  }

  #now(): number {
    return Math.floor(this.#nowMs() / CODE_MS);
  }
}

/**
 * Destroys a wallet that is no master: one whose destruction was asked for and not answered before any other. Asks once, since a code is not
 * taken twice. Not to be found is a wallet only that was destroyed by an earlier try.
 * @param chosen this one instead.
 */
export async function destroyOne(deps: DestroyingDeps, book: WalletBook, chosen?: ToldWallet): Promise<void> {
  const gateway = servingGateway(deps.gateways, deps.random(deps.gateways.length));
  const begun = chosen === undefined ? drawWallet(deps, book.unsure) : book.unsure.get(chosen.id);
  const single = new Map([...book.living].filter(([id]) => !book.trees.has(id)));
  const wallet = begun ?? chosen ?? drawWallet(deps, single);
  if (gateway === undefined || wallet === undefined) return;
  const code = new TOTP({ secret: Secret.fromBase32(book.secret) }).generate({ timestamp: deps.nowMs() });
  book.living.delete(wallet.id);
  book.unsure.set(wallet.id, wallet);
  const answer = await askWallets(gateway, {
    method: 'DELETE',
    path: `/${wallet.id}`,
    token: book.token,
    headers: { 'x-two-factor-code': code },
  });
  if (isPassing(answer)) return;
  deps.findings.check('lost_wallet');
  if (isDone(answer) || (begun !== undefined && answer.status === 404)) {
    deps.timeline.count('wallets_destroyed');
    book.unsure.delete(wallet.id);
    book.destroyed.set(wallet.id, wallet);
    return;
  }
  deps.timeline.count('destructions_refused');
  if (!isUsedCode(answer))
    deps.findings.break(
      'lost_wallet',
      `${gateway.name} refuses to destroy ${wallet.id} with ${answer.status} ${String(answer.body.code)}`,
    );
  // A refusal leaves the wallet as it was; what an earlier try has done is still not known.
  if (begun !== undefined) return;
  book.unsure.delete(wallet.id);
  book.living.set(wallet.id, wallet);
}

/** True for the refusal of a code that was used before, or that is of another time. */
function isUsedCode({ status, body }: ServiceAnswer): boolean {
  return status === 403 && body.code === 'two_factor_invalid';
}

type TryingDeps = Pick<AskingDeps, 'gateways' | 'random' | 'findings' | 'timeline'>;

/** A destroyed wallet must be gone at every gateway at once: 404, or no answer. */
export async function tryDestroyed(
  { gateways, random, findings, timeline }: TryingDeps,
  book: Pick<WalletBook, 'destroyed' | 'token'>,
): Promise<void> {
  const gateway = servingGateway(gateways, random(gateways.length));
  const wallet = drawWallet({ random }, book.destroyed);
  if (gateway === undefined || wallet === undefined) return;
  const body = { message: 'aGVsbG8=' };
  const { token } = book;
  const answer = await askWallets(gateway, { method: 'POST', path: `/${wallet.id}/sign`, token, body });
  if (isPassing(answer)) return;
  timeline.count('destroyed_tried');
  findings.check('destroyed_signs');
  if (answer.status !== 404)
    findings.break(
      'destroyed_signs',
      `${wallet.id} was destroyed, and ${gateway.name} answers ${answer.status} to sign`,
    );
}
