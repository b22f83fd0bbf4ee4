import { BODY_CHECKS as ACCOUNT_BODIES } from '../../generated/account/body-checks.js';
import {
  BODY_MEMBERS as ACCOUNT_MEMBERS,
  OPERATIONS as ACCOUNT_OPERATIONS,
} from '../../generated/account/operations.ts';
import { QUERY_CHECKS as ACCOUNT_QUERIES } from '../../generated/account/query-checks.js';
import { BODY_CHECKS } from '../../generated/wallets/body-checks.js';
import { BODY_MEMBERS, OPERATIONS } from '../../generated/wallets/operations.ts';
import { QUERY_CHECKS } from '../../generated/wallets/query-checks.js';
import { serviceError } from '../base/service-error.ts';
import type { RequestChecks } from '../server/rest/read-request.ts';
import type { ServedOperation } from '../server/rest/rest-service.ts';

/** An operation that is mocked, with the checks of its service. */
export type MockedOperation = ServedOperation & {
  readonly name: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** Status of success. */
  readonly status: number;
  readonly checks: RequestChecks;
};

type Entries = Readonly<Record<string, Omit<MockedOperation, 'name' | 'checks'>>>;

const withChecks = (entries: Entries, checks: RequestChecks): readonly MockedOperation[] =>
  Object.entries(entries).map(([name, entry]) => ({ ...entry, name, checks }));

const MOCKED: readonly MockedOperation[] = [
  ...withChecks(OPERATIONS, { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS }),
  ...withChecks(ACCOUNT_OPERATIONS, {
    ...{ bodies: ACCOUNT_BODIES, queries: ACCOUNT_QUERIES, bodyMembers: ACCOUNT_MEMBERS },
  }),
];

/**
 * Finds the operation of a method and a path.
 *
 * @param setAllow gets the methods of a path that does not support this one.
 * @throws ServiceError `notFound`, `methodNotAllowed`.
 */
export function findOperation(
  method: string | undefined,
  path: string,
  setAllow: (methods: string) => void,
): MockedOperation {
  const operations = operationsAt(path);
  if (operations.length === 0) throw serviceError('notFound', { path });
  const found = operations.find((operation) => operation.method === method);
  if (found !== undefined) return found;
  setAllow(operations.map((operation) => operation.method).join(', '));
  throw serviceError('methodNotAllowed');
}

/** The operations of a path; one without an id in it comes before those with one. */
function operationsAt(path: string): readonly MockedOperation[] {
  const exact = MOCKED.filter((operation) => operation.path === path);
  return exact.length > 0 ? exact : MOCKED.filter((operation) => patternOf(operation).test(path));
}

const patternOf = ({ path }: MockedOperation): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
