import type { ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import { createAuthenticator } from '../../wallets/live/authenticator.ts';
import { ACCOUNT } from '../../wallets/open-wallet-server.ts';
import type { Round } from './round.ts';
import { askWallets } from './singles.ts';

/**
 * Destroys a wallet. Where the answer does not come nobody knows whether it lives.
 * @returns whether the destruction was acknowledged.
 */
export async function destroyWallet(round: Round, wallet: ReceivedWallet): Promise<boolean> {
  const { book, fault } = round;
  const { wallet_id: id } = wallet;
  const code = await newCode(round);
  if (code === undefined) return false;
  book.living.delete(id);
  book.unsure.set(id, wallet);
  const headers = { 'x-two-factor-code': code };
  const answer = await askWallets(round, `/${id}`, undefined, { method: 'DELETE', headers });
  if (answer === undefined || answer.status >= 500) return false;
  book.unsure.delete(id);
  if (answer.status < 300) book.destroyed.set(id, wallet);
  else fault(`the destruction of ${id} was refused with ${answer.status} ${String(answer.body.code)}`);
  return answer.status < 300;
}

/** A code that was not used. Each has a secret of its own, since one secret has a new code twice a minute only. */
async function newCode({ server, isOver }: Round): Promise<string | undefined> {
  try {
    await server.ask({ kind: 'two-factor.remove', account: ACCOUNT }).catch(ignoreNotEnrolled);
    const { secret } = await server.ask<{ secret: string }>({ kind: 'two-factor.enrol', account: ACCOUNT });
    return await createAuthenticator(secret).code();
  } catch (error) {
    if (isOver()) return undefined;
    throw error;
  }
}

function ignoreNotEnrolled(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'twoFactorNotEnrolled')) throw error;
}
