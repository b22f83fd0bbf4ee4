import type { MethodName } from '../../../generated/localnet/methods.ts';
import type { MethodParams, MethodResults } from '../../../generated/localnet/types.ts';
import { ServiceError } from '../../../src/core/service-error.ts';
import { callMethod } from '../../../src/localnet/call-method.ts';
import type { LedgerOptions } from '../../../src/localnet/ledger.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';

export type CheatLedger = TestLedger & {
  readonly cheat: <M extends MethodName>(method: M, ...params: MethodParams[M]) => Promise<MethodResults[M]>;
  /** Calls a cheat code with any params and answers the error's message. */
  readonly cheatRefusal: (method: MethodName, ...params: readonly unknown[]) => Promise<string>;
};

/** A ledger that serves cheat codes. */
export function newCheatLedger(options: Partial<LedgerOptions> = {}): CheatLedger {
  const test = newLedger({ cheatCodes: true, ...options });
  return {
    ...test,
    cheat: async (method, ...params) => (await callMethod(test.ledger, method, params)) as never,
    cheatRefusal: async (method, ...params) => {
      const result = await callMethod(test.ledger, method, params).catch((error: unknown) => error);
      if (result instanceof ServiceError) return result.message;
      throw new Error(`${method} was not refused: ${String(result)}`);
    },
  };
}
