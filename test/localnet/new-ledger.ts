import type { MethodName } from '../../generated/ledger/methods.ts';
import type { MethodParams, MethodResults } from '../../generated/ledger/types.ts';
import { RESULT_VALIDATORS } from '../../generated/contract/ledger/results.ts';
import { parseJson, stringifyJson } from '../../src/core/rpc/json.ts';
import { ServiceError } from '../../src/core/service-error.ts';
import { callMethod } from '../../src/localnet/call-method.ts';
import { Ledger, type LedgerOptions } from '../../src/localnet/ledger.ts';

export const SLOT_MS = 400;

export type TestLedger = {
  readonly ledger: Ledger;
  /** Lets a number of slots pass. */
  readonly tick: (slots?: number) => void;
  /** Calls a method as a client does. Its result has the shape that the spec gives it, or the call throws. */
  readonly call: <M extends MethodName>(method: M, ...params: MethodParams[M]) => Promise<MethodResults[M]>;
  /** Calls with any params and answers the error. */
  readonly refusal: (method: MethodName, ...params: readonly unknown[]) => Promise<ServiceError>;
};

/** A ledger whose clock stands still until `tick`; under tower unless another consensus is given, which has more to show. */
export function newLedger(options: Partial<LedgerOptions> = {}): TestLedger {
  let nowMs = 1_760_000_000_000;
  const ledger = new Ledger({ nowMs: () => nowMs, slotMs: SLOT_MS, consensus: 'tower', ...options });
  const tick = (slots = 1): void => {
    for (let slot = 0; slot < slots; slot++) {
      nowMs += SLOT_MS;
      ledger.tick();
    }
  };
  const call: TestLedger['call'] = async (method, ...params) =>
    judged(method, await callMethod(ledger, method, params)) as never;
  const refusal: TestLedger['refusal'] = async (method, ...params) => {
    const result = await callMethod(ledger, method, params).catch((error: unknown) => error);
    if (result instanceof ServiceError) return result;
    throw new Error(`${method} was not refused: ${String(result)}`);
  };
  return { ledger, tick, call, refusal };
}

function judged(method: MethodName, result: unknown): unknown {
  const validate = RESULT_VALIDATORS[method];
  if (validate(parseJson(stringifyJson(result)))) return result;
  throw new Error(`${method} answered ${stringifyJson(result)}: ${JSON.stringify(validate.errors)}`);
}
