import type { Pace } from '../json-rpc.ts';
import type { Answer } from '../wallets/check-answer.ts';
import { type SendWalletRequest, sendByFetch } from '../wallets/run-contract.ts';

/** Sends at the pace of the server. */
export function sendAtPace(baseUrl: string, pace: Pace): SendWalletRequest {
  return async (request, isRead) => {
    let answer: Answer | undefined;
    await pace(async () => {
      answer = await sendByFetch(baseUrl, request, isRead);
      const { status, text, headers } = answer;
      return { status, text, retryAfter: headers.get('retry-after') };
    });
    if (answer === undefined) throw new Error('nothing was sent');
    return answer;
  };
}
