import { hash } from 'node:crypto';
import type { Kind, Notice } from './read-notice.ts';

/** `new`: to be sent; `known`: already sent; `late`: not sent, but something newer was. */
export type Verdict = 'new' | 'known' | 'late';

/** Slots of which every sent subject is remembered. */
const REMEMBERED_SLOTS = 64;
/** Most subjects remembered in all, about 100 bytes each. */
const REMEMBERED_SUBJECTS = 20_000;

/** The notices that a subscription has sent: nothing is sent twice, and nothing older after something newer. */
export class DeliveredNotifications {
  readonly #kind: Kind;
  readonly #slots = new Map<number, Map<string, string>>();
  #subjects = 0;
  #lastSlot: number | undefined;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** The newest slot of a sent notice. */
  get lastSlot(): number | undefined {
    return this.#lastSlot;
  }

  /** Classifies a notice, and remembers it if it is new. One without a slot always is. */
  take({ slot, subject, isFailure }: Notice, result: Buffer): Verdict {
    if (slot === undefined) return 'new';
    const { order, mayRepeat } = this.#kind;
    const known = this.#slots.get(slot)?.get(subject);
    const text = mayRepeat ? hash('sha1', result, 'base64') : '';
    if (known !== undefined && (known === text || !mayRepeat)) return 'known';
    const lastSlot = this.#lastSlot ?? -1;
    if (order === 'strict' && slot <= lastSlot) return 'known';
    if (order === 'rising' && slot < lastSlot)
      return known !== undefined || slot <= lastSlot - REMEMBERED_SLOTS ? 'known' : 'late';
    this.#remember(slot, subject, text);
    if (!isFailure) this.#lastSlot = Math.max(slot, lastSlot);
    return 'new';
  }

  /** Starts over: the ledger was replaced, and its slots with it. */
  reset(): void {
    this.#slots.clear();
    this.#subjects = 0;
    this.#lastSlot = undefined;
  }

  #remember(slot: number, subject: string, text: string): void {
    const subjects = this.#slots.get(slot) ?? new Map<string, string>();
    if (!subjects.has(subject)) this.#subjects++;
    this.#slots.set(slot, subjects.set(subject, text));
    for (const [old, { size }] of this.#slots) {
      const isOld = old < Math.max(slot, this.#lastSlot ?? slot) - REMEMBERED_SLOTS;
      if (this.#slots.size === 1 || (!isOld && this.#subjects <= REMEMBERED_SUBJECTS)) break;
      this.#slots.delete(old);
      this.#subjects -= size;
    }
  }
}
