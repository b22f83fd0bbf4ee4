import { textTable } from './text-table.ts';

type Operated = { readonly account: string; readonly operates: boolean };
type Created = Operated & { readonly id: string; readonly plan: string };
type Accounts = {
  readonly accounts: readonly (Created & {
    readonly created_at: string;
    readonly needs_credit_limit: boolean;
  })[];
  readonly next_cursor?: string;
};
type LimitRequest = Readonly<
  Record<'id' | 'account' | 'limit' | 'wanted' | 'reason' | 'created_at', string>
> & { readonly answer: string | null };

const HEAD = ['ID', 'ACCOUNT', 'LIMIT', 'WANTED', 'REASON', 'CREATED'] as const;

/** The texts of the results of requests about accounts, who operates the server, and requests for higher limits. */
export const OPERATOR_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'accounts.create': ({ id, account, plan, operates }: Created) =>
    `Created account ${account} (${id}) with the plan ${plan}.\n${operates ? describeOperated({ account, operates }) : ''}`,
  'accounts.list': describeAccounts,
  'accounts.operator': describeOperated,
  'accounts.operator.show': describeOperated,
  'limits.requests': ({ limit_requests: open }: { readonly limit_requests: readonly LimitRequest[] }) =>
    open.length === 0
      ? 'There are no open requests for higher limits.\n'
      : textTable(
          HEAD,
          open.map(({ id, account, limit, wanted, reason, created_at: at }) => [
            ...[id, account, limit.replace('_', ' '), wanted, reason, at],
          ]),
        ),
  'limits.grant': ({ account, limit, wanted }: LimitRequest) =>
    limit === 'plan'
      ? `The account ${account} has the plan ${wanted}.\n`
      : `The account ${account} has the ${limit.replace('_', ' ')} limit ${wanted}.\n`,
  'limits.refuse': ({ id, account, answer }: LimitRequest) =>
    `Refused the request ${id} of the account ${account}: ${answer}\n`,
};

function describeAccounts({ accounts, next_cursor }: Accounts): string {
  if (accounts.length === 0) return 'There are no accounts.\n';
  const table = textTable(
    ['ID', 'ACCOUNT', 'PLAN', 'OPERATOR', 'CREATED', ''],
    accounts.map(({ id, account, plan, operates, created_at: at, needs_credit_limit: isInNeed }) => [
      ...[id, account, plan, operates ? 'yes' : 'no', at, isInNeed ? 'needs a credit limit' : ''],
    ]),
  );
  return next_cursor === undefined ? table : `${table}\nThere are more: --cursor ${next_cursor}\n`;
}

function describeOperated({ account, operates }: Operated): string {
  return operates
    ? `The account ${account} operates this server.\n`
    : `The account ${account} does not operate this server.\n`;
}
