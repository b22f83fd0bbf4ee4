import { expect, test } from 'vitest';
import { METHODS } from '../../../generated/localnet/methods.ts';
import { isMethodName } from '../../../generated/ledger/methods.ts';
import { ServiceError } from '../../../src/core/service-error.ts';
import { callMethod } from '../../../src/localnet/call-method.ts';
import { newLedger } from '../new-ledger.ts';

const { ledger } = newLedger();

test.each(Object.keys(METHODS))(
  '%s is no method of a ledger without the switch, and no method of the gateway',
  async (method) => {
    expect(isMethodName(method)).toBe(false);
    const error: unknown = await callMethod(ledger, method, []).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code: 'cheatCodesOff',
      message: 'Method not found: the cheat codes are off; start the embedded ledger with --cheat-codes',
    });
  },
);
