import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newLedger, type TestLedger } from '../new-ledger.ts';
import { fundedWallet, SOL } from '../transactions.ts';
import { type DeployedProgram, newProgram, upgradeableLoader } from './upgradeable-loader.ts';

/** The number of programs of a history; together they are 500. */
const PROGRAMS = 5;
const HISTORIES = 100;
const TIMEOUT_MS = 600_000;
/** The least by which a program may be extended (SIMD-0431). */
const EXTENSION_BYTES = 10_240;

const program = fc.nat(PROGRAMS - 1);
const answer = fc.nat(3);
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('deploy' as const, 'upgrade' as const), program, answer }),
  fc.record({ kind: fc.constantFrom('extend' as const, 'close' as const), program }),
  fc.constant({ kind: 'go back' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The answer of a program to a call; undefined: there was never one at its address. */
type State = number | 'closed' | undefined;

test(
  'programs that are deployed, upgraded, extended and closed answer by the rules, whichever address comes first',
  async () => {
    const history = fc.record({
      orders: fc.array(fc.boolean(), { minLength: PROGRAMS, maxLength: PROGRAMS }),
      steps: fc.array(step, { minLength: PROGRAMS, maxLength: 4 * PROGRAMS }),
    });
    await fc.assert(fc.asyncProperty(history, followsRules), { numRuns: HISTORIES });
  },
  TIMEOUT_MS,
);

type History = { readonly orders: readonly boolean[]; readonly steps: readonly Step[] };

async function followsRules({ orders, steps }: History): Promise<void> {
  const ledger = newLedger({ finalitySlots: 0 });
  const wallet = await fundedWallet(ledger, 1_000n * SOL);
  const loader = upgradeableLoader(ledger, wallet);
  const programs = orders.map(newProgram);
  let states: readonly State[] = programs.map(() => undefined);
  let kept = { snapshot: ledger.ledger.take(), states };
  for (const each of steps) {
    if (each.kind === 'go back') {
      const now = { snapshot: ledger.ledger.take(), states };
      ledger.ledger.goTo(kept.snapshot);
      states = kept.states;
      kept = now;
      ledger.tick();
      await assertAnswers(ledger, loader, programs, states);
    } else {
      const [at, state] = [programs[each.program], states[each.program]];
      if (at === undefined) throw new Error('a step names a program');
      const { isAllowed, next } = ruleOf(each, state);
      expect((await carryOut(loader, at, each)) === null).toBe(isAllowed);
      states = isAllowed ? states.with(each.program, next) : states;
      // A program cannot be changed again in the slot of its last change.
      ledger.tick();
      await assertAnswers(ledger, loader, [at], [states[each.program]]);
    }
  }
  await assertAnswers(ledger, loader, programs, states);
}

type Change = Exclude<Step, { readonly kind: 'go back' }>;

function ruleOf(change: Change, state: State): { readonly isAllowed: boolean; readonly next: State } {
  switch (change.kind) {
    case 'deploy':
      return { isAllowed: state === undefined, next: change.answer };
    case 'upgrade':
      return { isAllowed: typeof state === 'number', next: change.answer };
    case 'extend':
      return { isAllowed: typeof state === 'number', next: state };
    case 'close':
      return { isAllowed: typeof state === 'number', next: 'closed' };
    default:
      return change satisfies never;
  }
}

type Loader = ReturnType<typeof upgradeableLoader>;

async function carryOut(loader: Loader, at: DeployedProgram, change: Change): Promise<unknown> {
  switch (change.kind) {
    case 'deploy':
    case 'upgrade':
      return await loader[change.kind](at, change.answer);
    case 'extend':
      return await loader.extend(at, EXTENSION_BYTES);
    case 'close':
      return await loader.close(at);
    default:
      return change satisfies never;
  }
}

async function assertAnswers(
  { tick }: TestLedger,
  { call, simulate }: Loader,
  programs: readonly DeployedProgram[],
  states: readonly State[],
): Promise<void> {
  const expected = states.map(expectedOf);
  for (const [index, at] of programs.entries()) {
    expect(await call(at)).toEqual(expected[index]);
    expect(await simulate(at, 'processed')).toEqual(expected[index]);
  }
  tick();
  for (const [index, at] of programs.entries())
    expect(await simulate(at, 'finalized')).toEqual(expected[index]);
}

function expectedOf(state: State): unknown {
  if (state === undefined) return 'ProgramAccountNotFound';
  if (state === 'closed') return { InstructionError: [0, 'UnsupportedProgramId'] };
  return state === 0 ? null : { InstructionError: [0, { Custom: state }] };
}
