import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs a fixed number of tasks at a time; the others wait in arrival order, and groups of them take turns. */
export class Semaphore {
  readonly #limit: number;
  #running = 0;
  #waiting = 0;
  /** By group, in the order of their turns. */
  readonly #queues = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of tasks that run or wait. */
  get inProgress(): number {
    return this.#running + this.#waiting;
  }

  /** Runs a task when a slot is free, and settles with its outcome. */
  async withPermit<T>(task: () => Promise<T>, group = ''): Promise<T> {
    if (this.#running === this.#limit) await new Promise<void>((resolve) => this.#enqueue(group, resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#dequeue();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #enqueue(group: string, begin: () => void): void {
    this.#waiting++;
    const queue = this.#queues.get(group);
    if (queue === undefined) this.#queues.set(group, [begin]);
    else queue.push(begin);
  }

  #dequeue(): (() => void) | undefined {
    for (const [group, queue] of this.#queues) {
      const next = queue.shift();
      this.#queues.delete(group);
      if (queue.length > 0) this.#queues.set(group, queue);
      this.#waiting--;
      return next;
    }
    return undefined;
  }
}

/** Runs a task through the semaphore; at once without one. */
export function withPermit<T>(semaphore: Semaphore | undefined, task: () => Promise<T>): Promise<T> {
  return semaphore === undefined ? task() : semaphore.withPermit(task);
}

// Work that many clients cause at the same moment is spread over turns of the event loop, so that other clients are served in between.

/** Bodies above this size take so long to parse that others would notice. */
const LARGE_BYTES = 64 * 1024;

let lastParse: Promise<unknown> = Promise.resolve();

/** Waits for the turn to parse a body: large ones are parsed one after the other. Undefined for a body that need not wait. */
export function turnToParse({ length }: Buffer): Promise<unknown> | undefined {
  if (length <= LARGE_BYTES) return undefined;
  lastParse = lastParse.then(() => nextTurn());
  return lastParse;
}

/** WebSocket messages answered in one turn: thousands can wait for the same subscription at a node. */
const ANSWERS_IN_TURN = 200;

const waiting: (() => void)[] = [];
let answersLeft = ANSWERS_IN_TURN;
let isTurnPlanned = false;

/** Waits for the turn to send an answer, in the order of the calls. Undefined for one that need not wait. */
export function turnToAnswer(): Promise<void> | undefined {
  planTurn();
  if (waiting.length === 0 && answersLeft > 0) {
    answersLeft--;
    return undefined;
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function planTurn(): void {
  if (isTurnPlanned) return;
  isTurnPlanned = true;
  setImmediate(() => {
    isTurnPlanned = false;
    const served = waiting.splice(0, ANSWERS_IN_TURN);
    answersLeft = ANSWERS_IN_TURN - served.length;
    if (waiting.length > 0) planTurn();
    for (const serve of served) serve();
  });
}
