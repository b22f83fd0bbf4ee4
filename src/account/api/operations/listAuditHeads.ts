import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readStoredHeads } from '../../audit/read-chain.ts';
import type { AccountContext } from '../account-context.ts';
import { readPart } from '../read-part.ts';
import { hexOf } from '../../audit/show-record.ts';

/** `GET /account/v1/audit/heads`: signed heads of the account's chain, oldest first. */
export const listAuditHeads: AccountHandler<AccountContext, 'listAuditHeads'> = async (
  { store, caller },
  { query },
) => {
  const { rows, nextSeq } = await readPart(query, (part) => readStoredHeads(store, caller.accountId, part));
  const heads = rows.map(({ accountId, seq, hash, at, publicKey, signature }) => ({
    account_id: accountId,
    seq,
    hash: hexOf(hash),
    at: at.toISOString(),
    public_key: hexOf(publicKey),
    signature: hexOf(signature),
  }));
  return { kind: 'json', body: { heads, ...nextSeq } };
};
