import { headBytes } from '../../../runtime/audit-bytes.ts';
import { type AuditHead, isSignatureOf, isSignedBy } from './audit-head.ts';

/** A defect of an account's audit log, and the record that has it. */
export type AuditProblem = {
  readonly kind: /** A record is not what its hash says. */
    | 'edited'
    /** A record does not follow from the previous one: a record was removed, inserted or moved. */
    | 'disordered'
    | 'missing'
    /** Records are missing from the end. */
    | 'cutOff'
    /** A signed head differs: this record and all before it may have been rewritten. */
    | 'rewritten'
    /** A head is not signed by a trusted key. */
    | 'headForged';
  readonly at: number;
};

/** Keys that may sign heads; with none, signatures are not checked. `named`: whichever key a head names. */
export type TrustedKeys = readonly Uint8Array[] | 'named';

export const MAX_PROBLEMS = 100;

/** Findings on one chain, by its records and its signed heads, in memory that does not grow with them. */
export class ChainFindings {
  readonly #trusted: TrustedKeys;
  readonly #problems = new Map<string, AuditProblem>();
  readonly #signedBy = new Set<string>();
  /** The last record that a head states, forged ones aside; 0 without one. */
  end = 0;
  /** The last record that a trusted key signed; 0 without one. */
  signedUpTo = 0;

  constructor(trusted: TrustedKeys) {
    this.#trusted = trusted;
  }

  /** The first 100, each once. */
  get problems(): readonly AuditProblem[] {
    return [...this.#problems.values()];
  }

  /** The keys in hex that signed trusted heads. */
  get signedBy(): ReadonlySet<string> {
    return this.#signedBy;
  }

  add(kind: AuditProblem['kind'], at: number): void {
    if (this.#problems.size < MAX_PROBLEMS) this.#problems.set(`${kind} ${at}`, { kind, at });
  }

  /** Takes a head, and the hash of the record that it states; undefined if there is no such record. */
  addHead(head: AuditHead, recordHash: Uint8Array | undefined): void {
    const isChecked = this.#trusted === 'named' || this.#trusted.length > 0;
    if (isChecked && !this.#isTrusted(head)) {
      this.add('headForged', head.seq);
      return;
    }
    if (isChecked) {
      this.signedUpTo = Math.max(this.signedUpTo, head.seq);
      this.#signedBy.add(Buffer.from(head.publicKey).toString('hex'));
    }
    this.end = Math.max(this.end, head.seq);
    if (recordHash !== undefined && Buffer.compare(recordHash, head.hash) !== 0)
      this.add('rewritten', head.seq);
  }

  #isTrusted(head: AuditHead): boolean {
    return this.#trusted === 'named' ? isSignatureOf(head, headBytes(head)) : isSignedBy(head, this.#trusted);
  }
}
