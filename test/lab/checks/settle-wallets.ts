import { eventually } from '../../../src/core/eventually.ts';
import { Semaphore, withPermit } from '../../../src/core/rpc/semaphore.ts';
import { askWallets, isPassing, type ServiceAnswer, type WalletRequest } from '../clients/ask-service.ts';
import { type DestroyingDeps, destroyOne } from '../clients/wallets/destroy-steps.ts';
import type { ToldWallet, WalletBook } from '../clients/wallets/wallet-book.ts';
import type { GatewayProcess } from '../gateways/lab-gateway.ts';
import type { Findings } from './findings.ts';
import { isDestroyedChild, rangeOf, takeTree } from '../clients/wallets/tree-client.ts';
import type { Timeline } from '../report.ts';

const SETTLED_MS = 60_000;
/** Answers that are held against the books come from a gateway that is well: it is asked until it answers. */
const ANSWER_MS = 30_000;

/** A code of a second factor is taken once, and comes every 30 s. */
const DESTROYED = { timeoutMs: 180_000, intervalMs: 5_000 };

/** Holds what is there after the run against what clients were told: wallets and destroyed wallets, at every gateway. */
export async function settleWallets(
  deps: DestroyingDeps & { readonly gateways: readonly GatewayProcess[] },
  books: readonly WalletBook[],
): Promise<void> {
  const { gateways, findings } = deps;
  await Promise.all(books.map((book) => settleUnsure(deps, book)));
  for (const book of books) {
    for (const what of book.unanswered) findings.break('lost_wallet', `${what} was never answered`);
    for (const gateway of gateways) {
      await judgeLiving(book, gateway, findings);
      await judgeDestroyed(book, gateway, findings);
      await judgeList(book, gateway, findings);
    }
  }
}

/** Asks for destructions that were not answered until they are. */
async function settleUnsure(deps: DestroyingDeps, book: WalletBook): Promise<void> {
  const isSettled = async (): Promise<true | undefined> => {
    if (book.unsure.size > 0) await destroyOne(deps, book);
    return book.unsure.size === 0 ? true : undefined;
  };
  await eventually('every destruction is answered', isSettled, DESTROYED).catch(() => undefined);
  for (const id of book.unsure.keys())
    deps.findings.break('lost_wallet', `the destruction of ${id} was never answered`);
}

/** Every wallet that a client received, or some of them, is shown. */
export function judgeLiving(
  book: WalletBook,
  gateway: GatewayProcess,
  findings: Findings,
  wallets: Iterable<ToldWallet> = book.living.values(),
): Promise<void> {
  return eachAtOnce(wallets, async ({ id, address }) => {
    const shown = await askWell(gateway, book, { method: 'GET', path: `/${id}` });
    judgeShown({ id, address }, { gateway: gateway.name, shown }, findings);
  });
}

/** A wallet that a client received is shown with its address. */
export function judgeShown(
  { id, address }: { readonly id: string; readonly address: string },
  { gateway, shown }: { readonly gateway: string; readonly shown: ServiceAnswer },
  findings: Findings,
): void {
  findings.check('lost_wallet');
  if (shown.status !== 200 || shown.body.address !== address)
    findings.break('lost_wallet', `the wallet ${id} is lost: ${gateway} answers ${shown.status}`);
}

/** No destroyed wallet, or some of them, is shown or signs. */
export function judgeDestroyed(
  book: WalletBook,
  gateway: GatewayProcess,
  findings: Findings,
  wallets: Iterable<ToldWallet> = book.destroyed.values(),
): Promise<void> {
  return eachAtOnce(wallets, async ({ id }) => {
    findings.check('destroyed_signs');
    const shown = await askWell(gateway, book, { method: 'GET', path: `/${id}` });
    const signed = await askWell(gateway, book, {
      method: 'POST',
      path: `/${id}/sign`,
      body: { message: 'aGVsbG8=' },
    });
    if (shown.status !== 404 || signed.status !== 404)
      findings.break(
        'destroyed_signs',
        `${id} was destroyed, and ${gateway.name} answers ${shown.status}, and ${signed.status} to sign`,
      );
  });
}

/** The list has every wallet, and none that no client received or that was destroyed. */
async function judgeList(book: WalletBook, gateway: GatewayProcess, findings: Findings): Promise<void> {
  const listed = new Set<string>();
  for (let path: string | undefined = ''; path !== undefined; ) {
    const { body }: ServiceAnswer = await askWell(gateway, book, { method: 'GET', path });
    const { wallets, next_cursor: next } = body as {
      readonly wallets: readonly { readonly wallet_id: string }[];
      readonly next_cursor?: string;
    };
    for (const { wallet_id: id } of wallets) listed.add(id);
    path = next === undefined ? undefined : `?cursor=${encodeURIComponent(next)}`;
  }
  const missing = [...book.living.keys()].filter((id) => !listed.has(id));
  const extra = [...listed].filter((id) => !book.living.has(id));
  findings.check('lost_wallet');
  if (missing.length > 0)
    findings.break('lost_wallet', `the list of ${gateway.name} leaves out ${missing.slice(0, 3).join(', ')}`);
  if (extra.length > book.unanswered.length)
    findings.break(
      'lost_wallet',
      `the list of ${gateway.name} has wallets that no client received: ${extra.slice(0, 3).join(', ')}`,
    );
}

/** Asks the wallet service of a gateway that is well until it is answered. @throws Error where that does not come. */
export function askWell(
  gateway: GatewayProcess,
  { token }: WalletBook,
  request: Pick<WalletRequest, 'method' | 'path' | 'body'>,
): Promise<ServiceAnswer> {
  const asked = async (): Promise<ServiceAnswer | undefined> => {
    const answer = await askWallets(gateway, { ...request, token });
    return isPassing(answer) ? undefined : answer;
  };
  return eventually(`${gateway.name} answers`, asked, { timeoutMs: ANSWER_MS });
}

/** The balance of an account, as the command `balance` shows it. */
export type Standing = {
  readonly balance_usd: string;
  readonly reserved_usd: string;
  readonly charged_usd: string;
  readonly operations_this_month: Readonly<Record<string, number>>;
};

/** Reads how an account stands once nothing is set aside any more. @throws Error where that does not come. */
export function readStanding({ account }: WalletBook, gateway: GatewayProcess): Promise<Standing> {
  const read = async (): Promise<Standing | undefined> => {
    const standing = await gateway.ask<Standing>({ kind: 'money.balance', account });
    return Number(standing.reserved_usd) === 0 ? standing : undefined;
  };
  return eventually('nothing is set aside any more', read, { timeoutMs: SETTLED_MS });
}

/** Healthy gateways answer this number of requests at once as fast as one after the other, several times over. */
const AT_ONCE = 8;

/** Does something for each item, a few at once: there are a hundred thousand of them after an hour. */
export async function eachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const semaphore = new Semaphore(AT_ONCE);
  await Promise.all([...items].map((item) => withPermit(semaphore, () => work(item))));
}

type SettlingDeps = { readonly findings: Findings; readonly timeline: Timeline };

/** Derives every known child again, or those with some ids, at the gateways in turn. It must be the same, or be refused if it was destroyed. */
export async function settleTrees(
  deps: SettlingDeps,
  books: readonly WalletBook[],
  gateways: readonly GatewayProcess[],
  isAsked: (id: string) => boolean = () => true,
): Promise<void> {
  let turn = 0;
  for (const book of books)
    for (const { master, children } of book.trees.values())
      await eachAtOnce(children, async ([path, { id }]) => {
        if (!isAsked(id)) return;
        const gateway = gateways[turn++ % gateways.length];
        if (gateway === undefined) return;
        const range = rangeOf(path);
        const request = {
          method: 'POST',
          path: '/hd',
          body: { master_wallet_id: master.id, ...range },
        } as const;
        const answer = await askWell(gateway, book, request);
        if (book.destroyed.has(id)) {
          deps.findings.check('destroyed_signs');
          if (!isDestroyedChild(answer))
            deps.findings.break(
              'destroyed_signs',
              `${path} of ${master.id} was destroyed, and ${gateway.name} answers ${answer.status} to derive it`,
            );
        } else if (answer.status === 200) takeTree(deps, book, { range, body: answer.body });
        else
          deps.findings.break(
            'changed_child',
            `${path} of ${master.id}: ${gateway.name} answers ${answer.status}`,
          );
      });
}
