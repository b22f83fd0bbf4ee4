import { base58 } from '@scure/base';
import { parseJson } from '../../../src/core/rpc/json.ts';
import { openrpcDocument } from '../../../src/gateway/ledger/openrpc-document.ts';
import type { LedgerValues } from '../../server/differential/still-ledger.ts';

type Documented = {
  readonly methods: readonly {
    readonly name: string;
    readonly examples?: readonly {
      readonly params: readonly { readonly name: string; readonly value: unknown }[];
    }[];
  }[];
};

const DOCUMENT = JSON.parse(openrpcDocument()) as Documented;

const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Transactions that nobody has signed: none of them lands. */
const TRANSACTION_METHODS = ['sendTransaction', 'simulateTransaction'];

/** Values for the params of calls: those of the document's examples, and what the ledger at an address has now. */
export async function readLedgerValues(rpcUrl: string): Promise<LedgerValues> {
  const texts = [...new Set(DOCUMENT.methods.flatMap(({ examples = [] }) => textsIn(examples)))];
  const ofSize = (size: number): string[] => texts.filter((text) => sizeOf(text) === size);
  const ofParam = (methods: readonly string[], param: string): string[] =>
    DOCUMENT.methods
      .filter(({ name }) => methods.includes(name))
      .flatMap(({ examples = [] }) => examples.flatMap(({ params }) => params))
      .flatMap(({ name, value }) => (name === param && typeof value === 'string' ? [value] : []));
  const [identity, latest, slot] = await Promise.all([
    call<{ identity: string }>(rpcUrl, 'getIdentity'),
    call<{ value: { blockhash: string } }>(rpcUrl, 'getLatestBlockhash'),
    call<number>(rpcUrl, 'getSlot'),
  ]);
  const transactions = [...new Set(ofParam(TRANSACTION_METHODS, 'transaction'))];
  return {
    addresses: [...ofSize(ADDRESS_BYTES), identity.identity],
    named: { identity: [identity.identity] },
    signatures: ofSize(SIGNATURE_BYTES),
    blockhashes: [latest.value.blockhash, ...ofSize(ADDRESS_BYTES).slice(0, 3)],
    slots: [0, 1, slot - 1, slot, slot + 1, 432_000].map(BigInt),
    transactions,
    unlandable: transactions,
    messages: ofParam(['getFeeForMessage'], 'message'),
  };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function sizeOf(text: string): number | undefined {
  try {
    return base58.decode(text).length;
  } catch {
    return undefined;
  }
}

async function call<T>(rpcUrl: string, method: string): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
  return (parseJson(await answer.text()) as { result: T }).result;
}
