import type { PubsubSession } from '../../nodes/pubsub-link.ts';
import { type AskedNode, readNodeValue } from './node-reads.ts';
import type { SharedSubscription } from './shared-subscription.ts';
import { stringifyJson } from '../../../core/rpc/json.ts';

type Statuses = {
  readonly context: { readonly slot: number };
  readonly value: readonly (Status | null)[];
};
type AnnouncingSession = Pick<PubsubSession, 'hasAnnounced' | 'newestSlot'>;
type Status = { readonly slot: number; readonly err: unknown; readonly confirmationStatus?: string | null };

const LEVELS: readonly string[] = ['processed', 'confirmed', 'finalized'];
/** The most that getSignatureStatuses accepts at once (interface.md section 8). */
const MAX_SIGNATURES = 256;
/** Clients listen only once they have read the reply to their subscribe call: they get this long. */
const DELAY_MS = 25;
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** This many attempts follow each other quickly; after them the pause doubles. */
const QUICK_ATTEMPTS = 8;

/**
 * Checks signatures that may have reached their level before the node was subscribed to them, as the node then never notifies:
 * their status is read after the subscription, many at a time.
 */
export class SignatureChecks {
  readonly #node: () => AskedNode | undefined;
  #waiting = new Set<SharedSubscription>();
  #timer: NodeJS.Timeout | undefined;

  /** `node`: returns the node of the current signature subscriptions. */
  constructor(node: () => AskedNode | undefined) {
    this.#node = node;
  }

  /** Checks one soon, and once more if a node has accepted it before it announced a slot. */
  add(shared: SharedSubscription, session?: AnnouncingSession): void {
    this.#waiting.add(shared);
    this.#timer ??= setTimeout(() => this.#flush(0), DELAY_MS);
    if (session !== undefined) void this.repeatFor([shared], session);
  }

  /** Checks those once more that a node has accepted before it announced a slot: it announces one now. */
  async repeatFor(
    opened: readonly SharedSubscription[],
    { hasAnnounced, newestSlot }: AnnouncingSession,
  ): Promise<void> {
    const isEarly = ({ info, announcedSlot }: SharedSubscription): boolean =>
      info.refill === 'status' && announcedSlot === undefined;
    const early = opened.filter(isEarly);
    await hasAnnounced;
    for (const shared of early) {
      shared.announcedSlot ??= newestSlot();
      this.add(shared);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(attempt: number): void {
    this.#timer = undefined;
    const waiting = [...this.#waiting];
    this.#waiting = new Set();
    for (let start = 0; start < waiting.length; start += MAX_SIGNATURES)
      void this.#check(waiting.slice(start, start + MAX_SIGNATURES), attempt);
  }

  /** Asks again until the node answers; after its loss the next one is asked anyway. */
  async #check(checked: readonly SharedSubscription[], attempt: number): Promise<void> {
    const node = this.#node();
    const open = checked.filter(({ isEnded, subscribers }) => !isEnded && subscribers.size > 0);
    if (node === undefined || open.length === 0) return;
    try {
      const signatures = open.map(({ params }) => params[0]);
      const config = { searchTransactionHistory: true };
      const answer = await readNodeValue(node, 'getSignatureStatuses', [signatures, config]);
      const { context, value } = answer as Statuses;
      for (const [index, shared] of open.entries()) answerFrom(shared, value[index] ?? undefined);
      // An answer that is older than the subscription may come before a status that the node does not notify of any more.
      const isEarly = ({ isEnded, announcedSlot = 0 }: SharedSubscription) =>
        !isEnded && context.slot < announcedSlot;
      this.#checkAgain(open.filter(isEarly), attempt);
    } catch {
      this.#checkAgain(open, attempt);
    }
  }

  #checkAgain(open: readonly SharedSubscription[], attempt: number): void {
    if (open.length === 0) return;
    const pauseMs = RETRY_MS * 2 ** Math.max(0, attempt - QUICK_ATTEMPTS + 1);
    setTimeout(() => void this.#check(open, attempt + 1), Math.min(pauseMs, MAX_RETRY_MS)).unref();
  }
}

function answerFrom(shared: SharedSubscription, status: Status | undefined): void {
  if (status === undefined || shared.isEnded) return;
  const reached = LEVELS.indexOf(status.confirmationStatus ?? 'processed');
  if (reached < LEVELS.indexOf(shared.commitment)) return;
  const { slot, err } = status;
  shared.notify(Buffer.from(stringifyJson({ context: { slot }, value: { err: err ?? null } })));
}
