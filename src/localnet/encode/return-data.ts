import type { UiTransactionReturnData } from '../../../generated/ledger/types.ts';
import type { ReturnData } from '../model.ts';
import { encodeBase64 } from '../bytes/base64.ts';

/** Encodes return data as a base-64 pair with the program that set it. */
export function encodeReturnData({ programId, data }: ReturnData): UiTransactionReturnData {
  return { programId, data: [encodeBase64(data), 'base64'] };
}
