import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';

// What many clients cause at the same moment is done in turns of the event loop, so that whoever else comes is served in between.

/** To parse more than this takes so long that others would notice. */
const LARGE_BYTES = 64 * 1024;

let lastParse: Promise<unknown> = Promise.resolve();

/** Waits for the turn to parse a body: large ones are parsed one after the other. Undefined for a body that need not wait. */
export function turnToParse({ length }: Buffer): Promise<unknown> | undefined {
  if (length <= LARGE_BYTES) return undefined;
  lastParse = lastParse.then(() => nextTurn());
  return lastParse;
}

/** Answers to messages of WebSockets in one turn: thousands can wait for the same subscription at a node. */
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
