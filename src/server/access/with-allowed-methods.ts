import type { CallRules } from '../../account/identity/api-keys/key-rules.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { shown } from '../../core/shown.ts';
import { type Ledger, serveRemaining } from '../../gateway/ledger/ledger.ts';

/** Returns the current rules about the calls of a key; undefined if there are none. */
export type CallRulesOf = (keyId: string) => CallRules | undefined;

/**
 * Refuses the calls that their key does not allow with `apiKeyMethodRefused`, each call of a batch on its own. The others are served as
 * ever.
 */
export function withAllowedMethods(ledger: Ledger, callRulesOf: CallRulesOf): Ledger {
  return {
    serve: (call, context) => {
      assertMethodAllowed(callRulesOf(context.keyId), call.method);
      return ledger.serve(call, context);
    },
    serveBatch: (calls, context) => {
      const rules = callRulesOf(context.keyId);
      if (rules?.methods === undefined) return ledger.serveBatch(calls, context);
      const refused = calls.map(({ method }) => {
        const error = methodRefusal(rules, method);
        return error && { kind: 'failure' as const, error };
      });
      return serveRemaining(calls, refused, (rest) => ledger.serveBatch(rest, context));
    },
  };
}

/** @throws ServiceError `apiKeyMethodRefused`. */
export function assertMethodAllowed(rules: CallRules | undefined, method: string): void {
  const refusal = rules && methodRefusal(rules, method);
  if (refusal !== undefined) throw refusal;
}

/** Returns the error of a call that the rules do not allow. */
export function methodRefusal({ methods, allowed }: CallRules, method: string): ServiceError | undefined {
  if (methods === undefined || methods.has(method)) return undefined;
  return serviceError('apiKeyMethodRefused', { method: shown(method), allowed });
}
