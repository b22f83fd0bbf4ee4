import { base58 } from '@scure/base';
import type { Block } from '../../../src/gateway/streams/block/block.ts';
import { readBlock } from '../../../src/gateway/streams/block/read-block.ts';
import { parseReply } from '../../../src/gateway/streams/block/parse-reply.ts';

export const address = (fill: number): string => base58.encode(new Uint8Array(32).fill(fill));
export const signature = (fill: number): string => base58.encode(new Uint8Array(64).fill(fill));

/** A legacy transaction with one signer: `keys` by what fills them; the last one is only read. */
export const wireOf = (signatureFill: number, keys: readonly number[]): string =>
  Buffer.concat([
    Uint8Array.of(1),
    new Uint8Array(64).fill(signatureFill),
    Uint8Array.of(1, 0, 1, keys.length),
    ...keys.map((fill) => new Uint8Array(32).fill(fill)),
    new Uint8Array(32).fill(99),
    Uint8Array.of(0),
  ]).toString('base64');

/** A result of getBlock: two transactions, the second one failed; amounts that no double holds. */
export const BLOCK_JSON = `{
  "blockhash": "${address(50)}", "previousBlockhash": "${address(49)}", "parentSlot": 346,
  "blockTime": 1700000000, "blockHeight": 340,
  "rewards": [{"pubkey":"${address(1)}","lamports":-18446744073,"postBalance":18446744073709551615,"rewardType":null,"commission":null}],
  "transactions": [
    {"transaction": ["${wireOf(60, [1, 2, 3])}", "base64"], "version": 0,
     "meta": {"err": null, "fee": 5000, "preBalances": [10000000, 5, 1, 2, 3], "postBalances": [9995000, 18446744073709551615, 1, 2, 3],
       "logMessages": ["Program log: hi"], "computeUnitsConsumed": 150,
       "loadedAddresses": {"writable": ["${address(4)}"], "readonly": ["${address(5)}"]},
       "postTokenBalances": [{"accountIndex":1,"mint":"${address(7)}","owner":"${address(1)}","programId":"${address(8)}",
         "uiTokenAmount":{"uiAmount":null,"decimals":6,"amount":"18446744073709551615","uiAmountString":"x"}}]}},
    {"transaction": ["${wireOf(61, [2, 1, 3])}", "base64"], "version": "legacy",
     "meta": {"err": {"InstructionError":[0,{"Custom":1}]}, "fee": 5000, "preBalances": [9000, 7, 1], "postBalances": [4000, 7, 1],
       "logMessages": null, "postTokenBalances": null}}
  ]}`;

/** That block, at slot 348. */
export const aBlock = (json = BLOCK_JSON): Block =>
  readBlock(parseReply(json), { slot: 348n, finalizedSlot: 316n, sizeBytes: json.length });

/** A result of getBlock with these transactions, base64, which all succeeded; no account holds anything. */
export const blockJsonOf = (wires: readonly string[]): string => {
  const balances = new Array<number>(64).fill(0);
  const meta = { err: null, fee: 5000, preBalances: balances, postBalances: balances };
  return JSON.stringify({
    blockhash: address(50),
    previousBlockhash: address(49),
    parentSlot: 346,
    transactions: wires.map((wire) => ({ transaction: [wire, 'base64'], meta })),
  });
};
