import type { Random } from '../../../src/lab/random.ts';
import { sampleOf } from '../../wallets/kill/random.ts';
import { openWalletServer, type WalletServer } from '../../wallets/open-wallet-server.ts';
import {
  askAgain,
  countLost,
  countRevived,
  judgeCharges,
  settledStanding,
  settleUnsure,
  type Standing,
} from './aftermath.ts';
import type { Backend, OpenBackend, Target } from './backends.ts';
import { type Book, createBook } from './book.ts';
import { CHARGED, type ChargedOperation } from './charge-rule.ts';
import { awaitRecovery, kill } from './kill.ts';
import type { Round } from './round.ts';
import { workUntilKilled } from './workload.ts';

/** What the kills of one backend came to. */
export type BackendResult = {
  readonly name: string;
  readonly rounds: number;
  /** Kills by what was killed; `start`: of a server that was starting after a kill. */
  readonly kills: Readonly<Record<Target | 'start', number>>;
  readonly acknowledged: number;
  readonly lost: number;
  readonly destroyed: number;
  readonly revived: number;
  /** Units delivered, and those charged, by operation. */
  readonly delivered: Readonly<Record<ChargedOperation, number>>;
  readonly charged: Readonly<Record<ChargedOperation, number>>;
  readonly givenAway: number;
  readonly faults: readonly string[];
};

/** More than all wallets cost. */
const CREDIT_USD = '1000000';
/** A kill comes at a moment within this time. */
const WITHIN_MS = 1_500;
/** The pause before a signer is started again doubles with each time, until its server is another one. */
const SIGNER_KILLS_OF_A_SERVER = 3;
const SAMPLE = 16;

/** Kills a server of one backend again and again, and looks after each kill at what its clients were told. */
export async function runBackend(
  backend: Backend,
  { rounds, random, onFault }: { rounds: number; random: Random; onFault: (what: string) => void },
): Promise<BackendResult> {
  const store = await backend.open();
  try {
    const server = await openWalletServer({ env: store.env, creditUsd: CREDIT_USD });
    const run = new BackendRun({ backend, store, server, random, onFault });
    try {
      for (let round = 1; round <= rounds; round += 1) await run.round(round);
      return await run.finish(rounds);
    } finally {
      await server.remove();
    }
  } finally {
    await store.remove();
  }
}

type RunDeps = {
  readonly backend: Backend;
  readonly store: OpenBackend;
  readonly server: WalletServer;
  readonly random: Random;
  readonly onFault: (what: string) => void;
};

class BackendRun {
  readonly #deps: RunDeps;
  readonly #book: Book = createBook();
  readonly #kills = { server: 0, signer: 0, store: 0, start: 0 };
  readonly #delivered = { wallet_creation: 0, hd_child_derivation: 0, managed_signing: 0 };
  readonly #charged = { wallet_creation: 0, hd_child_derivation: 0, managed_signing: 0 };
  readonly #faults: string[] = [];
  #lost = 0;
  #revived = 0;
  #givenAway = 0;
  #signerKills = 0;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  async round(number: number): Promise<void> {
    const { backend, server, random } = this.#deps;
    const target = this.#chooseTarget(random);
    const [before, month, pid] = [await settledStanding(this.#deps), utcMonth(), server.pid()];
    let isOver = false;
    const round = this.#newRound(`round ${number} (${target})`, () => isOver);
    this.#book.beginRound();
    const working = workUntilKilled(round);
    await new Promise((resolve) => setTimeout(resolve, random(WITHIN_MS)));
    isOver = true;
    await kill(round, target);
    this.#kills[target] += 1;
    const pending = await working;
    this.#kills.start += await awaitRecovery(round, target, pid);
    await askAgain(round, pending);
    await settleUnsure(round);
    const earlier = sampleOf([...this.#book.living.values()], SAMPLE, random);
    this.#lost += await countLost(round, [...new Set([...this.#book.newest, ...earlier])]);
    this.#revived += await countRevived(round, [...this.#book.destroyed.values()].slice(-SAMPLE));
    const after = await settledStanding(this.#deps);
    if (month === utcMonth()) this.#judge(round, before, after);
    const { name } = backend;
    if (number % 10 === 0) console.log(`${name}: ${number} rounds, ${this.#book.acknowledged()} wallets`);
  }

  /** Starts the server once more, and asks for every wallet that was ever told of. */
  async finish(rounds: number): Promise<BackendResult> {
    const { backend, server } = this.#deps;
    await server.stop();
    await server.start();
    const round = this.#newRound('at the end', () => false);
    this.#book.beginRound();
    this.#lost += await countLost(round, [...this.#book.living.values()]);
    this.#revived += await countRevived(round, [...this.#book.destroyed.values()]);
    const { balance_usd, charged_usd } = await settledStanding(this.#deps);
    if (microUsd(balance_usd) + microUsd(charged_usd) !== microUsd(CREDIT_USD))
      round.fault(`of ${CREDIT_USD} USD ${balance_usd} are left, and ${charged_usd} were charged`);
    const audit = await server.ask<{ is_sound: boolean }>({ kind: 'audit.verify' });
    if (!audit.is_sound) round.fault(`the audit log is not sound: ${JSON.stringify(audit)}`);
    return {
      ...{ name: backend.name, rounds, kills: this.#kills, acknowledged: this.#book.acknowledged() },
      ...{ lost: this.#lost, destroyed: this.#book.destroyed.size, revived: this.#revived },
      ...{ delivered: this.#delivered, charged: this.#charged, givenAway: this.#givenAway },
      faults: this.#faults,
    };
  }

  #newRound(name: string, isOver: () => boolean): Round {
    const { backend, store, server, random, onFault } = this.#deps;
    const fault = (what: string): void => {
      this.#faults.push(`${backend.name}, ${name}: ${what}`);
      onFault(`${backend.name}, ${name}: ${what}`);
    };
    return { backend, store, server, random, book: this.#book, isOver, fault };
  }

  #chooseTarget(random: Random): Target {
    const { targets } = this.#deps.backend;
    const chosen = targets[random(targets.length)] ?? 'server';
    const target = chosen === 'signer' && this.#signerKills === SIGNER_KILLS_OF_A_SERVER ? 'server' : chosen;
    if (target === 'server') this.#signerKills = 0;
    if (target === 'signer') this.#signerKills += 1;
    return target;
  }

  #judge(round: Round, before: Standing, after: Standing): void {
    this.#givenAway += judgeCharges(round, before, after);
    for (const operation of CHARGED) {
      const unitsOf = (standing: Standing): number => standing.operations_this_month[operation] ?? 0;
      this.#delivered[operation] += this.#book.tally(operation).delivered;
      this.#charged[operation] += unitsOf(after) - unitsOf(before);
    }
  }
}

/** Units are counted in a month, and a new one begins with none. */
function utcMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

function microUsd(usd: string): bigint {
  const [whole = '0', part = ''] = usd.split('.');
  return BigInt(`${whole}${part.padEnd(6, '0')}`);
}
