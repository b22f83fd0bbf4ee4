import { systemClock } from '../../../src/core/clock.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { Findings } from '../../lab/checks/findings.ts';
import { judgeChains } from '../../lab/checks/judge-audit.ts';
import { judgeCharges } from '../../lab/checks/settle-run.ts';
import {
  settleTrees,
  eachAtOnce,
  judgeDestroyed,
  judgeLiving,
  readStanding,
  type Standing,
} from '../../lab/checks/settle-wallets.ts';
import { newWalletBook, type ToldWallet, type WalletBook } from '../../lab/clients/wallets/wallet-book.ts';
import { signWith } from '../../lab/clients/wallets/wallet-client.ts';
import { type GatewayProcess, superviseGateway } from '../../lab/gateways/lab-gateway.ts';
import { signerPidOf } from '../../lab/gateways/signer-pid.ts';
import { type Random, sampleOf } from '../../lab/random.ts';
import { Timeline } from '../../lab/report.ts';
import { ACCOUNT, openWalletServer, type WalletServer } from '../../wallets/open-wallet-server.ts';
import type { Backend, OpenBackend, Target } from './backends.ts';
import { destroyFresh, type Round, workUntilKilled } from './workload.ts';

/** The results of the kills of one backend. */
export type BackendRun = {
  readonly findings: Findings;
  readonly timeline: Timeline;
  readonly tookMs: number;
};

/** More than all wallets cost. */
const CREDIT_USD = 1_000_000;
/** A kill comes at a moment within this time. */
const WITHIN_MS = 1_500;
/** One start in this number is killed too, at a moment within this time. */
const STARTS_KILLED = 8;
const START_MS = 1_500;
/** The pause before a signer is started again doubles with each time, until its server is another one. */
const SIGNER_KILLS_OF_A_SERVER = 3;
const SAMPLE = 16;
const READY_MS = 60_000;
/** Requests with an idempotency key are answered within this time after the end of a kill. */
const SETTLE_MS = 60_000;

/** Kills a server of one backend again and again, and looks after each kill at what its clients were told. */
export async function runBackend(
  backend: Backend,
  { rounds, random }: { readonly rounds: number; readonly random: Random },
): Promise<BackendRun> {
  await using made = new AsyncDisposableStack();
  const store = await backend.open();
  made.defer(store.remove);
  const server = await openWalletServer({ env: store.env, creditUsd: String(CREDIT_USD) });
  made.defer(server.remove);
  const gateway = await superviseGateway(backend.name, server);
  made.defer(gateway.close);
  gateway.disturb(false);
  const run = new Kills(backend, store, server, gateway, random);
  for (let round = 1; round <= rounds; round += 1) await run.round(round);
  await run.finish();
  return run;
}

class Kills implements BackendRun {
  readonly findings: Findings;
  readonly timeline: Timeline;
  readonly #backend: Backend;
  readonly #store: OpenBackend;
  readonly #server: WalletServer;
  readonly #gateway: GatewayProcess;
  readonly #random: Random;
  readonly #book: WalletBook;
  readonly #startedMs = performance.now();
  #signerKills = 0;

  constructor(
    backend: Backend,
    store: OpenBackend,
    server: WalletServer,
    gateway: GatewayProcess,
    random: Random,
  ) {
    this.#backend = backend;
    this.#store = store;
    this.#server = server;
    this.#gateway = gateway;
    this.#random = random;
    this.findings = new Findings(() => this.tookMs);
    this.timeline = new Timeline(() => this.tookMs);
    this.#book = newWalletBook({ account: ACCOUNT, token: server.token, secret: '', creditUsd: CREDIT_USD });
    this.#book.interrupted.set(MASTERS, Number.POSITIVE_INFINITY);
  }

  get tookMs(): number {
    return performance.now() - this.#startedMs;
  }

  async round(number: number): Promise<void> {
    const book = this.#book;
    const target = this.#drawTarget();
    const known = new Set(book.living.keys());
    const seen = this.findings.kept.length;
    const month = utcMonth();
    let isOver = false;
    const recovered = Promise.withResolvers<void>();
    const round = this.#newRound(() => isOver, recovered.promise);
    const working = workUntilKilled(round);
    await new Promise((resolve) => setTimeout(resolve, this.#random(WITHIN_MS)));
    isOver = true;
    await this.#kill(target);
    recovered.resolve();
    await working;
    const looking = this.#newRound(() => false, Promise.withResolvers<void>().promise);
    for (const wallet of book.unsure.values())
      await eventually(`the destruction of ${wallet.id} is answered`, async () => {
        await destroyFresh(looking, wallet);
        return book.unsure.has(wallet.id) ? undefined : true;
      });
    const earlier = sampleOf([...book.living.values()], SAMPLE, this.#random);
    const newest = [...book.living.values()].filter(({ id }) => !known.has(id));
    await this.#judge(
      looking,
      [...new Set([...newest, ...earlier])],
      [...book.destroyed.values()].slice(-SAMPLE),
    );
    // Units are counted in a month, and a new one begins with none.
    const standing = await readStanding(book, this.#gateway);
    if (month === utcMonth()) judgeCharges(book, standing, this.findings);
    this.#countFrom(standing);
    for (const { invariant, what } of this.findings.kept.slice(seen))
      console.error(`${this.#backend.name}, round ${number} (${target}): ${invariant}: ${what}`);
    if (number % 10 === 0)
      console.log(`${this.#backend.name}: ${number} rounds, ${book.living.size} wallets`);
  }

  /** Starts the server once more, and asks for every wallet that was ever delivered. */
  async finish(): Promise<void> {
    const { living, destroyed } = this.#book;
    await this.#gateway.stop();
    await this.#gateway.start();
    await this.#awaitReady();
    const looking = this.#newRound(() => false, Promise.withResolvers<void>().promise);
    await this.#judge(looking, [...living.values()], [...destroyed.values()]);
    judgeCharges(this.#book, await readStanding(this.#book, this.#gateway), this.findings);
    await judgeChains([this.#gateway], this.findings);
  }

  /** Delivered wallets are there and sign; destroyed ones do not, and no master derives them again. */
  async #judge(round: Round, living: readonly ToldWallet[], dead: readonly ToldWallet[]): Promise<void> {
    const [book, gateway, findings] = [this.#book, this.#gateway, this.findings];
    await judgeLiving(book, gateway, findings, living);
    await eachAtOnce(living, (wallet) => signWith(round, book, wallet));
    for (const what of book.unanswered.splice(0)) findings.break('lost_wallet', `${what} was never answered`);
    await judgeDestroyed(book, gateway, findings, dead);
    const ids = new Set(dead.map(({ id }) => id));
    await settleTrees(this, [book], [gateway], (id) => ids.has(id));
  }

  /** Settles the charges until now: the next round is held to its own charges. */
  #countFrom({ operations_this_month: operations }: Standing): void {
    this.#book.created = operations.wallet_creation ?? 0;
    this.#book.derived = operations.hd_child_derivation ?? 0;
    this.#book.signed = operations.managed_signing ?? 0;
    this.#book.interrupted.clear();
    this.#book.interrupted.set(MASTERS, Number.POSITIVE_INFINITY);
  }

  /** Kills one part by SIGKILL; PostgreSQL, which others use too, is made to end its connections. Resolves when everything is back. */
  async #kill(target: Target): Promise<void> {
    const [server, gateway] = [this.#server, this.#gateway];
    this.timeline.count(`kills of the ${target}`);
    if (target === 'server') {
      gateway.disturb(true);
      await server.kill();
      if (this.#random(STARTS_KILLED) === 0) await this.#killStart();
      await gateway.start();
      await this.#awaitReady();
      return gateway.disturb(false);
    }
    const pid = server.pid();
    if (target === 'signer') process.kill(signerPidOf(pid), 'SIGKILL');
    else await this.#store.killStore();
    await this.#awaitReady();
    this.findings.check('lost_gateway');
    if (server.pid() !== pid || server.ended() !== undefined)
      this.findings.break('lost_gateway', `a kill of the ${target} ended the server`);
  }

  async #killStart(): Promise<void> {
    this.timeline.count('kills of a start');
    const starting = this.#server.start().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, this.#random(START_MS)));
    await this.#server.kill();
    await starting;
  }

  /** Its store and its signer; ledger nodes it has none. */
  async #awaitReady(): Promise<void> {
    const isReady = async (): Promise<true | undefined> => {
      const answer = await fetch(`${this.#server.baseUrl}/readyz`);
      const { store, signer } = (await answer.json()) as Readonly<Record<string, { readonly state: string }>>;
      return store?.state === 'ready' && signer?.state === 'ready' ? true : undefined;
    };
    await eventually('store and signer are ready', isReady, { timeoutMs: READY_MS });
  }

  #drawTarget(): Target {
    const { targets } = this.#backend;
    const drawn = targets[this.#random(targets.length)] ?? 'server';
    const target = drawn === 'signer' && this.#signerKills === SIGNER_KILLS_OF_A_SERVER ? 'server' : drawn;
    this.#signerKills = target === 'server' ? 0 : this.#signerKills + (target === 'signer' ? 1 : 0);
    return target;
  }

  #newRound(isOver: () => boolean, recovered: Promise<void>): Round {
    const settled = new AbortController();
    void recovered.then(() => setTimeout(() => settled.abort(), SETTLE_MS).unref());
    return {
      backend: this.#backend,
      server: this.#server,
      gateway: this.#gateway,
      gateways: [this.#gateway],
      book: this.#book,
      findings: this.findings,
      timeline: this.timeline,
      random: this.#random,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      settled: settled.signal,
      nowMs: systemClock.nowMs,
      isOver,
      recovered,
    };
  }
}

/** Masters are free, and how many were made of streams that broke off is not looked at. */
const MASTERS = 'hd_master_creation';

function utcMonth(): string {
  return new Date().toISOString().slice(0, 7);
}
