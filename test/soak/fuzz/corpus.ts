import fc from 'fast-check';
import type { Random } from '../../lab/random.ts';
import { pick } from './damage.ts';

const SAMPLE = 256;
/** To make a case costs as much as to send it: each is sent some times, damaged in another way each time. */
const USES = 4;

/** Cases of an arbitrary without end, the same ones for the same numbers. */
export class Corpus<T> {
  readonly #arbitrary: fc.Arbitrary<T>;
  readonly #random: Random;
  #sample: readonly T[] = [];
  #left = 0;

  constructor(arbitrary: fc.Arbitrary<T>, random: Random) {
    this.#arbitrary = arbitrary;
    this.#random = random;
  }

  next(): T {
    if (this.#left === 0) {
      this.#sample = fc.sample(this.#arbitrary, { numRuns: SAMPLE, seed: this.#random(2 ** 31) });
      this.#left = SAMPLE * USES;
    }
    this.#left -= 1;
    return pick(this.#sample, this.#random);
  }
}
