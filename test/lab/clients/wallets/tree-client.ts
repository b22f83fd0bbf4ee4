import type { ManagedWallet } from '../../../../generated/wallets/types.ts';
import { CodeTurns, destroyOne, tryDestroyed } from './destroy-steps.ts';
import type { Tree, WalletBook } from './wallet-book.ts';
import { askKeyed, signWithOne, type WalletDeps } from './wallet-client.ts';
import { servingGateway } from '../../gateways/lab-gateway.ts';
import { isPassing, type ServiceAnswer, askWallets } from '../ask-service.ts';
import type { AskingDeps } from '../ask-until-answered.ts';

const BETWEEN_MS = 60;
/** Of this number of steps one makes a master; some sign; some try destroyed wallets; the others derive. */
const STEPS = 12;
const MOST_TREES = 12;

/** A client with HD masters in an account of its own: derives children, again and again, signs with them and destroys some. */
export async function runTreeClient(deps: WalletDeps, book: WalletBook): Promise<void> {
  const { over, random, pause, nowMs } = deps;
  const codes = new CodeTurns(nowMs);
  while (!over.aborted) {
    const at = random(STEPS);
    if (book.trees.size === 0 || (at === 0 && book.trees.size < MOST_TREES)) await createTree(deps, book);
    else if (codes.take()) await destroyOne(deps, book);
    else if (at === 1 && book.destroyed.size > 0) await tryDestroyed(deps, book);
    else if (at === 2 && book.destroyed.size > 0) await deriveDestroyed(deps, book);
    else if (at < 5) await signWithOne(deps, book);
    else await deriveChildren(deps, book);
    await pause(BETWEEN_MS);
  }
}

/** The numbers of first and second indexes of children: few enough that each is derived again and again. */
const ACCOUNTS = 40;
const CHANGES = 2;
const MOST_AT_ONCE = 5;

/** Children at consecutive indexes: every account with every change. */
export type ChildRange = {
  readonly accounts: { readonly start: number; readonly count: number };
  readonly change: { readonly start: number; readonly count: number };
};

type ManagedTree = { readonly master: ManagedWallet; readonly wallets: readonly ManagedWallet[] };

/** Returns the paths of a range, in the order in which they are answered. */
export function pathsOf({ accounts, change }: ChildRange): readonly string[] {
  const indexes = ({ start, count }: ChildRange['accounts']) =>
    Array.from({ length: count }, (_, at) => start + at);
  return indexes(accounts).flatMap((x) => indexes(change).map((y) => `m/44'/501'/${x}'/${y}'`));
}

/** Returns the range of one child. @param path as `pathsOf` writes it. */
export function rangeOf(path: string): ChildRange {
  const [, x = '0', y = '0'] = /^m\/44'\/501'\/(\d+)'\/(\d+)'$/.exec(path) ?? [];
  return { accounts: { start: Number(x), count: 1 }, change: { start: Number(y), count: 1 } };
}

/** Makes a master with some children. */
export async function createTree(deps: AskingDeps, book: WalletBook): Promise<void> {
  const range = drawRange(deps);
  const body = { custody: 'managed', ...range };
  const answer = await askKeyed(deps, book, { path: '/hd', body, what: 'a master' });
  if (answer === undefined) return;
  deps.timeline.count('masters_created');
  takeTree(deps, book, { range, body: answer.body });
}

/** Derives children of a master, of which some may be there already: those are to be the same. */
export async function deriveChildren(deps: AskingDeps, book: WalletBook): Promise<void> {
  const tree = drawTree(deps, book);
  if (tree === undefined) return;
  const range = drawRange(deps);
  const known = pathsOf(range).flatMap((path) => tree.children.get(path) ?? []);
  // One that is being destroyed may be there or not, and one that was destroyed is refused.
  if (known.some(({ id }) => !book.living.has(id))) return;
  const body = { master_wallet_id: tree.master.id, ...range };
  const answer = await askKeyed(deps, book, { path: '/hd', body, what: 'a derivation' });
  if (answer !== undefined) takeTree(deps, book, { range, body: answer.body });
}

/** Enters an answer: each child at its path, once, and the same as before. */
export function takeTree(
  { findings, timeline }: Pick<AskingDeps, 'findings' | 'timeline'>,
  book: WalletBook,
  { range, body }: { readonly range: ChildRange; readonly body: ServiceAnswer['body'] },
): void {
  const { master, wallets } = body as ManagedTree;
  const masterId = master.wallet_id;
  const wanted = pathsOf(range);
  const answered = wallets.map(({ derivation_path: path }) => path);
  findings.check('changed_child', wanted.length);
  timeline.count('children_derived', answered.length);
  if (wanted.join() !== answered.join())
    findings.break('changed_child', `${masterId}: asked for ${wanted.join(' ')}, got ${answered.join(' ')}`);
  const tree = book.trees.get(masterId) ?? enterMaster(book, { id: masterId, address: master.address });
  if (tree.master.address !== master.address)
    findings.break('changed_child', `the master ${masterId} has another address than before`);
  for (const { derivation_path: path = '', wallet_id: id, address } of wallets) {
    const known = tree.children.get(path);
    if (known !== undefined) {
      if (known.id !== id || known.address !== address)
        findings.break('changed_child', `${masterId}: ${path} is another wallet than before`);
    } else if (book.living.has(id) || book.destroyed.has(id) || book.unsure.has(id))
      findings.break('changed_child', `${masterId}: ${path} is the wallet ${id}, which has another path`);
    else {
      book.derived++;
      tree.children.set(path, { id, address });
      book.living.set(id, { id, address });
    }
  }
}

/** A destroyed child is not derived again: 409, or no answer. */
export async function deriveDestroyed(
  deps: Pick<AskingDeps, 'gateways' | 'random' | 'findings' | 'timeline'>,
  book: Pick<WalletBook, 'trees' | 'destroyed' | 'token'>,
): Promise<void> {
  const gone = [...book.trees.values()].flatMap(({ master, children }) =>
    [...children].filter(([, { id }]) => book.destroyed.has(id)).map(([path]) => ({ master, path })),
  );
  const drawn = gone[deps.random(Math.max(1, gone.length))];
  const gateway = servingGateway(deps.gateways, deps.random(deps.gateways.length));
  if (drawn === undefined || gateway === undefined) return;
  const body = { master_wallet_id: drawn.master.id, ...rangeOf(drawn.path) };
  const answer = await askWallets(gateway, { method: 'POST', path: '/hd', token: book.token, body });
  if (isPassing(answer)) return;
  deps.timeline.count('destroyed_tried');
  deps.findings.check('destroyed_signs');
  if (!isDestroyedChild(answer))
    deps.findings.break(
      'destroyed_signs',
      `${drawn.path} of ${drawn.master.id} was destroyed, and ${gateway.name} answers ${answer.status} to derive it`,
    );
}

/** True for the refusal to derive a child that was destroyed. */
export function isDestroyedChild({ status, body }: ServiceAnswer): boolean {
  return status === 409 && body.code === 'derivation_destroyed';
}

function enterMaster(book: WalletBook, master: Tree['master']): Tree {
  const tree = { master, children: new Map() };
  book.trees.set(master.id, tree);
  book.living.set(master.id, master);
  return tree;
}

function drawTree({ random }: Pick<AskingDeps, 'random'>, { trees }: WalletBook): Tree | undefined {
  return [...trees.values()][random(Math.max(1, trees.size))];
}

function drawRange({ random }: Pick<AskingDeps, 'random'>): ChildRange {
  const change = random(CHANGES);
  return {
    accounts: { start: random(ACCOUNTS), count: 1 + random(MOST_AT_ONCE) },
    change: { start: change, count: 1 + random(CHANGES - change) },
  };
}
