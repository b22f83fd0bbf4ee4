import type { Member, OperatedLimitRequest } from '../../../generated/account/types.ts';
import { isPlanName } from '../../account/plans/plan.ts';
import { serviceError } from '../../core/service-error.ts';
import { mistake, readNewAccount, readText } from '../../operate/admin/admin-request.ts';
import { MAX_LIMIT } from '../../store/list-page.ts';
import { type Columns, pageOf, tableOf } from '../text-table.ts';
import { type Action, type Given, isId, local, operation, readPage } from './action.ts';

/** The commands about accounts, their requests for higher limits, and their members. */
export const ACCOUNT_ACTIONS = {
  'accounts create': createAccount,
  'accounts list': ({ options }: Given) => ({
    ...operation(
      { operation: 'listAccounts', query: readPage(options, isId) },
      ({ accounts, ...next }) => ({
        accounts: accounts.map(({ account_id: id, name: account, ...shown }) => ({
          id,
          account,
          plan: shown.plan,
          operates: shown.operates,
          needs_credit_limit: shown.needs_credit_limit,
          created_at: shown.created_at,
        })),
        ...next,
      }),
      ({ accounts, next_cursor: cursor }) =>
        pageOf(ACCOUNT_COLUMNS, accounts, { ifEmpty: 'No accounts.\n', cursor }),
    ),
    list: 'accounts',
  }),
  'accounts operator': ({ words: [account = ''], options: { on, off } }: Given) => {
    if (on === true && off === true)
      throw mistake('accounts operator: expected either --on or --off, got both');
    return on === undefined && off === undefined
      ? operation(
          { operation: 'readAccount', account },
          ({ operates }) => ({ account, operates }),
          describeOperated,
        )
      : local({ kind: 'accounts.operator', account, operates: on === true }, describeOperated);
  },
  'accounts params': ({ words: [account = ''], options: { on, off } }: Given) => {
    if ((on === true) === (off === true)) throw mistake('accounts params: expected --on or --off');
    return operation(
      { operation: 'recordParams', account, body: { record: on === true } },
      ({ until = null }) => ({ account, until }),
      ({ until }) =>
        until === null
          ? `The params of ledger calls of the account ${account} are no longer kept.\n`
          : `The params of ledger calls of the account ${account} are kept until ${until}.\n`,
    );
  },
  'limits requests': () =>
    operation(
      { operation: 'listOpenLimitRequests', query: { limit: MAX_LIMIT } },
      ({ limit_requests: open }) => ({ limit_requests: open.map(showLimitRequest) }),
      ({ limit_requests: open }) =>
        open.length === 0 ? 'No open requests for higher limits.\n' : tableOf(LIMIT_COLUMNS, open),
    ),
  'limits grant': ({ words: [id = ''] }: Given) =>
    operation({ operation: 'grantLimitRequest', id }, showLimitRequest, ({ account, limit, wanted }) =>
      limit === 'plan'
        ? `The account ${account} has the plan ${wanted}.\n`
        : `The account ${account} has the ${limit.replace('_', ' ')} limit ${wanted}.\n`,
    ),
  'limits refuse': ({ words: [id = ''], options }: Given) => {
    if (!isId(id)) throw serviceError('limitRequestNotFound', { id });
    const body = { reason: readText(options.reason, 'the reason') };
    return operation(
      { operation: 'refuseLimitRequest', id, body },
      showLimitRequest,
      ({ account, answer }) => `Refused the request ${id} of the account ${account}: ${answer}\n`,
    );
  },
  'setup-link': ({ words: [account] }: Given) =>
    local(
      { kind: 'members.setup-link', account },
      ({ link, expires_at }: Link) =>
        `This link makes its user an owner of the account ${account}. It works once, until ${expires_at}. Copy it now; it is not shown again:\n\n  ${link}\n\n`,
    ),
  'members list': ({ words: [account = ''] }: Given) =>
    operation(
      { operation: 'listMembers', account },
      ({ members }) => ({ account, members }),
      ({ members }) =>
        members.length === 0 ? 'The account has no members.\n' : tableOf(MEMBER_COLUMNS, members),
    ),
  'members reset': ({ words: [account, email] }: Given) =>
    local(
      { kind: 'members.reset', account, email },
      ({ link, expires_at }: Link) =>
        `Reset the login ${email}: its password, second factor and sessions were removed. This link sets a new password. It works once, until ${expires_at}. Copy it now; it is not shown again:\n\n  ${link}\n\n`,
    ),
} satisfies Record<string, (given: Given) => Action>;

type Operated = { readonly account: string; readonly operates: boolean };
type Link = Readonly<Record<'account' | 'email' | 'link' | 'expires_at', string>>;
type ListedAccount = Operated & {
  readonly id: string;
  readonly plan: string;
  readonly created_at: string;
  readonly needs_credit_limit: boolean;
};

const ACCOUNT_COLUMNS: Columns<ListedAccount> = {
  ID: 'id',
  ACCOUNT: 'account',
  PLAN: 'plan',
  OPERATOR: ({ operates }) => (operates ? 'yes' : 'no'),
  CREATED: 'created_at',
  '': ({ needs_credit_limit: isInNeed }) => (isInNeed ? 'needs a credit limit' : ''),
};

const LIMIT_COLUMNS: Columns<ReturnType<typeof showLimitRequest>> = {
  ID: 'id',
  ACCOUNT: 'account',
  LIMIT: ({ limit }) => limit.replace('_', ' '),
  WANTED: 'wanted',
  REASON: 'reason',
  CREATED: 'created_at',
};

const MEMBER_COLUMNS: Columns<Member> = {
  EMAIL: 'email',
  NAME: 'name',
  ROLE: 'role',
  'SECOND FACTOR': ({ has_second_factor: hasFactor }) => (hasFactor ? 'yes' : 'no'),
  SINCE: 'created_at',
};

function createAccount({ words: [word], options: { plan, operator: operates } }: Given): Action {
  const name = readNewAccount(word);
  if (plan !== undefined && (typeof plan !== 'string' || !isPlanName(plan)))
    throw mistake(`--plan must be the name of a plan, got ${JSON.stringify(plan)}`);
  return operation(
    { operation: 'createAccount', body: { name, ...(plan !== undefined && { plan }) } },
    async (made, ask) => {
      if (operates === true) await ask({ kind: 'accounts.operator', account: name, operates });
      return {
        id: made.account_id,
        account: name,
        plan: made.plan.name,
        operates: operates === true,
        created_at: made.created_at,
      };
    },
    (made) =>
      `Created account ${name} (${made.id}) with the plan ${made.plan}.\n${made.operates ? describeOperated(made) : ''}`,
  );
}

function describeOperated({ account, operates }: Operated): string {
  return operates
    ? `The account ${account} operates this server.\n`
    : `The account ${account} does not operate this server.\n`;
}

function showLimitRequest(request: OperatedLimitRequest) {
  return {
    id: request.limit_request_id,
    account: request.account,
    limit: request.limit,
    wanted: request.wanted,
    reason: request.reason,
    state: request.state,
    answer: request.answer ?? null,
    created_at: request.created_at,
    decided_at: request.decided_at ?? null,
  };
}
