import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readChain } from '../../audit/read-chain.ts';
import type { AccountContext } from '../account-context.ts';
import { readPart } from '../read-part.ts';
import { showRecord } from '../../audit/show-record.ts';

/** `GET /account/v1/audit/chain`: records of the account's chain, oldest first, for verification. */
export const listAuditChain: AccountHandler<AccountContext, 'listAuditChain'> = async (
  { store, caller },
  { query },
) => {
  const { rows, nextSeq } = await readPart(query, (part) => readChain(store, caller.accountId, part));
  return { kind: 'json', body: { records: rows.map(showRecord), ...nextSeq } };
};
