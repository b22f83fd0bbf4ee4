import { type Commitment, COMMITMENTS } from '../../../src/core/rpc/commitment.ts';
import type { Findings } from '../checks/findings.ts';
import { Floors } from '../checks/slots.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';
import type { Random } from '../random.ts';

/** The account whose state the scripted nodes change with every slot. */
export const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';

const METHODS = ['getBalance', 'getSlot', 'getLatestBlockhash', 'getAccountInfo', 'getBlockHeight'] as const;

/** A read, and what its params are. */
export type ReadStep = {
  readonly method: (typeof METHODS)[number];
  readonly commitment: Commitment;
  readonly params: readonly unknown[];
};

export type Answer = { readonly result?: unknown; readonly error?: unknown };

/** Draws a read. */
export function drawRead(random: Random): ReadStep {
  const method = METHODS[random(METHODS.length)] ?? 'getSlot';
  const commitment = COMMITMENTS[random(COMMITMENTS.length)] ?? 'processed';
  const hasAddress = method === 'getBalance' || method === 'getAccountInfo';
  return { method, commitment, params: hasAddress ? [ADDRESS, { commitment }] : [{ commitment }] };
}

/** The slots shown to a session in one life of one gateway: no later read may show less. */
export class ShownSlots {
  readonly slots = new Floors();
  readonly #heights = new Floors();
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Returns how to judge the answer to a read that is sent now. */
  expect({ method, commitment }: ReadStep, by: string): (answer: Answer) => void {
    const floors = method === 'getBlockHeight' ? this.#heights : this.slots;
    const floor = floors.at(commitment);
    return ({ result }) => {
      this.#findings.check('stale_read');
      const slot = slotOf(result);
      const shown = `${by}: ${method} at ${commitment} showed`;
      if (slot === undefined) return this.#findings.break('stale_read', `${shown} no slot`);
      if (slot < floor.slot)
        this.#findings.break('stale_read', `${shown} ${slot}, after ${floor.by} had shown ${floor.slot}`);
      else floors.see(commitment, slot, `${by}: ${method}`);
      this.judgeState(result, shown);
    };
  }

  /** The account has its slot as lamports: anything else is of another ledger, or made up. */
  judgeState(result: unknown, shown: string): void {
    const { context, value } = (result ?? {}) as {
      readonly context?: { readonly slot: number };
      readonly value?: unknown;
    };
    if (context === undefined) return;
    const lamports =
      typeof value === 'object' && value !== null
        ? (value as { readonly lamports?: number }).lamports
        : value;
    if (lamports !== context.slot)
      this.#findings.break(
        'stale_read',
        `${shown} ${String(lamports)} at slot ${context.slot}, where it has ${context.slot}`,
      );
  }
}

/** The slots shown to a session, by gateway and life. */
export type ShownByLife = Map<string, ShownSlots>;

/** The slots shown to a session by a gateway since the gateway was started. */
export function shownAt(gateway: LabGateway, shown: ShownByLife, findings: Findings): ShownSlots {
  const life = `${gateway.name} ${gateway.life()}`;
  const slots = shown.get(life) ?? new ShownSlots(findings);
  shown.set(life, slots);
  return slots;
}

/** The slot or the block height that an answer or a notification shows. */
export function slotOf(result: unknown): number | undefined {
  if (typeof result === 'number') return result;
  const { context, slot } = (result ?? {}) as {
    readonly context?: { readonly slot: number };
    readonly slot?: number;
  };
  return context?.slot ?? slot;
}
