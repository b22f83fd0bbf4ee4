import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { TraceConfig, TransactionTrace } from '../../../generated/localnet/types.ts';
import { decodeBytes } from '../../core/wire/encoded-bytes.ts';
import type { Ledger } from '../ledger.ts';
import { touchTransaction } from '../fork/touch-transaction.ts';
import { type Idls, traceTransaction } from '../trace/trace-transaction.ts';
import { readIdl } from '../trace/idl/read-idl.ts';
import { landedRun, simulatedRun } from '../trace/transaction-runs.ts';
import { assertValid, readTransaction } from '../transaction/read-transaction.ts';

const SIGNATURE_BYTES = 64;
/** A signature has at most as many characters in base-58; no transaction has as few. */
const SIGNATURE_CHARACTERS = 88;

export const localnetTrace: LedgerHandler<Ledger, 'localnet_trace'> = async (ledger, transaction, config) => {
  const idls = givenIdls(ledger, config);
  if (isSignature(transaction)) return traceLanded(ledger, transaction, idls);
  const given = readTransaction(transaction, config?.encoding ?? 'base64');
  await touchTransaction(ledger, given);
  assertValid(ledger, given, ledger.blocks.openSlot);
  return traceTransaction(simulatedRun(ledger, given), idls);
};

function traceLanded(ledger: Ledger, signature: string, idls: Idls): TransactionTrace | null {
  const record = ledger.blocks.index.find(signature);
  return record === undefined ? null : traceTransaction(landedRun(ledger, record), idls);
}

function isSignature(text: string): boolean {
  if (text.length > SIGNATURE_CHARACTERS) return false;
  const decoded = decodeBytes(text, 'base58');
  return decoded.kind === 'bytes' && decoded.bytes.length === SIGNATURE_BYTES;
}

/** @throws ServiceError invalidParam. */
function givenIdls({ idls }: Ledger, config: TraceConfig | null | undefined): Idls {
  const given = config?.idls ?? [];
  if (given.length === 0) return idls;
  const own = new Map(given.map(({ program, idl }) => [program, readIdl(idl)]));
  return { get: (program) => own.get(program) ?? idls.get(program) };
}
