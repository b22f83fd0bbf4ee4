import { snakeCase, statusOf } from '../../model/errors.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestHead, RestModel } from '../../model/rest/rest.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { goodRequest, provoked } from './requests.ts';

/** The error of a session with an insufficient role. */
export const ROLE_REFUSAL = 'roleInsufficient';

/** The value of a run with the session of a role. */
const sessionOf = (role: string): string => `$${role}_session`;

/** The values that cases about sessions name, whatever the operations. */
export const sessionValues = ({ 'x-roles': roles }: RestHead): readonly string[] =>
  roles === undefined
    ? []
    : ['session', 'other_account_session', ...Object.keys(roles).map((role) => sessionOf(role).slice(1))];

/** The sessions of the roles that an operation refuses. */
export const excludedRoles = (
  { auth, roles }: Pick<Operation, 'auth' | 'roles'>,
  { 'x-roles': known = {} }: RestHead,
): readonly string[] =>
  auth.includes('session')
    ? Object.keys(known)
        .filter((role) => !roles.includes(role))
        .map(sessionOf)
    : [];

/**
 * A session of every role that may call the operation (`cases.ts` has the refused ones); if the path has an id, also an owner of another
 * account.
 */
export const roleCases = (operation: Operation, { head }: RestModel): readonly RestCase[] => {
  if (!operation.auth.includes('session')) return [];
  const headers = head['x-headers'].every ?? [];
  const problem = (status: number, code: string): RestCase['expect'] => ({
    kind: 'problem',
    status,
    code,
    headers,
  });
  const as = (session: string, name: string, expect: RestCase['expect']): RestCase => ({
    operation: operation.id,
    name,
    kind: 'role',
    request: provoked(operation, goodRequest(operation), { session }),
    expect,
  });
  // Their scopes count only in an account that operates the server, unlike the other account.
  const isOfOperators = operation.scopes.some((scope) => scope.startsWith('operator:'));
  const notFound = operation.errors.find(({ error }) => statusOf(error) === 404);
  return [
    ...operation.roles.map((role) =>
      as(sessionOf(role), `as ${role}`, { kind: 'not-code', code: snakeCase(ROLE_REFUSAL) }),
    ),
    ...(operation.path.includes('{') && notFound
      ? [
          as(
            '$other_account_session',
            'as an owner of another account',
            isOfOperators ? problem(403, 'scope_missing') : problem(404, snakeCase(notFound.error.name)),
          ),
        ]
      : []),
  ];
};
