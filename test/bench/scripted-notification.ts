/** An account's notification as a node sends it (165 bytes of data as base64), for a subscription. */
export const NOTIFICATION = (subscription: number, slot = 400): string =>
  `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":{"context":{"slot":${slot}},"value":{"lamports":2039280,"data":["${'A'.repeat(220)}","base64"],"owner":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA","executable":false,"rentEpoch":18446744073709551615,"space":165}},"subscription":${subscription}}}`;
