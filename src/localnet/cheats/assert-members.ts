import type { MethodName } from '../../../generated/localnet/methods.ts';
import { PARAM_MEMBERS } from '../../../generated/localnet/members.ts';
import { serviceError } from '../../core/service-error.ts';

/**
 * Refuses members that a cheat code does not know, and more than one of several alternatives, since a misspelt member would have no effect.
 * Nodes ignore unknown members, and so do the ledger's own methods.
 *
 * @throws ServiceError invalidParam naming the members.
 */
export function assertMembers(method: MethodName, params: readonly unknown[]): void {
  for (const { position, name, members, isOneOf } of PARAM_MEMBERS[method] ?? []) {
    const value = params[position];
    if (typeof value !== 'object' || value === null) continue;
    const given = Object.entries(value).flatMap(([each, content]) => (content === null ? [] : [each]));
    const unknown = Object.keys(value).find((each) => !members.includes(each));
    if (unknown !== undefined)
      throw serviceError('invalidParam', {
        reason: `${name} has no member ${unknown.slice(0, MAX_SHOWN)}; it has ${members.join(', ')}`,
      });
    if (isOneOf && given.length > 1)
      throw serviceError('invalidParam', {
        reason: `${name} has one of ${members.join(', ')}, and not ${given.join(' and ')}`,
      });
  }
}

const MAX_SHOWN = 64;
